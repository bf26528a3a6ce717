/* model.h: the high-precision PowerSGD that judges. In double, on mean matrices and projectors, by GSL's QR, SVD and
 * BLAS; shares nothing with ref/ but the seeded draws. A step depends on the ranks only through Mbar = mean_k (G_k +
 * E_k). */
#ifndef CONFORMANCE_JUDGE_MODEL_H
#define CONFORMANCE_JUDGE_MODEL_H

#include "harness/case.h"

/* One compressed tensor, one step. Shapes: mbar [n m], q [m r] as it stood before it is orthogonalised. */
typedef struct model_input {
    size_t n, m, r;
    const double *mbar, *q;
    psgd_dtype dtype;            /* of the port: decides u and, with r, Gram-Schmidt or QR */
    double epsilon;              /* added to column norms, Gram-Schmidt only */
    int world;                   /* P is summed over the ranks before epsilon meets its norms */
    bool q_is_orthonormal_basis; /* q only spans the right space (from outputs alone): skip its orthogonalisation by
                                    epsilon's rule */
} model_input;

typedef struct model_output {
    double *p, *q, *out; /* [n r], [m r] (averaged), [n m]; owned */
    bool gram_schmidt;   /* r <= 2 or a half type */
    /* ||Mbar||_2 ||Q||_2 / (sigma_min(Mbar Q) + epsilon / world), Q as orthogonalised (norm 1 unless epsilon > 0); the
     * factors of the numerator, and their product, are no smaller than what makes u times it the rounding of denormals;
     * epsilon counts on the Gram-Schmidt path only, where it is added to the norms of world * Mbar Q. With epsilon = 0
     * it is infinite if Mbar Q is deficient up to double's rounding. NaN where what goes in, or Mbar Q, is not finite.
     * On the Gram-Schmidt path times the condition number of the directions of q's columns, which is near 1 unless q is
     * nearly deficient itself: what q's own orthogonalisation loses is lost for good. */
    double kappa;
    double
        gamma; /* 1 + ||(Mb Q)^+ Mb||_2 + ||(Mb Q)^+||_2 ||(I - Pi) Mb||_2, (I - Pi) Mb = Mb - out; epsilon as above */
    bool reference_inaccurate; /* Gram-Schmidt path and kappa u > 0.1 (NaN counts): only the invariants are judged */
} model_output;

/* False without memory. A deficient Mbar Q is no failure. QR path: P is completed to an orthonormal basis, as by
 * LAPACK; out is well-defined all the same where Mbar has no more range than Mbar Q (the generic case), and else
 * depends on rounding: gamma and K_t are large there. Gram-Schmidt path: a column that is exactly zero when its turn
 * comes gives NaN with epsilon = 0, zero with epsilon > 0. */
bool model_step(model_output *result, const model_input *input);
void model_output_free(model_output *result);

/* Machine epsilon u of a type, as the limits have it: f32 2^-23, f64 2^-52, f16 2^-10, bf16 2^-7. */
double type_epsilon(psgd_dtype dtype);
/* The type's smallest denormal number: where rounding stops being relative. */
double type_smallest(psgd_dtype dtype);
/* Its largest finite one. */
double type_largest(psgd_dtype dtype);

/* The epsilon that the variant uses in this type: 0 if flattened, and where the type's rounding leaves nothing of it
 * (1e-8 in f16): added to a norm of zero it is still zero, and the hook divides by that. */
double epsilon_in_use(const psgd_config *config, psgd_dtype dtype);

/* A free-running model of a whole case, started from the case's q0 alone. */
typedef struct model_run {
    double **out;  /* [steps * bucket_count][numel]: the mean result */
    double **p;    /* [steps * tensors]: [n r] of compressed tensors, else null */
    double **q;    /* [steps * tensors]: [m r] averaged */
    double *kappa; /* [steps * tensors]: largest kappa of this tensor up to this step; 0 where not compressed */
    /* [steps * tensors]: K_t, see SPEC.md, the limits; infinite where it cannot be measured because the noise changes
     * out by more than 1 %; 0 where not compressed, and where out stays exactly zero whatever the noise: then a port's
     * must be zero too, and there is no ratio. */
    double *amplification;
    double *scale;              /* [steps * tensors]: S = sqrt(mean_k ||M_k||_F^2), E_k as the hook defines it */
    bool *reference_inaccurate; /* [steps * tensors]: at this step or before */
} model_run;

/* noise_runs: how many noisy repetitions K_t is taken from (6). Noise uniform in +-L relative (amplification.c), after
 * every operation, seeded by the case. False without memory. Non-finite input gives non-finite output, never a failure.
 * Where the case lacks a q0 that is needed, the tensor's results are NaN from there on. Flattened variant: what is per
 * tensor stands at the bucket's first tensor; r > side gives NaN. */
bool model_run_case(model_run *run, const test_case *c, int noise_runs);
/* The same, out only and without noise, of a flattened variant that is wrong: it forgets the error of the padding. */
bool model_run_forgetful(model_run *run, const test_case *c);
void model_run_free(model_run *run, const test_case *c);

#endif
