/* exec_command.c: see exec_command.h. The kit's side: starts the guard, waits for its report. Read next: exec_guard.c.
 */
#include "cli/exec_guard.h"

#include "cli/interrupt.h"
#include "harness/message.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_MILLISECONDS 100 /* how late, at worst, an interruption is noticed that came between two calls */

/* The last lines, as text: what is neither a line's end nor ASCII becomes '?'. Null: there is nothing, or no memory. */
static char *tail_text(const exec_report *r)
{
    size_t end = r->tail, first, lines = 0;
    while (end > 0 && (r->text[end - 1] == '\n' || r->text[end - 1] == ' '))
        end--;
    for (first = end; first > 0; first--)
        if (r->text[first - 1] == '\n' && ++lines == EXEC_TAIL_LINES)
            break;
    char *text = end > first ? malloc(end - first + 1) : NULL;
    if (text == NULL)
        return NULL;
    for (size_t i = first; i < end; i++) {
        const char c = r->text[i];
        text[i - first] = c == '\n' || (c >= ' ' && c <= '~') ? c : c == '\t' ? ' ' : '?';
    }
    text[end - first] = '\0';
    return text;
}

/* Reads the whole report; passes an interruption on to the guard, once. False: the guard is gone without one. */
static bool await_report(exec_report *r, pid_t guard, int answer)
{
    size_t got = 0;
    bool told = false;
    while (got < sizeof *r) {
        if (interrupt_came() && !told) {
            (void)kill(guard, SIGTERM);
            told = true;
        }
        struct pollfd ready = {.fd = answer, .events = POLLIN};
        if (poll(&ready, 1, TICK_MILLISECONDS) <= 0)
            continue;
        const ssize_t more = read(answer, (char *)r + got, sizeof *r - got);
        if (more == 0 || (more < 0 && errno != EINTR))
            return false;
        got += more > 0 ? (size_t)more : 0;
    }
    return true;
}

exec_result exec_command(command_outcome *outcome, const char *command, const char *folder, double timeout_seconds,
                         bool quiet, char *message, size_t message_size)
{
    int ends[2];
    *outcome = (command_outcome){.exit_status = -1};
    exec_report *report = calloc(1, sizeof *report);
    if (report == NULL || pipe(ends) != 0) {
        (void)refuse(message, message_size, "the command cannot be started: %s", strerror(errno));
        free(report);
        return EXEC_KIT_FAILED;
    }
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    const pid_t kit = getpid(), guard = fork();
    if (guard == 0) {
        (void)close(ends[0]);
        exec_guard(command, folder, timeout_seconds, quiet, kit, ends[1]);
    }
    (void)close(ends[1]);
    const bool reported = guard > 0 && await_report(report, guard, ends[0]);
    (void)close(ends[0]);
    while (guard > 0 && waitpid(guard, NULL, 0) < 0 && errno == EINTR)
        ;
    exec_result result = EXEC_ENDED;
    if (interrupt_came()) {
        result = EXEC_INTERRUPTED;
        (void)refuse(message, message_size, "interrupted");
    } else if (!reported || report->failed != 0) {
        result = EXEC_KIT_FAILED;
        (void)refuse(message, message_size, "the command cannot be run or watched: %s",
                     report->failed != 0 ? strerror(report->failed) : "the process that watches it is gone");
    } else {
        *outcome = report->outcome;
        outcome->error_tail = tail_text(report);
    }
    free(report);
    return result;
}
