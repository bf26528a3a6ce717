/* workers.h: many independent jobs on as many processes as there are cores. Each worker is a fork: it has what its
 * parent had in memory, and what a job breaks stays in its process. */
#ifndef CONFORMANCE_CLI_WORKERS_H
#define CONFORMANCE_CLI_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

#define WORKERS_RESULT_MOST 2048 /* bytes of a result: it has to go through a pipe in one piece */

typedef struct workers_task {
    size_t jobs;
    size_t result_size;
    void *context;
    /* In a worker: fills in result, which is all zeros. */
    void (*work)(void *context, size_t job, void *result);
    /* In the caller's process, as results come in, in any order. */
    void (*done)(void *context, size_t job, const void *result);
} workers_task;

/* Every job once. False: the kit could not do its work, message says why; jobs whose worker died have no result. */
bool workers_run(const workers_task *task, char *message, size_t message_size);

#endif
