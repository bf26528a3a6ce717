/* children.c: see children.h. */
#include "harness/children.h"

#include "harness/message.h"
#include "harness/signal_name.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TICK_MILLISECONDS 20                        /* how late, at worst, an end is seen that the pipe does not show */
#define MOST_OUTPUT       ((off_t)64 * 1024 * 1024) /* bytes that a child may print */

bool child_start(child *c, psgd_processes *group, int rank, char *const argv[], const char *output, char *message,
                 size_t message_size)
{
    *c = (child){.group = group, .pipe = -1, .pid = -1};
    int ends[2];
    c->output = strdup(output);
    if (c->output == NULL)
        return refuse(message, message_size, "no memory to start rank %d", rank);
    if (pipe(ends) != 0)
        return refuse(message, message_size, "no pipe for rank %d: %s", rank, strerror(errno));
    c->pipe = ends[0];
    /* The write end is inherited by this child alone: it is closed here before the next one is started. */
    bool ok = fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0;
    if (!ok)
        (void)refuse(message, message_size, "no pipe for rank %d: %s", rank, strerror(errno));
    else
        ok = psgd_processes_start(group, rank, argv, &c->pid, message, message_size) == PSGD_OK;
    (void)close(ends[1]);
    c->running = ok;
    return ok;
}

static double now(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The process is gone but not yet waited for: its number, and so its group's, cannot have been given away. */
static void reap(child *c)
{
    (void)kill(-(pid_t)c->pid, SIGKILL); /* what the port started and left behind */
    while (waitpid((pid_t)c->pid, &c->status, 0) < 0 && errno == EINTR)
        ;
    c->running = false;
    if (c->pipe >= 0)
        (void)close(c->pipe);
    c->pipe = -1;
    psgd_processes_fail(c->group); /* whoever waits for this rank now waits in vain, however well it ended */
}

static bool has_ended(const child *c)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == (pid_t)c->pid;
}

static void kill_and_reap(child *c)
{
    (void)kill((pid_t)c->pid, SIGKILL);
    siginfo_t info;
    while (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    reap(c);
}

static void check(child *c)
{
    struct stat output;
    if (has_ended(c)) {
        reap(c);
    } else if (stat(c->output, &output) == 0 && output.st_size > MOST_OUTPUT) {
        c->flooded = true;
        kill_and_reap(c);
    }
}

/* Sleeps until some pipe ends, or a tick. A pipe that has ended although its process still runs is waited for by tick
 * alone. */
static void sleep_until_end(child *children, int count)
{
    struct pollfd fds[64];
    child *of[64];
    nfds_t used = 0;
    for (int i = 0; i < count && used < 64; i++)
        if (children[i].running && children[i].pipe >= 0) {
            fds[used] = (struct pollfd){.fd = children[i].pipe, .events = POLLIN};
            of[used++] = &children[i];
        }
    if (poll(fds, used, TICK_MILLISECONDS) <= 0)
        return;
    for (nfds_t i = 0; i < used; i++)
        if (fds[i].revents != 0) {
            (void)close(of[i]->pipe);
            of[i]->pipe = -1;
            /* The pipe closes a little before the process can be waited for: do so, unless it only closed the pipe. */
            for (int tries = 0; tries < 100 && !has_ended(of[i]); tries++)
                (void)nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
        }
}

static int running(child *children, int count)
{
    int left = 0;
    for (int i = 0; i < count; i++) {
        if (children[i].running)
            check(&children[i]);
        left += children[i].running ? 1 : 0;
    }
    return left;
}

children_result children_wait(child *children, int count, double timeout_seconds,
                              const volatile sig_atomic_t *interrupted)
{
    double end = now() + timeout_seconds;
    while (running(children, count) > 0) {
        bool stop = interrupted != NULL && *interrupted != 0;
        bool late = now() > end;
        if (!stop && !late) {
            sleep_until_end(children, count);
            continue;
        }
        for (int i = 0; i < count; i++)
            if (children[i].running) {
                children[i].timed_out = late;
                kill_and_reap(&children[i]);
            }
        return stop ? CHILDREN_INTERRUPTED : CHILDREN_ENDED;
    }
    return interrupted != NULL && *interrupted != 0 ? CHILDREN_INTERRUPTED : CHILDREN_ENDED;
}

void children_free(child *children, int count)
{
    for (int i = 0; i < count; i++) {
        if (children[i].running)
            kill_and_reap(&children[i]);
        if (children[i].pipe >= 0)
            (void)close(children[i].pipe);
        free(children[i].output);
        children[i] = (child){.pipe = -1};
    }
}

void child_ending(char *text, size_t size, const child *c)
{
    if (c->timed_out)
        (void)snprintf(text, size, "the time limit");
    else if (c->flooded)
        (void)snprintf(text, size, "more than %d MiB of printed text", (int)(MOST_OUTPUT >> 20));
    else if (WIFSIGNALED(c->status))
        (void)signal_name(text, size, WTERMSIG(c->status));
    else
        (void)snprintf(text, size, "exit code %d", WEXITSTATUS(c->status));
}
