/* powersgd.c: PowerSGD, layer by layer, in the order of the paper.
 *
 * Vogels, Karimireddy, Jaggi: PowerSGD: Practical Low-Rank Gradient Compression for Distributed Optimization,
 * arXiv 1905.13727. Algorithm 1 compresses a matrix, Algorithm 2 wraps it in error feedback. Where PyTorch's
 * powerSGD_hook differs from the paper, this file does what the hook does and says so.
 *
 *     W         ranks; this process is one of them, and every rank runs this same code
 *     delta     gradient + error: the bucket as one flat array; each tensor in it is a matrix M [n x m], row-major
 *     P [n x r], Q [m x r]      the factors: M is approximated by P Q^T and only P and Q travel
 *     update    what every rank ends up with, in the place of its gradient
 *
 * All arithmetic is in double. type->round and psgd_round_values stand where the hook stores a tensor: what comes out
 * is rounded to the bucket's dtype once. No checks, no bookkeeping here: that is step.c. Read beside README.md; next:
 * orthogonalize.c, and the few lines each of products.c, collective.c, error_feedback.c and initial_q.c; then
 * flattened.c.
 */
#include "powersgd.h"

#include "collective.h"
#include "error_feedback.h"
#include "initial_q.h"
#include "orthogonalize.h"
#include "products.h"

#include <string.h>

/* ---- Algorithm 1: vectors are aggregated uncompressed (in the hook: whatever would not shrink enough) ---- */

static psgd_status aggregate_uncompressed(psgd_state *state, psgd_workspace *w)
{
    const psgd_bucket_layout *layout = &w->fresh->layout;
    size_t packed = 0; /* elements of w->uncompressed so far */
    for (size_t i = 0; i < layout->tensor_count; i++) {
        const psgd_matrix_layout *t = &layout->tensors[i];
        if (!t->compressed) {
            memcpy(w->uncompressed + packed, w->delta + t->offset, t->n * t->m * sizeof(double));
            packed += t->n * t->m;
        }
    }

    psgd_status status = psgd_all_reduce_sum(w->uncompressed, packed, state, w, "the uncompressed tensors");
    if (status != PSGD_OK) {
        return status;
    }
    psgd_divide_by_ranks(w->uncompressed, packed, state, w->type);

    packed = 0;
    for (size_t i = 0; i < layout->tensor_count; i++) {
        const psgd_matrix_layout *t = &layout->tensors[i];
        if (!t->compressed) {
            memcpy(w->update + t->offset, w->uncompressed + packed, t->n * t->m * sizeof(double));
            packed += t->n * t->m;
        }
    }
    return PSGD_OK;
}

/* ---- Algorithm 1: compress + aggregate, all matrices of the bucket side by side ---- */

static psgd_status compress_and_aggregate(psgd_state *state, psgd_workspace *w)
{
    const psgd_bucket_layout *layout = &w->fresh->layout;
    const psgd_value_type *type = w->type;
    double epsilon = state->config.orthogonalization_epsilon;
    psgd_status status;

    /* P <- M Q. The hook orthogonalises Q first, fresh or warm; the paper does not. */
    for (size_t i = 0; i < layout->tensor_count; i++) {
        const psgd_matrix_layout *t = &layout->tensors[i];
        if (t->compressed) {
            const double *M = w->delta + t->offset; /* [n x m] */
            double *p = w->fresh->p + t->p_offset;  /* [n x r] */
            double *q = w->fresh->q + t->q_offset;  /* [m x r] */
            psgd_orthogonalize(q, w->orthogonalize, t->m, t->r, epsilon, type);
            psgd_multiply(p, M, q, t->n, t->m, t->r);
            psgd_round_values(p, t->n * t->r, type);
        }
    }

    /* P <- all-reduce mean of P. The hook sums and does not divide: the next line takes the scale away. */
    status = psgd_all_reduce_sum(w->fresh->p, layout->p_numel, state, w, "P");
    if (status != PSGD_OK) {
        return status;
    }

    for (size_t i = 0; i < layout->tensor_count; i++) {
        const psgd_matrix_layout *t = &layout->tensors[i];
        if (t->compressed) {
            const double *M = w->delta + t->offset; /* [n x m] */
            double *p = w->fresh->p + t->p_offset;  /* [n x r] */
            double *q = w->fresh->q + t->q_offset;  /* [m x r] */
            /* P <- orthogonalise(P). */
            psgd_orthogonalize(p, w->orthogonalize, t->n, t->r, epsilon, type);
            /* Q <- M^T P. */
            psgd_multiply_transposed(q, M, p, t->n, t->m, t->r);
            psgd_round_values(q, t->m * t->r, type);
        }
    }

    /* Q <- all-reduce mean of Q. */
    status = psgd_all_reduce_sum(w->fresh->q, layout->q_numel, state, w, "Q");
    if (status != PSGD_OK) {
        return status;
    }
    psgd_divide_by_ranks(w->fresh->q, layout->q_numel, state, type);
    return PSGD_OK;
}

/* ---- Algorithm 1: decompress, update = P Q^T ---- */

static void decompress(psgd_workspace *w)
{
    const psgd_bucket_layout *layout = &w->fresh->layout;
    for (size_t i = 0; i < layout->tensor_count; i++) {
        const psgd_matrix_layout *t = &layout->tensors[i];
        if (t->compressed) {
            double *out = w->update + t->offset; /* [n x m] */
            psgd_multiply_back(out, w->fresh->p + t->p_offset, w->fresh->q + t->q_offset, t->n, t->m, t->r);
            psgd_round_values(out, t->n * t->m, w->type);
        }
    }
}

/* ---- Algorithm 2: distributed error-feedback SGD, from gradient to update (momentum is the optimiser's) ---- */

psgd_status psgd_powersgd(psgd_state *state, const psgd_bucket *bucket, const psgd_bucket_memory *old,
                          psgd_workspace *w)
{
    const psgd_bucket_layout *layout = &w->fresh->layout;
    const psgd_value_type *type = w->type;
    psgd_status status;

    /* Warm start: the step begins with the Q that the step before has left. */
    status = psgd_initial_q(state, old, w);
    if (status != PSGD_OK) {
        return status;
    }

    /* Incorporate error feedback: delta <- g + e. */
    type->load(w->delta, bucket->data, layout->numel);
    if (old && state->config.use_error_feedback) {
        psgd_add_error(w->delta, old->error, layout->numel, type);
    }

    /* Compress and aggregate. Three collectives, whatever the bucket holds: uncompressed, P, Q. */
    status = aggregate_uncompressed(state, w);
    if (status != PSGD_OK) {
        return status;
    }
    status = compress_and_aggregate(state, w);
    if (status != PSGD_OK) {
        return status;
    }

    /* Reconstruct the update. */
    decompress(w);
    type->store(bucket->data, w->update, layout->numel);

    /* Memorise local errors: e <- delta - update. The hook does so for uncompressed tensors too. */
    if (state->config.use_error_feedback) {
        psgd_memorise_error(w->fresh->error, w->delta, w->update, layout->numel, type);
    }
    return PSGD_OK;
}
