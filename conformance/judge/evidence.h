/* evidence.h: what the judge knows of one run, in double: built once per case and trace, read by every law.
 *
 * M_k = G_k + memory, where the memory is the port's own E_k of the step before if all ranks show it, else rebuilt from
 * outputs as E_k = M_k - out (mean_k E_k is then right whatever a port's definition of E). Everything is flat:
 * [step * bucket_count + bucket] or [step * tensor_count + tensor], tensors counted through all buckets.
 *
 * The flattened variant has one tensor per bucket, the padded square: side x side, of which results show the first
 * `length` elements only. M's padding is the padding of the memory (that of G is zero by definition), out's is what
 * makes conservation hold, or P Q^T; where a port shows neither, it is not known: tensor_evidence says so. What is not
 * known is zero in the arrays. */
#ifndef CONFORMANCE_JUDGE_EVIDENCE_H
#define CONFORMANCE_JUDGE_EVIDENCE_H

#include "harness/case.h"

/* One tensor as a matrix. */
typedef struct evidence_tensor {
    size_t bucket, tensor; /* tensor: within its bucket; 0 in the flattened variant */
    size_t n, m, r;        /* r = min(n, m, configured rank); flattened: the configured rank */
    size_t offset;         /* of its first element in the bucket */
    size_t length;         /* elements that the bucket holds of it: n m but for the flattened variant's padding */
    bool compressed;       /* by the rule ((n + m) r) rate < n m; flattened: always */
    bool gram_schmidt;     /* as the hook orthogonalises: r <= 2 or a half type; else Householder QR */
} evidence_tensor;

/* How far a tensor can be judged at a step. */
typedef enum regard {
    REGARD_FULL,
    REGARD_DEFICIENT, /* Gram-Schmidt, epsilon 0, Mbar numerically below rank r': NaN and zeros are both accepted */
    REGARD_EXTREME,   /* squares of its elements overflow or underflow the type: ORT-006 only */
    REGARD_NONFINITE, /* NaN or Inf went in */
    REGARD_SPOILED    /* kept state from an earlier such step decides: not judged by laws of one step */
} regard;

typedef struct tensor_evidence {
    regard regard;
    double scale;                                  /* S */
    double sigma_first, sigma_r, sigma_next, norm; /* of Mbar: sigma_1, sigma_r', sigma_{r'+1} (0 if none), ||.||_F */
    double sigma_last;                             /* of Mbar: the smallest of all */
    /* Are M, out and E known with the flattened variant's padding? True where there is none. The sigmas are those of a
     * known Mbar only. */
    bool knows_mean, knows_out, knows_error;
    bool padding_by_factors; /* out's padding is P Q^T: else E's own word */
} tensor_evidence;

typedef struct evidence {
    const test_case *c;
    const trace *t;
    double u;
    int64_t steps;     /* that every rank finished with all outputs shown and alike: the others are not judged */
    int64_t differ_at; /* first step at which ranks differ; -1: never */
    int64_t differ_bucket, differ_rank;
    size_t differ_element;
    bool plain_only; /* no step of those is compressed */
    bool flattened;
    double epsilon;           /* that the variant uses, in this type: epsilon_in_use */
    size_t tensor_count;      /* flattened: one per bucket */
    size_t case_tensors;      /* as problem strings and the model count them, all of all buckets */
    evidence_tensor *tensors; /* [tensor_count] */
    double **out;             /* [steps * bucket_count][numel, or side^2 with the padding] */
    double **gradient;        /* [...][...]: mean_k G_k */
    double **mean;            /* [...][...]: Mbar */
    double **error;           /* [...][...]: mean_k E_k as shown, null where a rank does not show it */
    tensor_evidence *at;      /* [steps * tensor_count] */
    int64_t *judged_until;    /* [tensor_count]: first step of a tensor that no stateful check may judge any more */
} evidence;

bool evidence_build(evidence *e, const test_case *c, const trace *t); /* false without memory */
void evidence_free(evidence *e);

bool evidence_is_compressed_step(const evidence *e, int64_t step);
/* Is Q of this tensor drawn afresh at this (compressed) step? */
bool evidence_is_fresh(const evidence *e, int64_t step);

/* The tensor's part of out, gradient, mean, error (null where not shown): n x m row-major. */
const double *evidence_out(const evidence *e, int64_t step, size_t tensor);
const double *evidence_gradient(const evidence *e, int64_t step, size_t tensor);
const double *evidence_mean(const evidence *e, int64_t step, size_t tensor);
const double *evidence_error(const evidence *e, int64_t step, size_t tensor);
const tensor_evidence *evidence_at(const evidence *e, int64_t step, size_t tensor);
/* Where this tensor and step stand in the arrays of a model_run. */
size_t evidence_model_entry(const evidence *e, int64_t step, size_t tensor);

/* Values that the trace or the case holds raw, as doubles; malloc'ed. Null: not shown, of another size, or no memory
 * (then *out_of_memory is set). part: of a rank's bucket, this tensor's elements, [n m]; flattened: with the padding,
 * or without and then zero there. */
double *evidence_part(const evidence *e, const values *bucket, size_t tensor, bool *out_of_memory);
double *evidence_factor(const values *factor, size_t count, bool *out_of_memory);

#endif
