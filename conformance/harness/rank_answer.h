/* rank_answer.h: what a rank tells the kit besides its result file: how far it came, what it was at, and at the end how
 * it went.
 *
 * It is a file of fixed size in the run's private folder, mapped into memory by the rank, so that what it was last at
 * survives whatever becomes of the process. Both ends are the same program, so the struct itself is the format. What a
 * result file has no place for (wire, guard bytes, status, log lines) follows in a second file, rank_notes.
 */
#ifndef CONFORMANCE_HARNESS_RANK_ANSWER_H
#define CONFORMANCE_HARNESS_RANK_ANSWER_H

#include "harness/runner.h"

typedef enum rank_ending {
    ENDING_NONE, /* the process did not come to an end by itself */
    ENDING_DONE,
    ENDING_NOT_LOADED, /* the port could not be loaded: message */
    ENDING_KIT_FAILED  /* message */
} rank_ending;

typedef struct rank_answer {
    rank_ending ending;
    bool whole;      /* for the reader's use: there was an answer */
    bool loaded;     /* the port was loaded and its table checked */
    bool ended_here; /* ranks as threads: it was in this rank's thread that the end of the process began */
    bool peer_lost;  /* a collective came back with an error: what this rank says may be a consequence */
    int64_t step;    /* where it is; -1: not in a step */
    uint64_t bucket;
    char doing[128];
    char message[1024];
    port_description port;
    scenario_outcome outcome;
} rank_answer;

/* The file <folder>/answer.k<rank>, made anew and mapped; null: message. Unmapped by rank_answer_close. */
rank_answer *rank_answer_open(const char *folder, int rank, char *message, size_t message_size);
void rank_answer_close(rank_answer *answer);
/* False: there is none, or it is not whole. */
bool rank_answer_read(rank_answer *answer, const char *folder, int rank);

void rank_answer_doing(rank_answer *answer, int64_t step, size_t bucket, const char *what);
/* Fills *port from a table. */
void rank_answer_describe(port_description *port, const psgd_implementation *table);

/* The outcome of a scenario from its ranks' answers: a failure that is no consequence of another rank's comes first. */
void rank_answers_merge(scenario_outcome *outcome, const scenario_outcome *outcomes, const bool *peer_lost, int count);

/* "<folder>/<name>.k<rank>", malloc'ed. */
char *rank_file(const char *folder, const char *name, int rank);

#endif
