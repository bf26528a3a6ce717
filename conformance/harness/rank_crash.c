/* rank_crash.c: see rank_crash.h. Static variables, because neither a signal handler nor exit brings a context along.
 */
#define _XOPEN_SOURCE 700 /* sigaltstack */

#include "harness/rank_crash.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
#define SIGNAL_COUNT (sizeof SIGNALS / sizeof SIGNALS[0])

static struct sigaction before[SIGNAL_COUNT];
static _Thread_local rank_answer *mine;
static atomic_flag ending = ATOMIC_FLAG_INIT; /* the first one is the cause */

static void note_end(void)
{
    if (mine != NULL && !atomic_flag_test_and_set(&ending))
        mine->ended_here = true;
}

/* The handler that was there before takes its place again: an instruction that faulted does so once more on return,
 * a signal that was sent is sent once more. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    note_end();
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        if (SIGNALS[i] == number)
            (void)sigaction(number, &before[i], NULL);
    if (info->si_code <= 0) /* sent by raise, abort or kill */
        (void)raise(number);
}

bool rank_crash_watch(void)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    (void)sigemptyset(&action.sa_mask);
    bool ok = true;
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        ok = sigaction(SIGNALS[i], &action, &before[i]) == 0 && ok;
    return ok;
}

bool rank_crash_watch_exit(void)
{
    return atexit(note_end) == 0;
}

bool rank_crash_begin(rank_answer *answer, void *stack)
{
    mine = answer;
    stack_t alternate = {.ss_sp = stack, .ss_size = RANK_CRASH_STACK};
    return sigaltstack(&alternate, NULL) == 0;
}

void rank_crash_done(void)
{
    stack_t none = {.ss_flags = SS_DISABLE};
    (void)sigaltstack(&none, NULL);
    mine = NULL;
}
