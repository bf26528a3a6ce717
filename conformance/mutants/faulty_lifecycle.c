/* faulty_lifecycle.c: what a step is before it is arithmetic: is the bucket the one that is remembered, is it
 * compressed yet, what counts when it is done. Next: faulty_step.c. */
#include "mutants/faulty.h"

#include "core/config.h"
#include "mutants/honest.h"

#include <math.h>
#include <stdlib.h>

void faulty_bucket_free(faulty_bucket *bucket)
{
    if (bucket != NULL) {
        psgd_bucket_layout_free(&bucket->layout);
        free(bucket->error);
        free(bucket->p);
        free(bucket->q);
        free(bucket);
    }
}

faulty_bucket *faulty_bucket_find(const psgd_state *state, size_t index)
{
    faulty_bucket *bucket = state->buckets;
    while (bucket != NULL && bucket->layout.index != index) {
        bucket = bucket->next;
    }
    return bucket;
}

faulty_bucket *faulty_bucket_make(psgd_bucket_layout *layout)
{
    faulty_bucket *bucket = calloc(1, sizeof *bucket);
    if (bucket == NULL) {
        return NULL;
    }
    bucket->error = calloc(layout->error_numel + 1, sizeof(double));
    bucket->p = calloc(layout->p_numel + 1, sizeof(double));
    bucket->q = calloc(layout->q_numel + 1, sizeof(double));
    if (bucket->error == NULL || bucket->p == NULL || bucket->q == NULL) {
        faulty_bucket_free(bucket);
        return NULL;
    }
    bucket->layout = *layout;
    *layout = (psgd_bucket_layout){0};
    return bucket;
}

static psgd_status compressed(psgd_state *state, const psgd_bucket *bucket, psgd_bucket_layout *layout)
{
    faulty_bucket *memory = faulty_bucket_find(state, bucket->index);
    faulty_bucket *made =
        memory != NULL && psgd_bucket_layout_equal(&memory->layout, layout) ? NULL : faulty_bucket_make(layout);
    faulty_bucket *used = made != NULL ? made : memory;
    if (used == NULL || (made == NULL && layout->tensors == NULL)) {
        return psgd_fail(PSGD_ERR_MEMORY, state->message, FAULTY_MESSAGE, "no memory for bucket %zu", bucket->index);
    }
    const psgd_status status = state->config.variant == PSGD_FLATTENED
                                   ? faulty_flattened_step(state, bucket, used, made != NULL)
                                   : faulty_compressed_step(state, bucket, used, made != NULL);
    if (status == PSGD_OK) {
        used->steps++;
        faulty_count(state, &used->layout, bucket->is_last);
    }
    if (made != NULL && status == PSGD_OK) {
        faulty_bucket **place = &state->buckets;
        while (*place != NULL && *place != memory) {
            place = &(*place)->next;
        }
        made->next = memory != NULL ? memory->next : NULL;
        *place = made;
        faulty_bucket_free(memory);
    } else if (made != NULL) {
        faulty_bucket_free(made);
    }
    return status;
}

static uint64_t start_of(const psgd_state *state)
{
    return (uint64_t)state->config.start_iter + fault_is(state, FAULT_STARTS_LATE);
}

psgd_status faulty_layout_make(psgd_state *state, const psgd_bucket *bucket, bool compressing,
                               psgd_bucket_layout *layout)
{
    const psgd_config *c = &state->config;
    double rate = c->min_compression_rate;
    if (fault_is(state, FAULT_SELECTION_NOT_STRICT)) {
        rate = nextafter(rate, 0); /* a tie now falls just below */
    }
    const psgd_status status =
        psgd_bucket_layout_make(layout, bucket, c->matrix_approximation_rank, rate, state->message, FAULTY_MESSAGE);
    const bool square = c->variant == PSGD_FLATTENED && compressing;
    return status == PSGD_OK && square ? faulty_square_layout(state, layout) : status;
}

/* With error feedback and warm start both off nothing is remembered, and a new layout is no contradiction. */
psgd_status faulty_accept(psgd_state *state, const psgd_bucket *bucket, uint64_t iteration, psgd_bucket_layout *layout)
{
    *layout = (psgd_bucket_layout){0};
    if (state->broken) {
        return psgd_fail(PSGD_ERR_BROKEN, state->message, FAULTY_MESSAGE, "state: an earlier collective failed");
    }
    const bool compressing = iteration >= start_of(state);
    const psgd_status status = faulty_layout_make(state, bucket, compressing, layout);
    if (status != PSGD_OK || !compressing) {
        return status;
    }
    const bool remembers = state->config.use_error_feedback || state->config.warm_start;
    const faulty_bucket *memory = faulty_bucket_find(state, bucket->index);
    if (memory != NULL && remembers && !psgd_bucket_layout_equal(&memory->layout, layout)) {
        return psgd_fail(PSGD_ERR_LAYOUT, state->message, FAULTY_MESSAGE,
                         "bucket.shapes: not those of bucket %zu so far", bucket->index);
    }
    return PSGD_OK;
}

psgd_status faulty_step(psgd_state *state, const psgd_bucket *bucket)
{
    psgd_bucket_layout layout;
    psgd_status status = faulty_accept(state, bucket, state->iteration, &layout);
    if (status == PSGD_OK) {
        const psgd_bucket reached = honest_bucket(state, bucket);
        status = state->iteration < start_of(state) ? faulty_plain_step(state, &reached, layout.numel)
                                                    : compressed(state, &reached, &layout);
    }
    if (status == PSGD_OK && bucket->is_last) {
        state->iteration++;
    }
    psgd_bucket_layout_free(&layout);
    return status;
}
