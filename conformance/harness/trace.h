/* trace.h: what a run of a port left behind, whichever way it came in (C ABI, files, MPI). The judge reads traces only.
 */
#ifndef CONFORMANCE_HARNESS_TRACE_H
#define CONFORMANCE_HARNESS_TRACE_H

#include "psgd/psgd.h"

static inline bool dtype_is_half(psgd_dtype dtype)
{
    return dtype == PSGD_F16 || dtype == PSGD_BF16;
}

/* One array of values, raw in its type. data is null where the port did not show it. */
typedef struct values {
    psgd_dtype dtype;
    size_t count;
    void *data; /* malloc'ed, owned */
} values;

double values_get(const values *v, size_t i);             /* as double, exact */
void values_set(values *v, size_t i, double x);           /* rounded to nearest, ties to even */
void values_to_double(double *out, const values *v);      /* out[v->count] */
bool values_equal_bits(const values *a, const values *b); /* same type, count and bits */
bool values_allocate(values *v, psgd_dtype dtype, size_t count);
void values_free(values *v);

typedef enum rank_outcome {
    RANK_OK,
    RANK_UNSUPPORTED,
    RANK_ERROR,   /* the port returned an error: status, message */
    RANK_CRASHED, /* died of a signal, or ended without a result */
    RANK_TIMED_OUT,
    RANK_ABSENT /* no result at all was found */
} rank_outcome;

typedef struct trace_rank {
    rank_outcome outcome;
    psgd_status status; /* of the failed call */
    char *message;      /* owned, may be null */
    int64_t steps_done;
    bool guard_bytes_intact; /* C ABI: nothing was written outside the bucket */
    bool reports_guard;      /* false: this way in cannot see it */
} trace_rank;

typedef struct trace_statistics {
    bool shown;
    psgd_statistics value;
} trace_statistics;

/* Everything is indexed [step][bucket][rank] or [step][bucket][tensor], flat: see the accessors. */
typedef struct trace {
    char *producer, *version; /* owned */
    uint64_t claims;          /* what the port says of itself */
    bool q_given;             /* the Q handed in was used */
    int64_t steps;
    size_t bucket_count;
    const size_t *tensor_counts; /* [bucket_count]; owned */
    int world;
    trace_rank *ranks;            /* [world] */
    values *out, *error;          /* [steps][bucket_count][world] */
    values *p, *q;                /* [steps][sum of tensor_counts] */
    trace_statistics *statistics; /* [steps], after the step's last bucket */
    int64_t *wire;                /* [steps][world] elements handed to all-reduce by that rank; -1: not observed */
    char **log;                   /* [log_count] lines of rank 0's log callback, each "STEP\tLINE"; owned */
    size_t log_count;
    bool has_log;
} trace;

/* An empty trace of these dimensions; null without memory. */
trace *trace_create(int64_t steps, size_t bucket_count, const size_t *tensor_counts, int world);
void trace_free(trace *t);

values *trace_out(const trace *t, int64_t step, size_t bucket, int rank);
values *trace_error(const trace *t, int64_t step, size_t bucket, int rank);
values *trace_p(const trace *t, int64_t step, size_t bucket, size_t tensor);
values *trace_q(const trace *t, int64_t step, size_t bucket, size_t tensor);

/* Moves what `part` holds (one rank's trace of the same run) into `whole`; part is left without it. p, q and statistics
 * that two parts both hold must have the same bits: false, with a message, if they differ or do not fit. What a rank
 * shows of itself (outcome, out, error, wire) is moved even when a factor differs; whole then keeps the factor that
 * came first. */
bool trace_merge(trace *whole, trace *part, int rank, char *message, size_t message_size);

#endif
