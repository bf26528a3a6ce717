/* step.c: what surrounds the algorithm: checks before, memory before, bookkeeping after. The algorithm is powersgd.c,
 * or flattened.c.
 */
#include "step.h"

#include "core/config.h"
#include "flattened.h"
#include "orthogonalize.h"
#include "plain_mean.h"
#include "powersgd.h"
#include "requests.h"

/* Refuses a bucket that no step can work on now. layout: made from it. */
static psgd_status check_bucket(const psgd_state *state, const psgd_bucket *bucket, const psgd_bucket_layout *layout)
{
    const size_t size = psgd_dtype_size(bucket->dtype); /* a power of two */
    if (((uintptr_t)bucket->data & (size - 1)) != 0) {
        return psgd_fail(PSGD_ERR_ARGUMENT, state->message, PSGD_MESSAGE_SIZE,
                         "bucket.data is not aligned to the %zu bytes of an element", size);
    }
    if (psgd_request_find(state, layout->index)) {
        return psgd_fail(PSGD_ERR_ARGUMENT, state->message, PSGD_MESSAGE_SIZE,
                         "bucket.index: a request for bucket %zu is pending; wait for it first", layout->index);
    }
    return PSGD_OK;
}

/* Refuses matrices that can't be orthogonalised. */
static psgd_status check_sides(const psgd_state *state, const psgd_bucket_layout *layout)
{
    for (size_t i = 0; i < layout->tensor_count; i++) {
        const psgd_matrix_layout *t = &layout->tensors[i];
        if (t->compressed && (t->n > PSGD_ORTHOGONALIZE_MAX_ROWS || t->m > PSGD_ORTHOGONALIZE_MAX_ROWS)) {
            return psgd_fail(PSGD_ERR_UNSUPPORTED, state->message, PSGD_MESSAGE_SIZE,
                             "bucket.shapes: matrix %zu, %zu x %zu, has a side beyond LAPACK's integers", i, t->n,
                             t->m);
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
        size_t tensors_then, tensors_now;
        (void)psgd_bucket_layout_own_tensors(&old->layout, &tensors_then);
        (void)psgd_bucket_layout_own_tensors(layout, &tensors_now);
        return psgd_fail(PSGD_ERR_LAYOUT, state->message, PSGD_MESSAGE_SIZE,
                         "bucket.shapes or bucket.dtype: bucket %zu had another layout at its first compressed step "
                         "(%zu tensors, %zu elements; now %zu, %zu)",
                         layout->index, tensors_then, old->layout.numel, tensors_now, layout->numel);
    }
    return PSGD_OK;
}

/* What a compressed step checks on top; turns the layout into the variant's. */
static psgd_status prepare_compressed(const psgd_state *state, const psgd_bucket_memory *old,
                                      psgd_bucket_layout *layout)
{
    psgd_status status = PSGD_OK;
    if (state->config.variant == PSGD_FLATTENED) {
        status = psgd_bucket_layout_flatten(layout, state->config.matrix_approximation_rank, state->message,
                                            PSGD_MESSAGE_SIZE);
    }
    if (status == PSGD_OK) {
        status = check_sides(state, layout);
    }
    return status == PSGD_OK ? check_remembered(state, layout, old) : status;
}

/* ---- The step ---- */

static psgd_status compressed(psgd_state *state, const psgd_bucket *bucket, const psgd_bucket_memory *old,
                              psgd_workspace *w)
{
    psgd_status status = state->config.variant == PSGD_FLATTENED ? psgd_flattened(state, bucket, old, w)
                                                                 : psgd_powersgd(state, bucket, old, w);
    if (status == PSGD_OK) {
        psgd_state_count(state, &w->fresh->layout, bucket->is_last);
        psgd_state_remember(state, w->fresh);
        w->fresh = NULL;
    }
    return status;
}

/* Runs the step on a checked bucket. Takes over *layout in any case. */
static psgd_status run(psgd_state *state, const psgd_bucket *bucket, psgd_bucket_layout *layout)
{
    bool plain = state->iteration < (uint64_t)state->config.start_iter;
    const psgd_bucket_memory *old = psgd_state_find(state, bucket->index);
    psgd_workspace w = {0};

    psgd_status status = plain ? PSGD_OK : prepare_compressed(state, old, layout);
    if (status == PSGD_OK && !psgd_workspace_allocate(&w, layout, state->config.use_error_feedback)) {
        status = psgd_fail(PSGD_ERR_MEMORY, state->message, PSGD_MESSAGE_SIZE, "no memory for a step on bucket %zu",
                           bucket->index);
    }
    if (status == PSGD_OK) {
        status = plain ? psgd_plain_mean(state, bucket, &w) : compressed(state, bucket, old, &w);
    }
    if (status == PSGD_OK && bucket->is_last) {
        state->iteration++;
    }
    psgd_workspace_free(&w);
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
