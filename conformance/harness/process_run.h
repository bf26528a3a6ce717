/* process_run.h: one run of rank processes, from its private folder to what the ranks left in it. Internal to
 * runner_processes.c, process_run.c and process_trace.c.
 */
#ifndef CONFORMANCE_HARNESS_PROCESS_RUN_H
#define CONFORMANCE_HARNESS_PROCESS_RUN_H

#include "harness/children.h"
#include "harness/rank_answer.h"
#include "harness/runner.h"

#define PROCESS_OUTPUT_SHOWN 2048 /* bytes of a failed rank's printed text that go into its message */
#define PROCESS_TEXT_SIZE    (PROCESS_OUTPUT_SHOWN + 256)

typedef struct processes {
    runner base;
    char *kit;
    char *implementation;
    double timeout;
    char *folder; /* private; made at the first run */
    uint64_t runs;
    const volatile sig_atomic_t *interrupted;
} processes;

/* One group of ranks with one task. With neither a case nor a scenario it describes the port. */
typedef struct process_task {
    char *folder;
    const test_case *c; /* or null */
    char *case_file;
    const scenario *s; /* or null */
    bool seeded;
    int size;
    psgd_processes *group;
    child *children;      /* [size], part of the run's */
    rank_answer *answers; /* [size] */
} process_task;

/* A case on a subgroup has two tasks at a time: the group's, and that of the other ranks of the world. */
typedef struct process_run {
    process_task tasks[2];
    int count;
    child *children;
    int ranks;
} process_run;

/* Runs the tasks (size, c or s, seeded filled in) to their end. RUN_DONE: every rank loaded the port, and how each
 * ended is in children and answers. process_run_free is called in any case. */
run_result process_run_all(processes *r, process_run *u, char *message, size_t message_size);
void process_run_free(process_run *u);

/* "ended by signal SIGSEGV in step of step 3, bucket 0; its last words: ...". text: [PROCESS_TEXT_SIZE] */
void process_ending(char *text, size_t size, const child *c, const rank_answer *a);

/* The trace of a case's task after process_run_all; null, and *result not RUN_DONE, if it cannot be had. */
trace *process_trace(process_task *t, run_result *result, char *message, size_t message_size);

#endif
