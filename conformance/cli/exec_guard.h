/* exec_guard.h: the process between the kit and a command of --exec. It starts the command, watches it, ends with it,
 * and takes along whatever the command has left running: it is a process of its own so that it also can when the kit
 * was killed. */
#ifndef CONFORMANCE_CLI_EXEC_GUARD_H
#define CONFORMANCE_CLI_EXEC_GUARD_H

#include "cli/exec_command.h"

#include <sys/types.h>

/* What it writes to the kit when all is over. */
typedef struct exec_report {
    command_outcome outcome; /* but for the tail */
    int failed;              /* an errno: the command could not be started; 0: it was */
    size_t tail;             /* bytes */
    char text[EXEC_TAIL_BYTES];
} exec_report;

/* In the kit's child; never returns. kit: the parent's process id. answer: where the report goes. SIGTERM ends the
 * command before its time. */
_Noreturn void exec_guard(const char *command, const char *folder, double timeout_seconds, bool quiet, pid_t kit,
                          int answer);

#endif
