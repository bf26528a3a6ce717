/* exec_port.c: see exec_port.h. The folder is the command's to do with as it likes: the list by which it is judged is
 * kept here, and put back. Read next: exec_command.h, check_folder.h.
 */
#include "cli/exec_port.h"

#include "cli/check_folder.h"
#include "cli/exec_command.h"
#include "cli/exit_code.h"
#include "cli/export_folder.h"
#include "cli/export_list.h"
#include "cli/interrupt.h"
#include "cli/launcher.h"
#include "harness/message.h"
#include "harness/signal_name.h"
#include "harness/temp_folder.h"
#include "report/file.h"
#include "report/printable.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOT_EXECUTABLE 126 /* what a shell ends with, if it was not by the command itself */
#define NOT_FOUND      127

typedef struct exec_folder {
    char *private; /* the kit's own; what is judged is the folder in it, which the command may replace as it likes */
    char *cases, *list_path;
    void *list;
    size_t list_size;
} exec_folder;

static char *joined(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static void folder_free(exec_folder *f)
{
    if (f->private != NULL)
        temp_folder_remove(f->private);
    free(f->private);
    free(f->cases);
    free(f->list_path);
    free(f->list);
}

/* ---- before ---- */

/* What would be in vain if it were found out after the command. 0, or the exit code, with s->message. */
static int look_ahead(session *s)
{
    const options *o = s->options;
    for (size_t i = 0; i < o->report_count; i++)
        if (!report_file_check(o->reports[i].path, s->message, sizeof s->message))
            return EXIT_KIT_FAILED;
    return vectors_open(&s->vectors, o->golden, s->message, sizeof s->message) ? 0 : EXIT_KIT_FAILED;
}

static int write_cases(session *s, exec_folder *f)
{
    const options *o = s->options;
    size_t written = 0;
    plan p;
    const plan_result planned = plan_make(&p, o, export_plan_claims(o));
    bool ok = planned == PLAN_OK || refuse(s->message, sizeof s->message, "out of memory");
    ok = ok && export_folder_prepare(f->cases, s->message, sizeof s->message) == EXPORT_PLACE_READY &&
         export_folder_write(o, &p, f->cases, &written, s->message, sizeof s->message);
    plan_free(&p);
    if (!ok)
        return planned == PLAN_USAGE ? EXIT_USAGE : EXIT_KIT_FAILED;
    if (written == 0) {
        refuse(s->message, sizeof s->message, "nothing that was chosen can be shown by files: no case was written");
        return EXIT_NOTHING_TESTED;
    }
    void *list;
    size_t list_size;
    if (!file_read(&list, &list_size, f->list_path)) {
        refuse(s->message, sizeof s->message, "%s cannot be read", f->list_path);
        return EXIT_KIT_FAILED;
    }
    f->list = list;
    f->list_size = list_size;
    return 0;
}

static int make_folder(session *s, exec_folder *f)
{
    f->private = temp_folder_make(s->message, sizeof s->message);
    if (f->private == NULL)
        return EXIT_KIT_FAILED;
    f->cases = joined(f->private, "cases");
    f->list_path = f->cases != NULL ? joined(f->cases, EXPORT_LIST_FILE) : NULL;
    if (f->list_path == NULL) {
        refuse(s->message, sizeof s->message, "out of memory");
        return EXIT_KIT_FAILED;
    }
    return write_cases(s, f);
}

/* ---- after ---- */

/* The list as it was, in a folder that is one: an empty one if the command took it away. */
static bool restore_list(session *s, const exec_folder *f)
{
    struct stat info;
    if (lstat(f->cases, &info) == 0 && !S_ISDIR(info.st_mode))
        (void)unlink(f->cases);
    if (lstat(f->list_path, &info) == 0 && S_ISDIR(info.st_mode))
        temp_folder_remove(f->list_path);
    else
        (void)unlink(f->list_path); /* not through it, if it is a link */
    (void)mkdir(f->private, 0700);
    errno = 0;
    if ((mkdir(f->cases, 0700) == 0 || errno == EEXIST) && file_write(f->list_path, f->list, f->list_size))
        return true;
    return refuse(s->message, sizeof s->message, "%s cannot be written: %s", f->list_path, strerror(errno));
}

/* Anything that could be meant as a result. */
static bool left_results(const exec_folder *f)
{
    DIR *folder = opendir(f->cases);
    bool found = false;
    for (const struct dirent *entry; folder != NULL && !found && (entry = readdir(folder)) != NULL;)
        found = strstr(entry->d_name, ".result") != NULL;
    if (folder != NULL)
        (void)closedir(folder);
    return found;
}

/* The command, and what is plain at once: it could not be run, or did nothing. 0: there is something to judge. */
static int run_command(session *s, const exec_folder *f)
{
    const options *o = s->options;
    command_outcome *outcome = &s->report.command;
    switch (exec_command(outcome, o->exec, f->cases, o->timeout, o->quiet, s->message, sizeof s->message)) {
    case EXEC_ENDED: break;
    default: return EXIT_KIT_FAILED;
    }
    const char *words = outcome->error_tail != NULL ? outcome->error_tail : "";
    const bool nothing = !left_results(f);
    if (nothing && (outcome->exit_status == NOT_FOUND || outcome->exit_status == NOT_EXECUTABLE)) {
        refuse(s->message, sizeof s->message, "the command cannot be run (exit status %d)%s%s", outcome->exit_status,
               words[0] != '\0' ? ": " : "", words);
        return EXIT_NOT_LOADED;
    }
    if (nothing && outcome->exit_status == 0) {
        refuse(s->message, sizeof s->message,
               "nothing was tested: the command ended well and left no result; it is given the folder of cases as its "
               "last argument, and leaves ID.result.safetensors beside each ID.safetensors (conformance/FILES.md)%s%s",
               words[0] != '\0' ? "; its last words: " : "", words);
        return EXIT_NOTHING_TESTED;
    }
    return restore_list(s, f) ? 0 : EXIT_KIT_FAILED;
}

int exec_port(const options *o)
{
    session s = {.options = o};
    exec_folder f = {.private = NULL};
    if (launched_by_mpi()) {
        fprintf(o->errors, "psgd-conform: --exec: not under mpirun; the command starts its own ranks, by mpirun if it "
                           "likes\n");
        return is_first_process() ? EXIT_USAGE : EXIT_CONFORMING;
    }
    s.report.way = WAY_COMMAND;
    s.report.implementation = o->exec;
    interrupt_watch();
    int code = session_read_waivers(&s);
    code = code == 0 ? look_ahead(&s) : code;
    code = code == 0 ? make_folder(&s, &f) : code;
    code = code == 0 ? run_command(&s, &f) : code;
    char *tail = s.report.command.error_tail;
    if (code == 0) {
        code = check_folder(&s, f.cases);
    } else {
        session_complain(&s, code);
        code = session_finish(&s, code);
    }
    free(tail);
    folder_free(&f);
    interrupt_finish();
    return code;
}

/* ---- the check ---- */

/* The last line, for a message of one. */
static const char *last_line(const char *text)
{
    const char *line = text != NULL ? strrchr(text, '\n') : NULL;
    return line != NULL ? line + 1 : text;
}

bool exec_checks_add(session *s)
{
    const command_outcome *c = &s->report.command;
    const check_place nowhere = CHECK_NOWHERE;
    char how[64] = "", words[200], after[64] = "";
    if (c->timed_out)
        snprintf(how, sizeof how, "was ended, its time was up");
    else if (c->signal != 0)
        snprintf(how, sizeof how, "was ended by %s", signal_name(words, sizeof words, c->signal));
    else if (c->exit_status > 128) /* how a shell tells of the signal that ended what it had started */
        snprintf(how, sizeof how, "ended with exit status %d (%s?)", c->exit_status,
                 signal_name(words, sizeof words, c->exit_status - 128));
    else
        snprintf(how, sizeof how, "ended with exit status %d", c->exit_status);
    snprintf(after, sizeof after, " after %.1f s (limit %.0f s)", c->seconds, s->options->timeout);
    (void)printable(words, sizeof words, last_line(c->error_tail));
    const size_t index = verdict_open(&s->verdict, "PSGD-FIL-010", "(command)", NULL, "structure", 0);
    verdict_expect(&s->verdict, index, !c->timed_out && c->signal == 0 && c->exit_status == 0, &nowhere,
                   "the command %s%s%s%s", how, after, words[0] != '\0' ? "; its last words: " : "", words);
    return !s->verdict.out_of_memory;
}
