/* psgd.h: the PowerSGD API, which is also the plug-in ABI of psgd-conform.
 *
 * The reference, the fast CPU and the CUDA implementation, the kit's faulty one and every third-party port offer the
 * same table of functions, psgd_implementation. A caller picks a table, creates one state per rank, and calls step()
 * once per bucket and iteration; step() replaces the bucket's local gradients by their compressed mean over the ranks,
 * in place.
 *
 * Notation as in Vogels, Karimireddy, Jaggi, "PowerSGD", arXiv 1905.13727, and PyTorch's powerSGD_hook: a tensor of
 * shape (d0, d1, ...) is the row-major matrix M of n = d0 rows and m = d1 d2 ... columns (1 if there are none); r =
 * min(n, m, matrix_approximation_rank).
 *
 * No function prints, exits, or keeps global state. Different states may be used from different threads at once; one
 * state may not. A plug-in needs nothing but this header: what is not a type is static inline.
 */
#ifndef PSGD_PSGD_H
#define PSGD_PSGD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PSGD_ABI 1u

/* After any failure not marked "nothing was changed" the contents of the bucket's data are unspecified. */
typedef enum psgd_status {
    PSGD_OK = 0,
    /* Null or out of range; the message names the argument. Nothing was changed, *data included. */
    PSGD_ERR_ARGUMENT = 10,
    /* The configuration contradicts itself. */
    PSGD_ERR_CONFIG = 20,
    /* The bucket is not the one that the state remembers under its index. Nothing was changed. */
    PSGD_ERR_LAYOUT = 30,
    /* Not offered by this implementation: the kit skips the case and lists it (never under claim TORCH). All ranks say
     * so alike; step only for a bucket that it has not yet compressed. */
    PSGD_ERR_UNSUPPORTED = 40,
    /* Nothing was changed and no collective was started: step allocates all it needs first. */
    PSGD_ERR_MEMORY = 50,
    /* A collective failed: the state is as it was before the call, or broken from now on. */
    PSGD_ERR_COMM = 60,
    /* An earlier failure left this state unusable: destroy it, or load a checkpoint. */
    PSGD_ERR_BROKEN = 61,
    /* A file can't be read or written. */
    PSGD_ERR_IO = 70,
    /* Not a checkpoint of this version, corrupt, or of another configuration or rank. */
    PSGD_ERR_FORMAT = 71,
    /* The machine has no device that this implementation can use. */
    PSGD_ERR_NO_DEVICE = 80,
    /* The device failed. */
    PSGD_ERR_DEVICE = 81
} psgd_status;

/* F16 is binary16 of IEEE 754, BF16 the upper half of a binary32; half.h converts both. What a state keeps from step to
 * step (P, Q, the error) has its bucket's type. In half types matrix products and norms are accumulated in float or
 * wider and rounded once; under claim TORCH all else is rounded after each operation, and Gram-Schmidt orthogonalises
 * whatever r is. */
typedef enum psgd_dtype { PSGD_F32 = 1, PSGD_F64 = 2, PSGD_F16 = 3, PSGD_BF16 = 4 } psgd_dtype;

typedef enum psgd_variant {
    PSGD_LAYERWISE = 1, /* PyTorch's powerSGD_hook: one low-rank approximation per tensor */
    /* PyTorch's batched_powerSGD_hook: one per bucket, its elements row by row and then zeros in a square of side
     * ceil(sqrt(length)); P and Q are side x r each. The result is P Q^T cut back to the bucket's length; the error is
     * the whole square's: that of the padding is kept and added in the next step like any other. Neither
     * orthogonalization_epsilon nor min_compression_rate nor batch_tensors_with_same_shape counts.
     * matrix_approximation_rank is not clipped: above the side it is PSGD_ERR_ARGUMENT at the bucket's compressed
     * steps (for an empty bucket, whose side is 0, always). */
    PSGD_FLATTENED = 2
} psgd_variant;

/* What an implementation claims, and so is tested for (conformance/SPEC.md). */
typedef enum psgd_claim {
    PSGD_CLAIM_CORE = 1 << 0,
    PSGD_CLAIM_ERROR_FEEDBACK = 1 << 1,
    PSGD_CLAIM_WARM_START = 1 << 2,
    /* State for state like PyTorch's hook, seeded Q included (but for half types, where PyTorch has no settled rule);
     * needs peek. */
    PSGD_CLAIM_TORCH = 1 << 3,
    PSGD_CLAIM_FLATTENED = 1 << 4,
    PSGD_CLAIM_MULTIRANK = 1 << 5,
    PSGD_CLAIM_SUBGROUP = 1 << 6,
    PSGD_CLAIM_CHECKPOINT = 1 << 7,
    PSGD_CLAIM_F64 = 1 << 8,
    PSGD_CLAIM_F16 = 1 << 9,
    PSGD_CLAIM_BF16 = 1 << 10,
    PSGD_CLAIM_DETERMINISM = 1 << 11,
    PSGD_CLAIM_ASYNC = 1 << 12,
    /* Instead of the layerwise step: one product and one all-reduce a step, the sides in turn. */
    PSGD_CLAIM_ALTERNATING = 1 << 13
} psgd_claim;

/* Where a struct begins with struct_size, its maker sets that to the sizeof that it was compiled with. A field that
 * does not lie wholly within struct_size is absent: it counts as 0, in psgd_config as its default. So a struct can grow
 * at its end, and old callers and new implementations (or the reverse) still understand each other. A struct too short
 * for what a call cannot do without, in psgd_config the variant, is refused: PSGD_ERR_ARGUMENT. */

/* Collectives of one process group, supplied by the caller (comm.h has self, processes and threads, comm_mpi.h MPI).
 * All ranks call in the same order: an implementation starts collectives in an order that depends only on the sequence
 * of its step/submit/wait calls, never on what completed first. Buffers are host memory unless flags has
 * PSGD_COMM_DEVICE. */
#define PSGD_COMM_DEVICE 1u
typedef struct psgd_comm {
    uint32_t struct_size;
    uint32_t flags; /* PSGD_COMM_DEVICE or 0 */
    void *context;
    int32_t rank; /* 0 .. size-1 */
    int32_t size; /* of the group: the divisor of every mean */
    /* data[count] becomes the sum over the group's ranks, the same bits on each. count may be 0, data then null: such a
     * call is made on every rank all the same. data is aligned to its element's size. */
    psgd_status (*allreduce_sum)(void *context, void *data, size_t count, psgd_dtype dtype);
    /* Non-blocking: start, then test (moves things on) as often as one likes, then wait, which frees the request, on
     * failure too: it is due even if test said done, or failed. Several may be under way, blocking calls between them;
     * waits may come in any order. All null if not offered. */
    psgd_status (*start_allreduce_sum)(void *context, void *data, size_t count, psgd_dtype dtype, void **request);
    psgd_status (*test)(void *context, void *request, bool *done);
    psgd_status (*wait)(void *context, void *request);
} psgd_comm;

/* Where a fresh Q comes from. draw() writes q, an m x r row-major matrix of standard normals, elements of the dtype, in
 * host memory, not orthogonalised. It is a pure function of its arguments, the same on every rank: step counts from 0,
 * plain iterations included; tensor is the index within the bucket (with same-shape batching too; 0 for the flattened
 * variant, where m is the side). Called only from the thread that is in step() or submit(). */
typedef struct psgd_q_source {
    void *context;
    psgd_status (*draw)(void *context, uint64_t step, size_t bucket, size_t tensor, psgd_dtype dtype, size_t m,
                        size_t r, void *q);
} psgd_q_source;

typedef struct psgd_config {
    uint32_t struct_size;
    uint32_t variant;                  /* psgd_variant */
    int64_t matrix_approximation_rank; /* >= 1 */
    /* Iterations of plain averaging first, >= 0. TORCH: > 1 if error feedback or warm start is on. */
    int64_t start_iter;
    double min_compression_rate;      /* finite, >= 0; a tensor is compressed iff (n + m) r * rate < n m */
    double orthogonalization_epsilon; /* finite, >= 0, added to each column's norm (Gram-Schmidt only) */
    bool use_error_feedback;
    bool warm_start;
    bool batch_tensors_with_same_shape;          /* may change which normals are drawn; nothing else in the results */
    uint32_t random_seed;                        /* the same on every rank */
    int64_t compression_stats_logging_frequency; /* iterations; below 1 counts as 1 */
    /* Null: under claim TORCH the seeded chain of PyTorch's hook (f32 and f64), else the implementation's own. An
     * implementation that can't take one answers PSGD_ERR_UNSUPPORTED in create. */
    const psgd_q_source *q_source;
    /* Null: silent. A report is the line "statistics iter=N before=N after=N rate=X" (no new line at its end); other
     * lines start otherwise. Called from within step, submit or wait only; it must not call the state. */
    void (*log)(void *context, const char *line);
    void *log_context;
} psgd_config;

/* The hook's defaults. */
static inline psgd_config psgd_config_default(void)
{
    psgd_config config;
    memset(&config, 0, sizeof config); /* "= {0}" is a warning in C++ */
    config.struct_size = (uint32_t)sizeof config;
    config.variant = PSGD_LAYERWISE;
    config.matrix_approximation_rank = 1;
    config.start_iter = 1000;
    config.min_compression_rate = 2;
    config.use_error_feedback = true;
    config.warm_start = true;
    config.compression_stats_logging_frequency = 10000;
    return config;
}

typedef struct psgd_shape {
    size_t ndim;
    const size_t *dims;
} psgd_shape;

/* One bucket of gradients: tensors back to back in data, in the order of shapes. Layout may change during the plain
 * iterations (frameworks rebuild buckets after the first); from a bucket's first compressed step on it is fixed, unless
 * error feedback and warm start are both off. */
typedef struct psgd_bucket {
    uint32_t struct_size;
    uint32_t dtype; /* psgd_dtype */
    size_t index;
    bool is_last; /* the last bucket of this iteration */
    /* In: local gradients; out: their mean over the ranks, exact or compressed. Aligned to its element's size only. */
    void *data;
    size_t tensor_count;
    const psgd_shape *shapes;
} psgd_bucket;

/* Elements of all buckets since the first compressed step. A tensor counts n m before, and (n + m) r or, uncompressed,
 * n m after; a bucket of the flattened variant its length before, and 2 side r after. */
typedef struct psgd_statistics {
    double compression_rate; /* before / after; 0 if nothing was counted */
    uint64_t numel_before_compression;
    uint64_t numel_after_compression;
} psgd_statistics;

typedef enum psgd_part {
    /* The bucket's error on this rank, flat (flattened variant: with its padding); tensor is ignored. */
    PSGD_PART_ERROR = 1,
    /* n x r, row-major: the orthonormal factor of the last compressed step. Flattened variant: tensor 0, n = m = side.
     */
    PSGD_PART_P = 2,
    /* m x r, row-major: the averaged factor that the next step starts from. */
    PSGD_PART_Q = 3
} psgd_part;

/* The memory that bucket data lives in, where that is not host memory. */
typedef struct psgd_memory {
    void *context;
    void *(*allocate)(void *context, size_t bytes);
    void (*release)(void *context, void *data);
    psgd_status (*upload)(void *context, void *device, const void *host, size_t bytes);
    psgd_status (*download)(void *context, void *host, const void *device, size_t bytes);
} psgd_memory;

typedef struct psgd_state psgd_state;
typedef struct psgd_request psgd_request;

typedef struct psgd_implementation {
    uint32_t struct_size;
    uint32_t abi; /* PSGD_ABI */
    const char *name;
    const char *version;
    uint64_t claims; /* psgd_claim bits */

    /* Required. create copies *config and *comm; what they point to must outlive the state. On failure *state is null
     * and message[message_size] (may be null) gets the reason. */
    psgd_status (*create)(const psgd_config *config, const psgd_comm *comm, psgd_state **state, char *message,
                          size_t message_size);
    psgd_status (*step)(psgd_state *state, const psgd_bucket *bucket);
    void (*destroy)(psgd_state *state); /* null is allowed */

    /* Optional: null if not offered. */
    /* step() = submit + wait. A submit that fails leaves *request null and nothing to wait for. Between the two bucket
     * data belongs to the implementation; *bucket and its shapes are read within submit only. Several buckets may be
     * pending, of the next iteration too, and are waited for in any order, the same on all ranks. The iteration counter
     * advances at the submit of the last bucket. wait frees the request, on failure and on a broken state too (where it
     * may give PSGD_ERR_BROKEN even if this bucket's own sums had come), and gives PSGD_ERR_ARGUMENT for one that is
     * not pending, as far as that can be known. While a request is pending, step, submit of the same bucket, peek,
     * statistics, save and load give PSGD_ERR_ARGUMENT, nothing changed; destroy first completes what is pending (all
     * ranks must). */
    psgd_status (*submit)(psgd_state *state, const psgd_bucket *bucket, psgd_request **request);
    psgd_status (*wait)(psgd_state *state, psgd_request *request);
    /* Writes elements of the bucket's dtype to host memory, aligned to an element's size; bytes must be exactly theirs.
     * bucket is a psgd_bucket.index. PSGD_ERR_ARGUMENT for a tensor that is not compressed or a bucket not compressed
     * yet. What the configuration does not keep (E without error feedback, P and Q without warm start): the last step's
     * values, zeros for E, or PSGD_ERR_ARGUMENT. */
    psgd_status (*peek)(const psgd_state *state, psgd_part part, size_t bucket, size_t tensor, void *data,
                        size_t bytes);
    psgd_status (*statistics)(const psgd_state *state, psgd_statistics *statistics);
    /* Per rank, not collective: one path per rank, rank and size stored and checked. save is atomic; a failed load
     * leaves the state as it was. This project's format is ref/core/CHECKPOINT.md; a port may have its own. */
    psgd_status (*save)(const psgd_state *state, const char *path);
    psgd_status (*load)(psgd_state *state, const char *path);
    /* In words, of this state's last failed call; "" if none has failed. Valid until the state's next call. */
    const char *(*last_error)(const psgd_state *state);
    const psgd_memory *memory; /* null: host memory */
} psgd_implementation;

/* The one symbol that a plug-in module exports. (Libraries that are linked have psgd_ref(), psgd_fast(), psgd_cuda() in
 * psgd/ref.h, fast.h, cuda.h instead.) */
#if defined(__GNUC__)
#define PSGD_EXPORT __attribute__((visibility("default")))
#else
#define PSGD_EXPORT
#endif
PSGD_EXPORT const psgd_implementation *psgd_implementation_entry(void);

/* "PSGD_ERR_ARGUMENT" and so on; "unknown" for any other value. */
static inline const char *psgd_status_name(psgd_status status)
{
    switch (status) {
    case PSGD_OK: return "PSGD_OK";
    case PSGD_ERR_ARGUMENT: return "PSGD_ERR_ARGUMENT";
    case PSGD_ERR_CONFIG: return "PSGD_ERR_CONFIG";
    case PSGD_ERR_LAYOUT: return "PSGD_ERR_LAYOUT";
    case PSGD_ERR_UNSUPPORTED: return "PSGD_ERR_UNSUPPORTED";
    case PSGD_ERR_MEMORY: return "PSGD_ERR_MEMORY";
    case PSGD_ERR_COMM: return "PSGD_ERR_COMM";
    case PSGD_ERR_BROKEN: return "PSGD_ERR_BROKEN";
    case PSGD_ERR_IO: return "PSGD_ERR_IO";
    case PSGD_ERR_FORMAT: return "PSGD_ERR_FORMAT";
    case PSGD_ERR_NO_DEVICE: return "PSGD_ERR_NO_DEVICE";
    case PSGD_ERR_DEVICE: return "PSGD_ERR_DEVICE";
    }
    return "unknown";
}

static inline size_t psgd_dtype_size(uint32_t dtype)
{
    return dtype == PSGD_F64 ? 8 : dtype == PSGD_F32 ? 4 : dtype == PSGD_F16 || dtype == PSGD_BF16 ? 2 : 0;
}

#ifdef __cplusplus
}
#endif
#endif
