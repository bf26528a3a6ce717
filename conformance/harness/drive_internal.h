/* drive_internal.h: what runner_drive.c (a run: create, steps, checkpoints, destroy) and drive_step.c (one step) share.
 * Private to them.
 */
#ifndef CONFORMANCE_HARNESS_DRIVE_INTERNAL_H
#define CONFORMANCE_HARNESS_DRIVE_INTERNAL_H

#include "harness/drive_buffer.h"
#include "harness/drive_q.h"
#include "harness/runner_drive.h"
#include "harness/watched_comm.h"

typedef struct drive_flight { /* a bucket between submit and wait: its buffer is the port's */
    drive_buffer buffer;
    psgd_bucket bucket; /* as it was handed over; spoilt after submit, which may not keep it */
    psgd_request *request;
} drive_flight;

typedef struct drive {
    trace *t;
    const test_case *c;
    psgd_implementation port;
    const drive_options *options;
    watched_comm comm;
    psgd_comm outer, given; /* what the port got, and a copy that is spoilt after create, which may not keep it */
    drive_q q;
    psgd_config config; /* the same */
    psgd_state *state;
    drive_flight *flights; /* [bucket_count]; null unless the case is async */
    int rank;
    int64_t step; /* being done */
    size_t bucket;
    const char *at; /* what the port was last asked for */
    bool kit_failed;
    bool log_lost;
    char *message; /* why the kit failed */
    size_t message_size;
} drive;

/* What the port is asked for now, in this step and bucket. */
void drive_at(drive *d, const char *what);
/* True if all ranks came through the last call. */
bool drive_all_well(drive *d, bool ok);

/* These return false. The kit itself failed; this rank's run ends (the first reason stands); the same for a call of the
 * port, with the port's own words. */
bool drive_kit_failed(drive *d, const char *why);
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool drive_rank_fails(drive *d, psgd_status status, const char *format, ...);
bool drive_call_fails(drive *d, psgd_status status, const char *call);

/* All buckets of the step d->step, and what is read from the state after them. False: the run is over. */
bool drive_step(drive *d);
/* Makes and releases d->flights; release when the port no longer has them. */
bool drive_flights_make(drive *d);
void drive_flights_free(drive *d);

#endif
