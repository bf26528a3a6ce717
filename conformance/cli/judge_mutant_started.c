/* judge_mutant_started.c: a variant judged by the kit in a process of its own, as a user would start it: by files (run
 * --exec and the program that has the variants compiled in), or under mpirun. What failed is read from its JSON report.
 *
 * Under mpirun a port that crashes or hangs takes the launch down, and there is no report: that it ended badly once the
 * run had begun is all that this way tells of it. */
#include "cli/judge_mutant.h"

#include "cli/exit_code.h"
#include "harness/message.h"
#include "harness/module_folder.h"
#include "harness/temp_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#define LAUNCHER_DEFAULT "mpirun -n 4" /* the environment's MPIRUN stands in its place */
#define SHARE_OF_COMMAND 6             /* --timeout is a case's; the whole command of --exec has so many times that */

typedef struct started {
    char *folder; /* private: the report and what was printed */
    char report[4096], output[4096];
    char command[16384]; /* for sh */
} started;

/* Every word of the command is the kit's or the list's own, but for paths: those go through the environment. */
static bool make_command(started *s, const mutant_judge *judge, const fault_entry *entry, char *message, size_t size)
{
    const options *o = judge->options;
    const bool files = o->way == MUTANTS_FILES;
    const char *kind = mutant_is_honest(entry) ? "honest" : "faulty", *launcher = getenv("MPIRUN");
    char port[512], program[64];
    (void)snprintf(program, sizeof program, "psgd-%s-files", kind);
    char *path = files ? beside_executable(program) : NULL;
    if (files && (path == NULL || access(path, X_OK) != 0)) {
        free(path);
        return refuse(message, size, "the program %s, which judges variants by files, is not beside the kit", program);
    }
    bool ok = setenv("PSGD_MUTANT_KIT", judge->kit_path, 1) == 0 && setenv("PSGD_MUTANT_REPORT", s->report, 1) == 0 &&
              setenv("PSGD_MUTANT_GOLDEN", judge->vectors.folder, 1) == 0 &&
              setenv("PSGD_MUTANT_PROGRAM", path != NULL ? path : "", 1) == 0;
    free(path);
    /* --exec is a shell's command again: the program's path is quoted there as well. */
    (void)snprintf(port, sizeof port, files ? "--exec 'exec \"$PSGD_MUTANT_PROGRAM\"'" : "--impl %s:%s", kind,
                   entry->name);
    (void)snprintf(s->command, sizeof s->command,
                   "exec %s \"$PSGD_MUTANT_KIT\" run %s --fuzz 0%s --timeout %g --golden \"$PSGD_MUTANT_GOLDEN\" "
                   "--report json=\"$PSGD_MUTANT_REPORT\"%s",
                   files              ? ""
                   : launcher != NULL ? launcher
                                      : LAUNCHER_DEFAULT,
                   port, files ? " --quiet" : "", files ? SHARE_OF_COMMAND * o->timeout : o->timeout,
                   o->quick ? " --quick" : "");
    ok = ok && (files ? setenv("PSGD_FAULT", entry->name, 1) : unsetenv("PSGD_FAULT")) == 0;
    return ok || refuse(message, size, "out of memory");
}

/* In the child: never returns. */
static void become(const started *s)
{
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    const int output = open(s->output, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (output >= 0 && dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0)
        (void)execl("/bin/sh", "sh", "-c", s->command, (char *)NULL);
    _exit(127);
}

/* Had the run begun? Its first line, "psgd-conform 1.0.0, suite 2, ...", tells. */
static bool had_begun(const started *s)
{
    const char begun[] = ", suite ";
    const size_t length = sizeof begun - 1;
    void *text = NULL;
    size_t size = 0;
    bool found = false;
    if (file_read(&text, &size, s->output))
        for (size_t i = 0; i + length <= size && !found; i++)
            found = memcmp((const char *)text + i, begun, length) == 0;
    free(text);
    return found;
}

/* The exit code; 128 and the signal of one that was ended by it; -1: it could not be started. */
static int run(const started *s)
{
    const pid_t child = fork();
    if (child == 0)
        become(s);
    int status = 0;
    pid_t ended = child;
    if (child > 0)
        do
            ended = waitpid(child, &status, 0);
        while (ended < 0 && errno == EINTR);
    if (child < 0 || ended != child)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void count_failure(mutant_result *result, const char *id)
{
    size_t count;
    const requirement *all = requirements(&count), *failed = id != NULL ? requirement_find(id) : NULL;
    if (failed != NULL && result->failures[failed - all] < UINT16_MAX)
        result->failures[failed - all]++;
}

/* False: there is no report. */
static bool read_report(mutant_result *result, const char *path)
{
    json_t *report = json_load_file(path, 0, NULL), *one;
    size_t i;
    json_array_foreach(json_object_get(report, "checks"), i, one)
    {
        const char *state = json_string_value(json_object_get(one, "state"));
        if (state != NULL && strcmp(state, "fail") == 0)
            count_failure(result, json_string_value(json_object_get(one, "requirement")));
    }
    const bool found = report != NULL;
    json_decref(report);
    return found;
}

static void judge(mutant_result *result, const started *s, bool mpi)
{
    result->exit_code = run(s);
    const bool reported = read_report(result, s->report);
    char *said = file_tail(s->output, sizeof result->message - 1);
    snprintf(result->message, sizeof result->message, "%s", said != NULL ? said : "");
    free(said);
    if (reported)
        return;
    const int code = result->exit_code;
    result->took_down = mpi && code > 0 && code != EXIT_KIT_FAILED && had_begun(s);
    if (code == EXIT_CONFORMING || code == EXIT_NOT_CONFORMING)
        result->exit_code = -1;
}

void judge_mutant_started(mutant_result *result, const mutant_judge *judged_by, const fault_entry *entry)
{
    started s = {.folder = temp_folder_make(result->message, sizeof result->message)};
    result->exit_code = EXIT_KIT_FAILED;
    if (s.folder == NULL)
        return;
    const int report = snprintf(s.report, sizeof s.report, "%s/report.json", s.folder);
    const int output = snprintf(s.output, sizeof s.output, "%s/output", s.folder);
    if (report < 0 || (size_t)report >= sizeof s.report || output < 0 || (size_t)output >= sizeof s.output)
        (void)refuse(result->message, sizeof result->message, "the path %s is too long", s.folder);
    else if (make_command(&s, judged_by, entry, result->message, sizeof result->message))
        judge(result, &s, judged_by->options->way == MUTANTS_MPI);
    temp_folder_remove(s.folder);
    free(s.folder);
}
