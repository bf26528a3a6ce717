/* faulty_lifecycle.c: what a step is before it is arithmetic: may the bucket be taken, is it compressed yet, what
 * counts when it is done. Next: faulty_step.c. */
#include "mutants/faulty.h"

#include "core/config.h"
#include "mutants/honest.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- what states of one process share, in a port that has it in static variables ---- */

static uint64_t shared_iteration;
static faulty_bucket *shared_buckets;

static void take_shared(psgd_state *state)
{
    if (fault_is(state, FAULT_COUNTER_OF_ALL_STATES)) {
        state->iteration = shared_iteration;
    }
    if (fault_is(state, FAULT_MEMORY_OF_ALL_STATES)) {
        state->buckets = shared_buckets;
    }
}

static void give_shared(const psgd_state *state)
{
    shared_iteration = state->iteration;
    shared_buckets = state->buckets;
}

/* ---- may it be taken, is it compressed? ---- */

static uint64_t start_of(const psgd_state *state)
{
    const uint64_t start = (uint64_t)state->config.start_iter;
    if (fault_is(state, FAULT_NEVER_COMPRESSES)) {
        return UINT64_MAX;
    }
    return fault_is(state, FAULT_STARTS_EARLY) && start > 0 ? start - 1 : start + fault_is(state, FAULT_STARTS_LATE);
}

psgd_status faulty_accept(psgd_state *state, const psgd_bucket *bucket, uint64_t iteration, psgd_bucket_layout *layout)
{
    *layout = (psgd_bucket_layout){0};
    if (state->broken) {
        return psgd_fail(PSGD_ERR_BROKEN, state->message, FAULTY_MESSAGE, "state: an earlier collective failed");
    }
    if (fault_is(state, FAULT_NULL_BUCKET_CRASHES) && bucket == NULL) {
        (void)raise(SIGSEGV);
    }
    const bool compressing = iteration >= start_of(state);
    const psgd_status status = faulty_layout_make(state, bucket, compressing, layout);
    if (status != PSGD_OK) {
        return status;
    }
    layout->index = faulty_bucket_key(state, layout);
    return faulty_check_layout(state, bucket, layout, compressing);
}

/* ---- a plain and a compressed step ---- */

static psgd_status plain(psgd_state *state, const psgd_bucket *bucket, psgd_bucket_layout *layout)
{
    const size_t numel = layout->numel;
    const bool remembers =
        fault_is(state, FAULT_PLAIN_PHASE_KEEPS_ERROR) || fault_is(state, FAULT_LAYOUT_FIXED_FROM_START);
    if (fault_is(state, FAULT_PLAIN_PHASE_DRAWS)) {
        (void)psgd_random_next_seed(&state->seeds);
    }
    if (fault_is(state, FAULT_STATISTICS_FROM_START)) {
        faulty_count(state, layout, false);
    }
    faulty_bucket *memory = remembers ? faulty_plain_memory(state, layout) : NULL;
    return faulty_plain_step(state, bucket, numel, memory != NULL ? memory->error : NULL);
}

static psgd_status compressed(psgd_state *state, const psgd_bucket *bucket, psgd_bucket_layout *layout)
{
    faulty_bucket *memory = faulty_bucket_find(state, layout->index);
    const bool known = memory != NULL && faulty_bucket_is(state, memory, layout);
    faulty_bucket *made = known ? NULL : faulty_bucket_make(layout);
    faulty_bucket *used = known ? memory : made;
    if (used == NULL) {
        return psgd_fail(PSGD_ERR_MEMORY, state->message, FAULTY_MESSAGE, "no memory for bucket %zu", bucket->index);
    }
    if (made != NULL) {
        faulty_inherit(state, made, memory);
    }
    if (fault_is(state, FAULT_FAILED_STEP_COUNTED)) {
        faulty_count(state, &used->layout, bucket->is_last);
    }
    const psgd_status status = state->config.variant == PSGD_FLATTENED
                                   ? faulty_flattened_step(state, bucket, used, made != NULL)
                                   : faulty_compressed_step(state, bucket, used, made != NULL);
    if (status == PSGD_OK) {
        used->steps++;
    }
    if (status == PSGD_OK && !fault_is(state, FAULT_FAILED_STEP_COUNTED)) {
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

/* The bucket, of which everything has been checked. */
static psgd_status work(psgd_state *state, const psgd_bucket *bucket, psgd_bucket_layout *layout)
{
    return state->iteration < start_of(state) ? plain(state, bucket, layout) : compressed(state, bucket, layout);
}

/* ---- the counter ---- */

static bool ends_iteration(const psgd_state *state, bool is_last)
{
    if (fault_is(state, FAULT_COUNTER_PER_BUCKET)) {
        return true;
    }
    if (fault_is(state, FAULT_COUNTER_AT_FIRST_BUCKET)) {
        return state->buckets_now == 0;
    }
    if (fault_is(state, FAULT_COUNTER_STOPS) && state->iteration >= start_of(state)) {
        return false;
    }
    if (fault_is(state, FAULT_LAST_BUCKET_REMEMBERED) && state->buckets_at_first > 0) {
        return state->buckets_now + 1 == state->buckets_at_first;
    }
    return is_last;
}

static void advance(psgd_state *state, bool is_last)
{
    const bool ends = ends_iteration(state, is_last);
    state->iteration += ends;
    state->buckets_now++;
    if (is_last && state->buckets_at_first == 0) {
        state->buckets_at_first = state->buckets_now;
    }
    if (fault_is(state, FAULT_LAST_BUCKET_REMEMBERED) ? ends : is_last) {
        state->buckets_now = 0;
    }
}

/* ---- a step ---- */

static bool takes_for_empty(const psgd_state *state, const psgd_bucket *bucket)
{
    return fault_is(state, FAULT_NULL_DATA_ACCEPTED) && bucket != NULL && bucket->data == NULL;
}

psgd_status faulty_step(psgd_state *state, const psgd_bucket *bucket)
{
    psgd_bucket_layout layout;
    if (takes_for_empty(state, bucket)) {
        return PSGD_OK;
    }
    if (fault_is(state, FAULT_CONFIG_NOT_COPIED)) {
        state->config = *state->callers_config;
    }
    take_shared(state);
    psgd_status status = faulty_accept(state, bucket, state->iteration, &layout);
    if (status == PSGD_OK) {
        const psgd_bucket reached = honest_bucket(state, bucket);
        status = faulty_trapped(state, &reached, &layout, work);
    } else if (fault_is(state, FAULT_REFUSED_STEP_COUNTS)) {
        state->iteration++;
    }
    if (status == PSGD_OK) {
        advance(state, bucket->is_last);
    }
    if (fault_is(state, FAULT_FAILED_STEP_COUNTED)) {
        state->broken = false;
    }
    give_shared(state);
    psgd_bucket_layout_free(&layout);
    return status;
}
