/* main.c: psgd-conform. Hands over to a command; sees to it that output that could not be written is no success. */
#include "cli/command.h"
#include "cli/launcher.h"
#include "harness/runner.h"
#include "report/report.h"

#include <fcntl.h>
#include <gsl/gsl_errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct command {
    const char *name;
    int (*run)(const options *o);
} command;

static const command COMMANDS[] = {{"list", command_list},
                                   {"show", command_show},
                                   {"explain", command_explain},
                                   {"export", command_export},
                                   {"check", command_check}};

static int dispatch(const options *o, const char *kit_path)
{
    for (size_t i = 0; i < sizeof COMMANDS / sizeof COMMANDS[0]; i++)
        if (strcmp(o->command, COMMANDS[i].name) == 0)
            return COMMANDS[i].run(o);
    if (strcmp(o->command, "mutants") == 0)
        return command_mutants(o, kit_path);
    return command_run(o, kit_path);
}

static int finish(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    perror("psgd-conform: standard output");
    return code == EXIT_USAGE || code == EXIT_NOT_LOADED ? code : EXIT_KIT_FAILED;
}

/* A closed standard stream would give its number to the next file that is opened, and a report's text would end up in
 * that file. Opened for reading, it still fails to be written, which finish() reports. */
static bool open_standard_streams(void)
{
    int opened;
    do
        opened = open("/dev/null", O_RDONLY);
    while (opened >= 0 && opened <= STDERR_FILENO);
    if (opened >= 0)
        close(opened);
    return opened >= 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "rank") == 0)
        return runner_rank_main(argc, argv);
    /* A closed pipe is a write error to be reported, not a reason to die in the middle of a run. */
    signal(SIGPIPE, SIG_IGN);
    gsl_set_error_handler_off(); /* the judge handles GSL's status codes itself */

    if (!open_standard_streams())
        return EXIT_KIT_FAILED;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            usage_print();
            return finish(EXIT_CONFORMING);
        }
        if (strcmp(argv[i], "--version") == 0) {
            printf("%s %s, suite %d\n", KIT_NAME, PSGD_KIT_VERSION, SUITE_VERSION);
            return finish(EXIT_CONFORMING);
        }
    }
    char kit_path[4096];
    const ssize_t length = readlink("/proc/self/exe", kit_path, sizeof kit_path - 1);
    kit_path[length > 0 ? length : 0] = '\0';

    /* Mistakes of usage are said by one process of an mpirun. The others end well, for mpirun ends all at the first
     * that does not, and the one that speaks may not have spoken yet. Only a run needs them. */
    FILE *errors = is_first_process() ? stderr : fopen("/dev/null", "w");
    if (errors == NULL) {
        perror("psgd-conform: /dev/null");
        return EXIT_KIT_FAILED;
    }
    options o;
    int code = is_first_process() ? EXIT_USAGE : EXIT_CONFORMING;
    if (options_parse(&o, argc, argv, errors))
        code = is_first_process() || strcmp(o.command, "run") == 0 ? dispatch(&o, length > 0 ? kit_path : argv[0])
                                                                   : EXIT_CONFORMING;
    options_free(&o);
    return finish(code);
}
