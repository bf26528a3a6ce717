/* rank_run.h: what one rank does in a run, whether it is a process (runner_rank.c) or a thread (rank_threads.c): it
 * drives the port through a case or a scenario, and leaves what came of it in the run's folder: answer (rank_answer.h),
 * result, notes.
 */
#ifndef CONFORMANCE_HARNESS_RANK_RUN_H
#define CONFORMANCE_HARNESS_RANK_RUN_H

#include "harness/case.h"
#include "harness/rank_answer.h"
#include "psgd/comm.h"

typedef struct rank {
    const char *folder;
    const test_case *c; /* a case, or */
    const scenario *s;  /* a scenario, or neither: the port is only described */
    bool seeded;        /* as drive_options has it */
    const psgd_implementation *table;
    rank_answer *answer;
    psgd_comm comm;
    psgd_processes *processes; /* the group: one of these, the other is null */
    psgd_threads *threads;
} rank;

/* Runs the case or the scenario. False: the kit failed; the answer has the reason. */
bool rank_run(rank *r);
/* From now on no peer waits for this rank. */
void rank_give_up(rank *r);

/* Sets the answer's ending; gives back ok. */
bool rank_ends(rank_answer *answer, rank_ending ending, bool ok);
/* The port is there: the answer gets what the table says of itself. */
void rank_has_loaded(rank_answer *answer, const psgd_implementation *table);

#endif
