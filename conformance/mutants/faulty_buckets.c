/* faulty_buckets.c: what a state remembers of its buckets, and which of them a bucket is. Next: faulty_lifecycle.c. */
#include "mutants/faulty.h"

#include "core/config.h"

#include <stdlib.h>
#include <string.h>

void faulty_bucket_free(faulty_bucket *bucket)
{
    if (bucket != NULL) {
        psgd_bucket_layout_free(&bucket->layout);
        free(bucket->error);
        free(bucket->spare);
        free(bucket->p);
        free(bucket->q);
        free(bucket);
    }
}

void faulty_buckets_free(faulty_bucket *buckets)
{
    for (faulty_bucket *next; buckets != NULL; buckets = next) {
        next = buckets->next;
        faulty_bucket_free(buckets);
    }
}

static faulty_bucket *find(faulty_bucket *bucket, size_t index)
{
    while (bucket != NULL && bucket->layout.index != index) {
        bucket = bucket->next;
    }
    return bucket;
}

faulty_bucket *faulty_bucket_find(const psgd_state *state, size_t index)
{
    return find(state->buckets, index);
}

faulty_bucket *faulty_bucket_make(psgd_bucket_layout *layout)
{
    faulty_bucket *bucket = calloc(1, sizeof *bucket);
    if (bucket == NULL) {
        return NULL;
    }
    bucket->error = calloc(layout->error_numel + 1, sizeof(double));
    bucket->spare = calloc(layout->error_numel + 1, sizeof(double));
    bucket->p = calloc(layout->p_numel + 1, sizeof(double));
    bucket->q = calloc(layout->q_numel + 1, sizeof(double));
    if (bucket->error == NULL || bucket->spare == NULL || bucket->p == NULL || bucket->q == NULL) {
        faulty_bucket_free(bucket);
        return NULL;
    }
    bucket->layout = *layout;
    *layout = (psgd_bucket_layout){0};
    return bucket;
}

static bool same_length(const psgd_bucket_layout *a, const psgd_bucket_layout *b)
{
    return a->numel == b->numel && a->dtype == b->dtype;
}

size_t faulty_bucket_key(const psgd_state *state, const psgd_bucket_layout *layout)
{
    for (const faulty_bucket *b = state->buckets; fault_is(state, FAULT_BUCKETS_BY_LENGTH) && b != NULL; b = b->next) {
        if (same_length(&b->layout, layout)) {
            return b->layout.index;
        }
    }
    return fault_is(state, FAULT_BUCKETS_BY_ORDER) ? state->buckets_now : layout->index;
}

bool faulty_bucket_is(const psgd_state *state, const faulty_bucket *memory, const psgd_bucket_layout *layout)
{
    return psgd_bucket_layout_equal(&memory->layout, layout) ||
           (fault_is(state, FAULT_LAYOUT_BY_LENGTH) && same_length(&memory->layout, layout));
}

/* With error feedback and warm start both off nothing is remembered, and a new layout is no contradiction. */
psgd_status faulty_check_layout(psgd_state *state, const psgd_bucket *bucket, const psgd_bucket_layout *layout,
                                bool compressing)
{
    const bool remembers =
        state->config.use_error_feedback || state->config.warm_start || fault_is(state, FAULT_LAYOUT_ALWAYS_FIXED);
    const bool accepts = fault_is(state, FAULT_LAYOUT_CHANGE_ACCEPTED) || fault_is(state, FAULT_ERROR_OF_OLD_LAYOUT);
    const faulty_bucket *memory = compressing ? find(state->buckets, layout->index) : NULL;
    if (fault_is(state, FAULT_LAYOUT_FIXED_FROM_START) && memory == NULL) {
        memory = find(state->plain, layout->index);
    }
    const bool same = memory == NULL || faulty_bucket_is(state, memory, layout) ||
                      (fault_is(state, FAULT_LAYOUT_FIXED_FROM_START) && same_length(&memory->layout, layout));
    if (same || !remembers || accepts) {
        return PSGD_OK;
    }
    if (fault_is(state, FAULT_REFUSED_STEP_CLEARS)) {
        memset(bucket->data, 0, layout->numel * psgd_dtype_size(bucket->dtype));
    }
    return psgd_fail(PSGD_ERR_LAYOUT, state->message, FAULTY_MESSAGE, "bucket.shapes: not those of bucket %zu so far",
                     bucket->index);
}

/* ---- what no port should keep ---- */

faulty_bucket *faulty_plain_memory(psgd_state *state, psgd_bucket_layout *layout)
{
    faulty_bucket *memory = find(state->plain, layout->index);
    if (memory == NULL || memory->layout.error_numel < layout->numel) {
        memory = faulty_bucket_make(layout);
        if (memory != NULL) {
            memory->next = state->plain;
            state->plain = memory;
        }
    }
    return memory;
}

/* Of old, as far as it goes. */
static void take_error(faulty_bucket *made, const faulty_bucket *old)
{
    if (old != NULL) {
        const size_t a = made->layout.error_numel, b = old->layout.error_numel;
        memcpy(made->error, old->error, (a < b ? a : b) * sizeof *made->error);
    }
}

void faulty_inherit(const psgd_state *state, faulty_bucket *made, const faulty_bucket *replaced)
{
    if (fault_is(state, FAULT_ERROR_OF_OLD_LAYOUT)) {
        take_error(made, replaced);
    }
    if (fault_is(state, FAULT_PLAIN_PHASE_KEEPS_ERROR)) {
        take_error(made, find(state->plain, made->layout.index));
    }
}
