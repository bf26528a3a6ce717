/* runner_drive.h: drives a port through one case as one rank, and writes down what it shows. Used by every way of
 * having ranks; knows nothing of processes or MPI.
 */
#ifndef CONFORMANCE_HARNESS_RUNNER_DRIVE_H
#define CONFORMANCE_HARNESS_RUNNER_DRIVE_H

#include "harness/case.h"

typedef struct drive_options {
    bool seeded;        /* the port draws its own Q; else the case's q0 is handed in */
    const char *folder; /* of this run, for a case that saves and loads; may be null for others */
    /* Called before everything that the port is asked to do, so that it is known what a rank was at when it died. May
     * be null. what: "step", "an all-reduce of 960 elements", ... */
    void (*progress)(void *context, int64_t step, size_t bucket, const char *what);
    /* Called after every call in which a rank can fail: true if all ranks came through (and ok is true). May be null:
     * the communicator itself then tells the peers. */
    bool (*all_well)(void *context, bool ok);
    void *context;
} drive_options;

/* Fills *t (made for this case, empty) with what rank comm->rank of the port did: its outcome and message, out, error,
 * wire; p, q, statistics and log lines on rank 0 only. A port that fails ends its rank's run there. False: the kit
 * failed (no memory); message says where. */
bool drive_case(trace *t, const test_case *c, const psgd_implementation *table, const psgd_comm *comm,
                const drive_options *options, char *message, size_t message_size);

#endif
