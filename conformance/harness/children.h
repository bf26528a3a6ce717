/* children.h: the processes of one run: started together, watched until all have ended or their time is up.
 *
 * Each child is the leader of a process group of its own (runner_rank.c sees to that), so that whatever a port starts
 * ends with it. A child's end shows as the end of a pipe that it inherited: no signal handler, no busy wait.
 */
#ifndef CONFORMANCE_HARNESS_CHILDREN_H
#define CONFORMANCE_HARNESS_CHILDREN_H

#include "psgd/comm.h"

#include <signal.h>

typedef struct child {
    psgd_processes *group; /* not owned */
    char *output;          /* file that its standard output and error go to; owned */
    int64_t pid;
    int pipe; /* read end; -1: closed */
    bool running;
    bool timed_out; /* killed because the time was up */
    bool flooded;   /* killed because it printed without end */
    int status;     /* as waitpid gives it */
} child;

typedef enum children_result { CHILDREN_ENDED, CHILDREN_INTERRUPTED } children_result;

/* Starts argv (see psgd_processes_start) as this rank of group; output is copied. False: message. */
bool child_start(child *c, psgd_processes *group, int rank, char *const argv[], const char *output, char *message,
                 size_t message_size);

/* Waits until all have ended. One that ends fails its group, so that its peers return. After
 * timeout_seconds, or when *interrupted becomes non-zero (may be null), all are killed. */
children_result children_wait(child *children, int count, double timeout_seconds,
                              const volatile sig_atomic_t *interrupted);
/* Kills what still runs, waits for it, and frees. */
void children_free(child *children, int count);

/* "signal SIGSEGV", "exit code 3": how a child ended. */
void child_ending(char *text, size_t size, const child *c);

#endif
