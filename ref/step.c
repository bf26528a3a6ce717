/* step.c: what surrounds the algorithm: checks before, memory before, bookkeeping after. The algorithm is powersgd.c.
 */
#include "powersgd.h"

#include "core/config.h"
#include "orthogonalize.h"

#include <inttypes.h>
#include <stdlib.h>

/* Refuses a bucket that the reference cannot work on. layout: made from it. */
static psgd_status check_bucket(const psgd_state *state, const psgd_bucket *bucket, const psgd_bucket_layout *layout)
{
    if (!psgd_value_type_of(bucket->dtype)) {
        return psgd_fail(PSGD_ERR_UNSUPPORTED, state->message, PSGD_MESSAGE_SIZE,
                         "bucket.dtype: the reference offers f32 and f64 only, not %" PRIu32, bucket->dtype);
    }
    if ((uintptr_t)bucket->data % psgd_dtype_size(bucket->dtype) != 0) {
        return psgd_fail(PSGD_ERR_ARGUMENT, state->message, PSGD_MESSAGE_SIZE,
                         "bucket.data is not aligned to the %zu bytes of an element", psgd_dtype_size(bucket->dtype));
    }
    for (size_t i = 0; i < layout->tensor_count; i++) {
        const psgd_matrix_layout *t = &layout->tensors[i];
        if (t->compressed && (t->n > PSGD_ORTHOGONALIZE_MAX_ROWS || t->m > PSGD_ORTHOGONALIZE_MAX_ROWS)) {
            return psgd_fail(PSGD_ERR_UNSUPPORTED, state->message, PSGD_MESSAGE_SIZE,
                             "bucket.shapes[%zu]: a side of %zu x %zu is beyond LAPACK's integers", i, t->n, t->m);
        }
    }
    return PSGD_OK;
}

/* Refuses a layout other than the one that error and factors belong to. */
static psgd_status check_remembered(const psgd_state *state, const psgd_bucket_layout *layout,
                                    const psgd_bucket_memory *old)
{
    bool depends_on_it = state->config.use_error_feedback || state->config.warm_start;
    if (old && depends_on_it && !psgd_bucket_layout_equal(&old->layout, layout)) {
        return psgd_fail(PSGD_ERR_LAYOUT, state->message, PSGD_MESSAGE_SIZE,
                         "bucket.shapes or bucket.dtype: bucket %zu had another layout at its first compressed step "
                         "(%zu tensors, %zu elements; now %zu, %zu)",
                         layout->index, old->layout.tensor_count, old->layout.numel, layout->tensor_count,
                         layout->numel);
    }
    return PSGD_OK;
}

/* ---- Memory ---- */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void free_workspace(psgd_workspace *w)
{
    psgd_bucket_memory_free(w->fresh);
    free(w->delta);
    free(w->update);
    free(w->uncompressed);
    free(w->orthogonalize);
    free(w->wire);
}

/* Allocates all that the step will need; takes over *layout. False without memory. */
static bool allocate_workspace(psgd_workspace *w, psgd_bucket_layout *layout, bool with_error)
{
    size_t work = 0;
    for (size_t i = 0; i < layout->tensor_count; i++) {
        const psgd_matrix_layout *t = &layout->tensors[i];
        size_t needed = 0;
        if (t->compressed && !psgd_orthogonalize_work(&needed, larger(t->n, t->m), t->r)) {
            return false;
        }
        work = larger(work, needed);
    }
    size_t travelling = larger(layout->numel, larger(layout->p_numel, layout->q_numel));
    w->type = psgd_value_type_of(layout->dtype);
    w->delta = psgd_new_values(layout->numel);
    w->update = psgd_new_values(layout->numel);
    w->uncompressed = psgd_new_values(layout->uncompressed_numel);
    w->orthogonalize = psgd_new_values(work);
    w->wire = psgd_new_values(travelling); /* no dtype is wider than a double */
    w->fresh = psgd_bucket_memory_new(layout, with_error);
    return w->delta && w->update && w->uncompressed && w->orthogonalize && w->wire && w->fresh;
}

/* ---- The step ---- */

/* Runs the step on a checked bucket. Takes over *layout in any case. */
static psgd_status run(psgd_state *state, const psgd_bucket *bucket, psgd_bucket_layout *layout)
{
    bool plain = state->iteration < (uint64_t)state->config.start_iter;
    const psgd_bucket_memory *old = psgd_state_find(state, bucket->index);
    psgd_workspace w = {0};
    psgd_status status = PSGD_OK;

    if (!plain) {
        status = check_remembered(state, layout, old);
    }
    if (status == PSGD_OK && !allocate_workspace(&w, layout, state->config.use_error_feedback)) {
        status = psgd_fail(PSGD_ERR_MEMORY, state->message, PSGD_MESSAGE_SIZE, "no memory for a step on bucket %zu",
                           bucket->index);
    }
    if (status == PSGD_OK) {
        status = plain ? psgd_plain_mean(state, bucket, &w) : psgd_powersgd(state, bucket, old, &w);
    }
    if (status == PSGD_OK && !plain) {
        psgd_state_count(state, &w.fresh->layout, bucket->is_last);
        psgd_state_remember(state, w.fresh);
        w.fresh = NULL;
    }
    if (status == PSGD_OK && bucket->is_last) {
        state->iteration++;
    }
    free_workspace(&w);
    psgd_bucket_layout_free(layout);
    return status;
}

psgd_status psgd_step(psgd_state *state, const psgd_bucket *bucket)
{
    psgd_bucket_layout layout;
    psgd_status status = psgd_bucket_layout_make(&layout, bucket, state->config.matrix_approximation_rank,
                                                 state->config.min_compression_rate, state->message, PSGD_MESSAGE_SIZE);
    if (status != PSGD_OK) {
        return status;
    }
    status = check_bucket(state, bucket, &layout);
    if (status != PSGD_OK) {
        psgd_bucket_layout_free(&layout);
        return status;
    }
    return run(state, bucket, &layout);
}
