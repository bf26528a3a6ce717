/* faulty.h: state of the deliberately faulty implementation, shared by its API (faulty.c) and its step (faulty_step.c).
 */
#ifndef CONFORMANCE_MUTANTS_FAULTY_H
#define CONFORMANCE_MUTANTS_FAULTY_H

#include "core/layout.h"
#include "core/random.h"
#include "mutants/faults.h"

typedef struct faulty_bucket {
    psgd_bucket_layout layout;
    double *error; /* [numel]: zeros until there is one */
    double *p, *q; /* packed as the layout says */
    struct faulty_bucket *next;
} faulty_bucket;

struct psgd_state {
    fault fault;
    psgd_config config;
    psgd_comm comm;
    uint64_t iteration, next_report;
    psgd_statistics counted;
    psgd_mt19937 seeds;
    bool broken;
    faulty_bucket *buckets;
    char *message; /* [FAULTY_MESSAGE] */
};

#define FAULTY_MESSAGE 256

static inline bool fault_is(const psgd_state *state, fault f)
{
    return state->fault == f;
}

/* values[count] of the bucket's type as doubles, and back, rounded to nearest. */
void faulty_load(double *values, const void *elements, size_t count, psgd_dtype dtype);
void faulty_store(void *elements, const double *values, size_t count, psgd_dtype dtype);

/* The compressed step. bucket: kept memory of this bucket, with room for error, p and q; is_new: nothing is in it yet.
 */
psgd_status faulty_compressed_step(psgd_state *state, const psgd_bucket *bucket, faulty_bucket *memory, bool is_new);
/* The plain mean. */
psgd_status faulty_plain_step(psgd_state *state, const psgd_bucket *bucket, size_t numel);

/* columns of a[n r] orthonormal, as the hook: Gram-Schmidt with epsilon for r <= 2, else Householder QR. False without
 * memory. */
bool faulty_orthogonalize(const psgd_state *state, double *a, size_t n, size_t r, psgd_dtype dtype);

#endif
