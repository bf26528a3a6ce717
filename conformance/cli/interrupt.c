/* interrupt.c: see interrupt.h. The one variable is a signal handler's only way to leave word. */
#include "cli/interrupt.h"

#include "harness/runner.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t received;

static void note(int signal_number)
{
    received = signal_number;
    runner_interrupt();
}

void interrupt_watch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interrupt_came(void)
{
    return received != 0;
}

void interrupt_finish(void)
{
    if (received == 0)
        return;
    signal(received, SIG_DFL);
    raise(received);
}
