/* flattened.c: the flattened ("batched") variant: the whole bucket as one matrix, whatever tensors are in it.
 *
 * PyTorch's batched_powerSGD_hook. Algorithms 1 and 2 of the paper as in powersgd.c, on a matrix that the paper does
 * not have: the bucket's elements one after the other, then zeros, as the rows of the smallest square that holds them.
 *
 *     bucket of 7:  a b c d e f g          a b c
 *                                   M  =   d e f       side = 3, two zeros of padding
 *                                          g 0 0
 *
 * One matrix, so one P, one Q and two collectives. In exchange rows and columns mean nothing, and a bucket of tensors
 * of low rank is no square of low rank. Otherwise different from the layerwise step:
 *
 *     r         is not clipped: r <= side, or the step is refused (core/layout.c, before anything happens)
 *     epsilon   is always 0, whatever orthogonalization_epsilon is; min_compression_rate has no say either
 *     padding   is zero in every gradient, but not in the update: so it has an error, which is kept and added in the
 *               next step as any other, and gets into the next P and Q
 *
 * The hook makes the bucket larger in place for this. Here the square is a copy, and bucket->data is never written
 * beyond its length. Rounding as in powersgd.c. Read beside README.md, section 8; next: step.c.
 */
#include "flattened.h"

#include "collective.h"
#include "error_feedback.h"
#include "initial_q.h"
#include "orthogonalize.h"
#include "products.h"

psgd_status psgd_flattened(psgd_state *state, const psgd_bucket *bucket, const psgd_bucket_memory *old,
                           psgd_workspace *w)
{
    const psgd_bucket_layout *layout = &w->fresh->layout;
    const psgd_value_type *type = w->type;
    const size_t length = layout->numel, padded = layout->error_numel;
    const size_t side = layout->side, r = layout->tensors[0].r;
    const double epsilon = 0;
    double *M = w->delta;       /* [side x side] */
    double *p = w->fresh->p;    /* [side x r] */
    double *q = w->fresh->q;    /* [side x r] */
    double *update = w->update; /* [side x side] */
    psgd_status status;

    /* Warm start: the step begins with the Q that the step before has left. */
    status = psgd_initial_q(state, old, w);
    if (status != PSGD_OK) {
        return status;
    }

    /* View the bucket as a square: its elements, then zeros. */
    type->load(M, bucket->data, length);
    for (size_t i = length; i < padded; i++) {
        M[i] = 0;
    }

    /* Incorporate error feedback: delta <- g + e, padding included. */
    if (old && state->config.use_error_feedback) {
        psgd_add_error(M, old->error, padded, type);
    }

    /* P <- M Q, with Q orthogonalised first, fresh or warm. */
    psgd_orthogonalize(q, w->orthogonalize, side, r, epsilon, type);
    psgd_multiply(p, M, q, side, side, r);
    psgd_round_values(p, side * r, type);

    /* P <- all-reduce of P: the sum, for the next line takes the scale away; then orthogonalise. */
    status = psgd_all_reduce_sum(p, side * r, state, w, "P");
    if (status != PSGD_OK) {
        return status;
    }
    psgd_orthogonalize(p, w->orthogonalize, side, r, epsilon, type);

    /* Q <- M^T P. */
    psgd_multiply_transposed(q, M, p, side, side, r);
    psgd_round_values(q, side * r, type);

    /* Q <- all-reduce mean of Q. */
    status = psgd_all_reduce_sum(q, side * r, state, w, "Q");
    if (status != PSGD_OK) {
        return status;
    }
    psgd_divide_by_ranks(q, side * r, state, type);

    /* Decompress: update = P Q^T; of it the bucket's own elements, without the padding. */
    psgd_multiply_back(update, p, q, side, side, r);
    psgd_round_values(update, padded, type);
    type->store(bucket->data, update, length);

    /* Memorise local errors: e <- delta - update, of the padding too. */
    if (state->config.use_error_feedback) {
        psgd_memorise_error(w->fresh->error, M, update, padded, type);
    }
    return PSGD_OK;
}
