/* faulty.h: state of the deliberately faulty implementation, shared by its API (faulty.c) and all that it does. */
#ifndef CONFORMANCE_MUTANTS_FAULTY_H
#define CONFORMANCE_MUTANTS_FAULTY_H

#include "core/layout.h"
#include "core/random.h"
#include "mutants/faults.h"

typedef struct faulty_bucket {
    psgd_bucket_layout layout;
    double *error;  /* [numel, flattened side^2]: zeros until there is one */
    double *p, *q;  /* packed as the layout says */
    double *spare;  /* [numel]: the error before, of a port with two buffers */
    uint64_t steps; /* compressed ones so far */
    struct faulty_bucket *next;
} faulty_bucket;

struct psgd_state {
    fault fault;
    psgd_config config;
    psgd_comm comm;
    uint64_t iteration, next_report;
    psgd_statistics counted;
    psgd_mt19937 seeds;
    psgd_torch_generator normals; /* after the last draw, of a port that seeds them once */
    bool broken;
    faulty_bucket *buckets;
    int world;               /* what the environment says of the world's size, if anything */
    size_t workspace;        /* elements of the first compressed bucket */
    size_t buckets_at_first; /* how many the first iteration had, and this one so far */
    size_t buckets_now;
    faulty_bucket *plain; /* what is kept of buckets before they are compressed */
    void *result;         /* of the last step, for a port that returns it late */
    size_t result_bytes;
    const psgd_config *callers_config;
    psgd_request *requests; /* pending, the oldest first */
    char *message;          /* [FAULTY_MESSAGE] */
};

#define FAULTY_MESSAGE 256

/* What the code can do without a fault. */
#define FAULTY_CLAIMS                                                                                                  \
    (PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_WARM_START | PSGD_CLAIM_TORCH | PSGD_CLAIM_FLATTENED |   \
     PSGD_CLAIM_MULTIRANK | PSGD_CLAIM_SUBGROUP | PSGD_CLAIM_F64 | PSGD_CLAIM_F16 | PSGD_CLAIM_BF16 |                  \
     PSGD_CLAIM_DETERMINISM | PSGD_CLAIM_CHECKPOINT | PSGD_CLAIM_ASYNC | PSGD_CLAIM_ALTERNATING)

/* The plug-in's table for the variant that the environment variable PSGD_FAULT names; null: this module (honest: that
 * of the honest variants) has none of this name. */
const psgd_implementation *faulty_implementation(const char *module, bool honest);

/* faulty_config.c: psgd_config_check, as far as this fault lets it. */
psgd_status faulty_config_check(fault f, psgd_config *checked, const psgd_config *config, char *message, size_t size);

/* faulty_lifecycle.c */
psgd_status faulty_step(psgd_state *state, const psgd_bucket *bucket);
/* What the bucket is in this iteration; or why it can't be taken then. *layout is to be freed either way. */
psgd_status faulty_accept(psgd_state *state, const psgd_bucket *bucket, uint64_t iteration, psgd_bucket_layout *layout);

/* faulty_traps.c: a step of a bucket whose layout is known, spoilt. */
typedef psgd_status faulty_work(psgd_state *state, const psgd_bucket *bucket, psgd_bucket_layout *layout);
psgd_status faulty_trapped(psgd_state *state, const psgd_bucket *bucket, psgd_bucket_layout *layout, faulty_work *work);

/* faulty_layout.c: what the bucket's matrices are in the plain phase, or after it. */
psgd_status faulty_layout_make(psgd_state *state, const psgd_bucket *bucket, bool compressing,
                               psgd_bucket_layout *layout);

/* faulty_buckets.c. The key is the index under which a bucket's memory stands. is: the layout is the memory's.
 * check_layout: may a bucket have this layout now? plain_memory: a memory for what is left before compression starts,
 * null without memory; may take over *layout. inherit: what a new memory wrongly has of the one that it replaces. */
size_t faulty_bucket_key(const psgd_state *state, const psgd_bucket_layout *layout);
bool faulty_bucket_is(const psgd_state *state, const faulty_bucket *memory, const psgd_bucket_layout *layout);
psgd_status faulty_check_layout(psgd_state *state, const psgd_bucket *bucket, const psgd_bucket_layout *layout,
                                bool compressing);
faulty_bucket *faulty_plain_memory(psgd_state *state, psgd_bucket_layout *layout);
void faulty_inherit(const psgd_state *state, faulty_bucket *made, const faulty_bucket *replaced);
void faulty_buckets_free(faulty_bucket *buckets);              /* and what follows it */
faulty_bucket *faulty_bucket_make(psgd_bucket_layout *layout); /* takes over *layout; null: no memory, *layout kept */
faulty_bucket *faulty_bucket_find(const psgd_state *state, size_t index); /* null: not compressed yet */
void faulty_bucket_free(faulty_bucket *bucket);                           /* null is allowed */

/* faulty_shows.c. count: what a compressed step of this layout adds to the statistics; the report that is due. */
void faulty_count(psgd_state *state, const psgd_bucket_layout *layout, bool is_last);
psgd_status faulty_peek(const psgd_state *state, psgd_part part, size_t index, size_t tensor, void *data, size_t bytes);
psgd_status faulty_statistics(const psgd_state *state, psgd_statistics *statistics);

/* faulty_checkpoint.c */
psgd_status faulty_save(const psgd_state *state, const char *path);
psgd_status faulty_restore(psgd_state *state, const char *path);

/* faulty_async.c. check_idle: PSGD_ERR_ARGUMENT while a request is pending, or without a state; complete: all that is
 * pending. */
psgd_status faulty_submit(psgd_state *state, const psgd_bucket *bucket, psgd_request **request);
psgd_status faulty_wait(psgd_state *state, psgd_request *request);
psgd_status faulty_check_idle(const psgd_state *state, const char *call);
void faulty_complete(psgd_state *state);

static inline bool fault_is(const psgd_state *state, fault f)
{
    return state->fault == f;
}

/* Is it a port of the alternating variant? */
bool faulty_alternates(const psgd_state *state);

/* What is added to column norms. The flattened variant adds nothing, whatever is configured. */
static inline double faulty_epsilon(const psgd_state *state)
{
    const bool ignored = state->config.variant == PSGD_FLATTENED && !fault_is(state, FAULT_FLAT_EPSILON_USED);
    return ignored ? 0 : state->config.orthogonalization_epsilon;
}

/* Where the port takes the bucket's elements to be. */
static inline void *faulty_data(const psgd_state *state, const psgd_bucket *bucket)
{
    char *const data = bucket->data;
    return fault_is(state, FAULT_ALIGNMENT_ASSUMED) ? data - (uintptr_t)data % 16 : data;
}

/* values[count] of the bucket's type as doubles, and back, rounded to nearest. */
void faulty_load(double *values, const void *elements, size_t count, psgd_dtype dtype);
void faulty_store(const psgd_state *state, void *elements, const double *values, size_t count, psgd_dtype dtype);
double faulty_round(const psgd_state *state, double value, psgd_dtype dtype);
/* The sum of a[i a_stride] b[i b_stride] over i < count, as products of matrices and norms are summed: in double. */
double faulty_dot(const psgd_state *state, const double *a, size_t a_stride, const double *b, size_t b_stride,
                  size_t count, psgd_dtype dtype);

/* The type in which P and Q travel and are kept: the bucket's, but f32 for ports that round results alone. */
psgd_dtype faulty_factor_type(const psgd_state *state, psgd_dtype dtype);

/* A fresh Q for all that is compressed, packed as the layout says, not orthogonalised. wire: room for q_numel elements.
 */
psgd_status faulty_draw(psgd_state *state, const psgd_bucket_layout *l, double *q, void *wire);

/* faulty_warm.c. start_q: the Q that a step starts from, kept or drawn. keep_factors: what is remembered of P, of the
 * averaged Q, and of this rank's own. */
psgd_status faulty_start_q(psgd_state *state, const faulty_bucket *memory, bool is_new, double *q, void *wire);
void faulty_keep_factors(const psgd_state *state, faulty_bucket *memory, const double *p, const double *q,
                         const double *local_q);

/* The compressed step. bucket: kept memory of this bucket, with room for error, p and q; is_new: nothing is in it yet.
 */
psgd_status faulty_compressed_step(psgd_state *state, const psgd_bucket *bucket, faulty_bucket *memory, bool is_new);
/* The same in the flattened variant. faulty_square_layout: what the bucket is there, from what psgd_bucket_layout_make
 * has made of it: side, sizes of error and factors. */
psgd_status faulty_square_layout(psgd_state *state, psgd_bucket_layout *layout);
psgd_status faulty_flattened_step(psgd_state *state, const psgd_bucket *bucket, faulty_bucket *memory, bool is_new);
/* values[count] become their sums over the ranks. wire[count]: room for elements of the type. */
psgd_status faulty_sum_over_ranks(psgd_state *state, double *values, size_t count, void *wire, psgd_dtype dtype);
/* values[count] /= divisor, rounded to the type. */
void faulty_divide(const psgd_state *state, double *values, size_t count, int divisor, psgd_dtype dtype);
int faulty_divisor(const psgd_state *state); /* of means over the ranks */
/* The plain mean. error[numel], where not null, grows by what it leaves of the gradients. */
psgd_status faulty_plain_step(psgd_state *state, const psgd_bucket *bucket, size_t numel, double *error);

/* columns of a[n r] orthonormal, as the hook: Gram-Schmidt with epsilon for r <= 2 and half types, else Householder QR.
 * False without memory. */
typedef enum factor_side { FACTOR_Q, FACTOR_P } factor_side;
bool faulty_orthogonalize(const psgd_state *state, factor_side side, double *a, size_t n, size_t r, psgd_dtype dtype);

#endif
