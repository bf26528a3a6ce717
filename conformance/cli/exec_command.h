/* exec_command.h: runs the shell command of --exec under watch, and tells how it ended. Whatever it started is gone
 * when this returns, or when the kit dies. */
#ifndef CONFORMANCE_CLI_EXEC_COMMAND_H
#define CONFORMANCE_CLI_EXEC_COMMAND_H

#include "report/report.h"

#define EXEC_TAIL_BYTES 4096 /* of standard error that are kept: so many at most, in so many lines */
#define EXEC_TAIL_LINES 40

typedef enum exec_result {
    EXEC_ENDED,       /* well or not: the outcome tells */
    EXEC_INTERRUPTED, /* by a signal to the kit */
    EXEC_KIT_FAILED   /* it could not be run or watched: message */
} exec_result;

/* `sh -c 'COMMAND "$@"' sh FOLDER`, so that the folder is the command's last argument, whatever is in its name. Its
 * standard input is empty. What it prints, on either stream, goes to the kit's standard error, up to a limit, or with
 * quiet nowhere; the end of its standard error is kept. outcome->error_tail is the caller's to free. */
exec_result exec_command(command_outcome *outcome, const char *command, const char *folder, double timeout_seconds,
                         bool quiet, char *message, size_t message_size);

#endif
