/* model_internal.h: what the model's files share and nobody else needs. Order of reading: model_step.c (one tensor, one
 * step), model_case.c (a case without its ranks), model_run.c (all steps), amplification.c (the same with noise). */
#ifndef CONFORMANCE_JUDGE_MODEL_INTERNAL_H
#define CONFORMANCE_JUDGE_MODEL_INTERNAL_H

#include "judge/model.h"

/* Emulated rounding, see amplification.c. A null pointer is allowed everywhere and means none. */
typedef struct noise noise;
/* x[count]: each element times 1 + L v, v uniform in +-1. */
void noise_apply(noise *z, double *x, size_t count);
/* The same for a[n r] as Householder QR makes it: rounding is relative to its columns, whose norms are 1, so that
 * elements that are zero here (a row of zeros, and how P is completed then) are noise elsewhere. */
void noise_apply_orthonormal(noise *z, double *a, size_t n, size_t r);
/* The same where x[count] is a mean over ranks whose own values differ: rounding is relative to them, so the noise of
 * element i is relative to sqrt(x_i^2 + spread_i), spread_i = mean_k (x_k - x)_i^2. */
void noise_apply_mean(noise *z, double *x, const double *spread, size_t count);

/* model_step with noise after every operation; conditions false: kappa, gamma and reference_inaccurate are not
 * computed. */
bool model_step_noisy(model_output *result, const model_input *input, noise *z, bool conditions);

/* calloc for a x b doubles; null on overflow or without memory, never for want of elements. */
double *model_doubles(size_t a, size_t b);

/* One matrix that is, or is not, compressed: a tensor, or in the flattened variant the whole padded bucket. */
typedef struct model_matrix {
    size_t n, m, r, offset; /* offset: of its first element in the bucket */
    bool compressed;
} model_matrix;

typedef struct model_bucket {
    size_t numel;        /* elements of the bucket */
    size_t stored;       /* with the flattened variant's padding */
    size_t first_tensor; /* of this bucket among all tensors of the case */
    size_t matrix_count; /* tensors of the bucket; flattened: at most 1 */
    model_matrix *matrices;
    bool refused; /* flattened with r > side: no port may compress it, the model's results are NaN */
} model_bucket;

/* What the model sees of a case: means over the ranks. mean and spread are indexed [step * bucket_count + bucket]. */
typedef struct model_case {
    const test_case *source;
    size_t steps, bucket_count, tensor_count;
    model_bucket *buckets;
    double **mean;        /* [stored]: mean_k G_k */
    double **spread;      /* [stored]: mean_k (M_k - Mbar)^2, element by element: what S has beyond ||Mbar||^2 */
    bool forgets_padding; /* the flattened variant done wrong: E's padding is zero */
    bool *compresses;     /* is this a compressed iteration for this bucket? */
} model_case;

bool model_case_make(model_case *mc, const test_case *c);
void model_case_free(model_case *mc);

/* Where a pass leaves its results; as in model_run. All but out may be null. */
typedef struct model_pass {
    double **out, **p, **q, **mbar; /* mbar [stored], as out */
    double *kappa;
    bool *reference_inaccurate;
} model_pass;

/* One run over all steps. False without memory; what was allocated is then in the pass all the same. */
bool model_pass_run(model_pass *pass, const model_case *mc, noise *z);

/* K_t of every compressed tensor and step: *clean is the pass without noise, scale the S of every tensor and step. */
bool model_amplification(double *amplification, const model_case *mc, const model_pass *clean, const double *scale,
                         int noise_runs);

#endif
