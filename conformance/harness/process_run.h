/* process_run.h: one run of ranks in processes, from its private folder to what the ranks left in it: each rank a
 * process, or all of them threads of one. Internal to runner_processes.c, runner_threads.c, process_run.c and
 * process_trace.c.
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
    bool threads; /* the ranks of a run share one process */
    char *folder; /* private; made at the first run */
    uint64_t runs;
    const volatile sig_atomic_t *interrupted;
} processes;

struct process_run;

/* One group of ranks with one task. With neither a case nor a scenario it describes the port. */
typedef struct process_task {
    char *folder;
    const test_case *c; /* or null */
    char *case_file;
    const scenario *s; /* or null */
    bool seeded;
    int size;
    const struct process_run *run;
    psgd_processes *group; /* null if its ranks are threads of the first task's process */
    child *children;       /* [size], or the only one: see process_child */
    rank_answer *answers;  /* [size] */
} process_task;

/* A case on a subgroup has two tasks at a time: the group's, and that of the other ranks of the world. */
typedef struct process_run {
    process_task tasks[2];
    int count;
    child *children; /* [child_count] */
    int child_count;
    /* Once all have ended, of ranks that share their process: */
    bool threads;
    bool culprit_known; /* the thread is known in which the end of the process began */
    bool all_done;      /* every rank had come to its end before the process did */
} process_run;

/* Runs the tasks (size, c or s, seeded filled in) to their end. RUN_DONE: every rank loaded the port, and how each
 * ended is in children and answers. process_run_free is called in any case. */
run_result process_run_all(processes *r, process_run *u, char *message, size_t message_size);
void process_run_free(process_run *u);

/* The process of rank k. */
const child *process_child(const process_task *t, int k);
/* Rank k did not come to a good end; if so, is it known to be another rank's doing, with which it shared its process?
 */
bool process_rank_failed(const process_task *t, int k);
bool process_rank_dragged_along(const process_task *t, int k);

/* How rank k ended: "ended by signal SIGSEGV in step of step 3, bucket 0; its last words: ...". text:
 * [PROCESS_TEXT_SIZE] */
void process_ending(char *text, size_t size, const process_task *t, int k);

/* The trace of a case's task after process_run_all; null, and *result not RUN_DONE, if it cannot be had. */
trace *process_trace(process_task *t, run_result *result, char *message, size_t message_size);

#endif
