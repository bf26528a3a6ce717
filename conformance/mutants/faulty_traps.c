/* faulty_traps.c: faults that no step has by mistake, put around a step that is right: what a kit must not be taken in
 * by, and what it must survive. */
#include "mutants/faulty.h"

#include "core/config.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LATE 5 /* an iteration that most cases reach, and none that test the start alone */

/* ---- before the step ---- */

static void never_ends(void)
{
    for (;;) {
        const struct timespec second = {.tv_sec = 1};
        (void)nanosleep(&second, NULL);
    }
}

/* In the first compressed step. */
static void end_badly(const psgd_state *state)
{
    if (fault_is(state, FAULT_CRASHES)) {
        (void)raise(SIGSEGV);
    }
    if (fault_is(state, FAULT_EXITS)) {
        exit(0);
    }
    if (fault_is(state, FAULT_HANGS)) {
        never_ends();
    }
}

/* ---- after it ---- */

typedef struct trapped {
    psgd_state *state;
    const psgd_bucket *bucket;
    const void *input; /* what the bucket held */
    size_t bytes, count;
    bool compressed;
} trapped;

static bool is_last_rank(const psgd_state *state)
{
    return state->comm.rank == state->comm.size - 1;
}

static void add_to(const trapped *t, size_t element, double factor)
{
    double value;
    char *const at = (char *)t->bucket->data + element * (t->bytes / t->count);
    faulty_load(&value, at, 1, (psgd_dtype)t->bucket->dtype);
    value *= factor;
    faulty_store(t->state, at, &value, 1, (psgd_dtype)t->bucket->dtype);
}

/* One element of the type at this place outside the bucket. */
static void scribble(const trapped *t, ptrdiff_t place)
{
    const size_t size = psgd_dtype_size(t->bucket->dtype);
    memset((char *)t->bucket->data + place * (ptrdiff_t)size, 0, size);
}

/* The result of the last step of as many elements, which this one's then is for the next. */
static psgd_status swap_with_previous(const trapped *t)
{
    psgd_state *state = t->state;
    void *copy = malloc(t->bytes + 1);
    if (copy == NULL) {
        return psgd_fail(PSGD_ERR_MEMORY, state->message, FAULTY_MESSAGE, "no memory for a result");
    }
    memcpy(copy, t->bucket->data, t->bytes);
    if (state->result != NULL && state->result_bytes == t->bytes) {
        memcpy(t->bucket->data, state->result, t->bytes);
    }
    free(state->result);
    state->result = copy;
    state->result_bytes = t->bytes;
    return PSGD_OK;
}

/* Neighbours of one shape change places. */
static void swap_neighbours(const trapped *t)
{
    const faulty_bucket *memory = faulty_bucket_find(t->state, t->bucket->index);
    const size_t size = psgd_dtype_size(t->bucket->dtype);
    for (size_t i = 0; memory != NULL && i + 1 < memory->layout.tensor_count; i++) {
        const psgd_matrix_layout *a = &memory->layout.tensors[i], *b = a + 1;
        char *const first = (char *)t->bucket->data + a->offset * size;
        for (size_t j = 0; a->n == b->n && a->m == b->m && j < a->n * a->m * size; j++) {
            const char kept = first[j];
            first[j] = first[j + a->n * a->m * size];
            first[j + a->n * a->m * size] = kept;
        }
    }
}

static psgd_status spoil(const trapped *t)
{
    psgd_state *state = t->state;
    if (fault_is(state, FAULT_ALL_ZEROS)) {
        memset(t->bucket->data, 0, t->bytes);
    }
    if (fault_is(state, FAULT_RETURNS_INPUT)) {
        memcpy(t->bucket->data, t->input, t->bytes);
    }
    if (fault_is(state, FAULT_PREVIOUS_RESULT)) {
        return swap_with_previous(t);
    }
    if (fault_is(state, FAULT_ANOTHER_TENSORS_RESULT) && t->compressed) {
        swap_neighbours(t);
    }
    if (fault_is(state, FAULT_LAST_RANK_WRONG) && t->compressed && is_last_rank(state)) {
        add_to(t, 0, 1.01);
    }
    if (fault_is(state, FAULT_ONE_ELEMENT_WRONG) && state->iteration == LATE) {
        add_to(t, t->count / 2, 1.5);
    }
    if (fault_is(state, FAULT_WRITES_PAST_END)) {
        scribble(t, (ptrdiff_t)t->count);
    }
    if (fault_is(state, FAULT_WRITES_BEFORE)) {
        scribble(t, -1);
    }
    const bool first_compressed = t->compressed && state->iteration == (uint64_t)state->config.start_iter;
    const bool fails = (fault_is(state, FAULT_LAST_RANK_FAILS) && first_compressed && is_last_rank(state)) ||
                       (fault_is(state, FAULT_ERROR_AT_THE_END) && state->iteration == LATE);
    return fails ? psgd_fail(PSGD_ERR_DEVICE, state->message, FAULTY_MESSAGE, "the device fell off the bus") : PSGD_OK;
}

psgd_status faulty_trapped(psgd_state *state, const psgd_bucket *bucket, psgd_bucket_layout *layout, faulty_work *work)
{
    const size_t bytes = layout->numel * psgd_dtype_size(bucket->dtype);
    const bool compressed = state->iteration >= (uint64_t)state->config.start_iter;
    void *input = malloc(bytes + 1);
    if (input == NULL) {
        return psgd_fail(PSGD_ERR_MEMORY, state->message, FAULTY_MESSAGE, "no memory for a bucket");
    }
    if (bytes > 0) {
        memcpy(input, bucket->data, bytes);
    }
    if (compressed) {
        end_badly(state);
    }
    const trapped t = {.state = state,
                       .bucket = bucket,
                       .input = input,
                       .bytes = bytes,
                       .count = layout->numel,
                       .compressed = compressed};
    psgd_status status = work(state, bucket, layout);
    if (status == PSGD_OK && bytes > 0) {
        status = spoil(&t);
    }
    free(input);
    return status;
}
