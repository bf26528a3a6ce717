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
 * orthogonalize.c.
 */
#include "powersgd.h"

#include "core/config.h"
#include "orthogonalize.h"

#include <string.h>

/* ---- Matrix products, as one learns them ---- */

/* p [n x r] = M q, with M [n x m] and q [m x r]. */
static void multiply(double *p, const double *M, const double *q, size_t n, size_t m, size_t r)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < r; k++) {
            double sum = 0;
            for (size_t j = 0; j < m; j++) {
                sum += M[i * m + j] * q[j * r + k];
            }
            p[i * r + k] = sum;
        }
    }
}

/* q [m x r] = M^T p, with M [n x m] and p [n x r]. */
static void multiply_transposed(double *q, const double *M, const double *p, size_t n, size_t m, size_t r)
{
    for (size_t j = 0; j < m; j++) {
        for (size_t k = 0; k < r; k++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++) {
                sum += M[i * m + j] * p[i * r + k];
            }
            q[j * r + k] = sum;
        }
    }
}

/* M [n x m] = p q^T, with p [n x r] and q [m x r]. */
static void multiply_back(double *M, const double *p, const double *q, size_t n, size_t m, size_t r)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            double sum = 0;
            for (size_t k = 0; k < r; k++) {
                sum += p[i * r + k] * q[j * r + k];
            }
            M[i * m + j] = sum;
        }
    }
}

/* ---- Communication ---- */

/* values[count] = their sum over the ranks. The values travel as elements of the dtype. */
static psgd_status all_reduce_sum(double *values, size_t count, psgd_state *state, psgd_workspace *w, const char *what)
{
    const psgd_comm *comm = &state->comm;
    w->type->store(w->wire, values, count);
    psgd_status status = comm->allreduce_sum(comm->context, count > 0 ? w->wire : NULL, count, w->type->dtype);
    if (status != PSGD_OK) {
        state->broken = true;
        return psgd_fail(PSGD_ERR_COMM, state->message, PSGD_MESSAGE_SIZE,
                         "comm.allreduce_sum of %s (%zu elements) failed with %s", what, count,
                         psgd_status_name(status));
    }
    w->type->load(values, w->wire, count);
    return PSGD_OK;
}

/* values[count] /= W. */
static void divide_by_ranks(double *values, size_t count, const psgd_state *state, const psgd_value_type *type)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = type->round(values[i] / state->comm.size);
    }
}

/* ---- Algorithm 1: the initial Q, from an i.i.d. standard normal distribution ---- */

/* The caller's own numbers, if it gave a source: tensor by tensor. */
static psgd_status draw_from_source(psgd_state *state, psgd_workspace *w)
{
    const psgd_bucket_layout *layout = &w->fresh->layout;
    const psgd_q_source *source = state->config.q_source;
    for (size_t i = 0; i < layout->tensor_count; i++) {
        const psgd_matrix_layout *t = &layout->tensors[i];
        if (t->compressed) {
            psgd_status status =
                source->draw(source->context, state->iteration, layout->index, i, layout->dtype, t->m, t->r, w->wire);
            if (status != PSGD_OK) {
                return psgd_fail(status, state->message, PSGD_MESSAGE_SIZE,
                                 "config.q_source->draw of Q for tensor %zu failed with %s", i,
                                 psgd_status_name(status));
            }
            w->type->load(w->fresh->q + t->q_offset, w->wire, t->m * t->r); /* [m x r] */
        }
    }
    return PSGD_OK;
}

/* The hook's seeded chain. One seed per bucket, drawn even where there is nothing to compress; then normals in the
 * order of the factors, equal shapes together: A,B,A as A,A,B. */
static psgd_status draw_seeded(psgd_state *state, psgd_workspace *w)
{
    const psgd_bucket_layout *layout = &w->fresh->layout;
    psgd_mt19937 seeds = state->seeds; /* a copy: the state's own moves on when all is drawn */
    psgd_torch_generator normals;
    psgd_torch_manual_seed(&normals, psgd_random_next_seed(&seeds));
    for (size_t next = 0; next < layout->compressed_count;) {
        const psgd_matrix_layout *t = &layout->tensors[layout->factor_order[next]];
        /* With batching all matrices of a shape in one draw: other numbers, for 20 normals are not twice 10. */
        size_t batch = state->config.batch_tensors_with_same_shape ? psgd_bucket_layout_run(layout, next) : 1;
        psgd_status status = psgd_torch_randn(&normals, w->wire, batch * t->m * t->r, layout->dtype);
        if (status != PSGD_OK) {
            return psgd_fail(status, state->message, PSGD_MESSAGE_SIZE, "the seeded draw of Q failed with %s",
                             psgd_status_name(status));
        }
        w->type->load(w->fresh->q + t->q_offset, w->wire, batch * t->m * t->r); /* [batch][m x r], side by side */
        next += batch;
    }
    state->seeds = seeds;
    return PSGD_OK;
}

/* w->fresh->q = fresh normals, the same on every rank. On failure the state is as it was. */
static psgd_status draw_q(psgd_state *state, psgd_workspace *w)
{
    return state->config.q_source ? draw_from_source(state, w) : draw_seeded(state, w);
}

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

    psgd_status status = all_reduce_sum(w->uncompressed, packed, state, w, "the uncompressed tensors");
    if (status != PSGD_OK) {
        return status;
    }
    divide_by_ranks(w->uncompressed, packed, state, w->type);

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
            multiply(p, M, q, t->n, t->m, t->r);
            psgd_round_values(p, t->n * t->r, type);
        }
    }

    /* P <- all-reduce mean of P. The hook sums and does not divide: the next line takes the scale away. */
    status = all_reduce_sum(w->fresh->p, layout->p_numel, state, w, "P");
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
            multiply_transposed(q, M, p, t->n, t->m, t->r);
            psgd_round_values(q, t->m * t->r, type);
        }
    }

    /* Q <- all-reduce mean of Q. */
    status = all_reduce_sum(w->fresh->q, layout->q_numel, state, w, "Q");
    if (status != PSGD_OK) {
        return status;
    }
    divide_by_ranks(w->fresh->q, layout->q_numel, state, type);
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
            multiply_back(out, w->fresh->p + t->p_offset, w->fresh->q + t->q_offset, t->n, t->m, t->r);
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
    if (old && state->config.warm_start) {
        memcpy(w->fresh->q, old->q, layout->q_numel * sizeof *old->q);
    } else {
        status = draw_q(state, w);
        if (status != PSGD_OK) {
            return status;
        }
    }

    /* Incorporate error feedback: delta <- g + e. */
    type->load(w->delta, bucket->data, layout->numel);
    if (old && state->config.use_error_feedback) {
        for (size_t i = 0; i < layout->numel; i++) {
            w->delta[i] = type->round(w->delta[i] + old->error[i]);
        }
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

    /* Memorise local errors: e <- delta - update, this rank's own delta less the update common to all ranks, so the
     * mean of e over the ranks is what the update lacks. The hook does so for uncompressed tensors too. */
    if (state->config.use_error_feedback) {
        for (size_t i = 0; i < layout->numel; i++) {
            w->fresh->error[i] = type->round(w->delta[i] - w->update[i]);
        }
    }
    return PSGD_OK;
}

/* ---- Not in the paper: the hook averages plainly for the first start_iter steps ---- */

psgd_status psgd_plain_mean(psgd_state *state, const psgd_bucket *bucket, psgd_workspace *w)
{
    size_t numel = w->fresh->layout.numel;
    w->type->load(w->update, bucket->data, numel);
    divide_by_ranks(w->update, numel, state, w->type); /* first, so that the sum stays in range */
    psgd_status status = all_reduce_sum(w->update, numel, state, w, "the gradients");
    if (status == PSGD_OK) {
        w->type->store(bucket->data, w->update, numel);
    }
    return status;
}
