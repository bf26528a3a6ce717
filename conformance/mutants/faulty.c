/* faulty.c: the API of the deliberately faulty implementation, a plug-in like any other. Which fault it has is said by
 * the environment variable PSGD_FAULT (psgd-conform run --impl faulty:NAME sets it). Next: faulty_step.c. */
#include "mutants/faulty.h"

#include "core/config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void bucket_free(faulty_bucket *bucket)
{
    if (bucket != NULL) {
        psgd_bucket_layout_free(&bucket->layout);
        free(bucket->error);
        free(bucket->p);
        free(bucket->q);
        free(bucket);
    }
}

static void faulty_destroy(psgd_state *state)
{
    if (state == NULL) {
        return;
    }
    for (faulty_bucket *next; state->buckets != NULL; state->buckets = next) {
        next = state->buckets->next;
        bucket_free(state->buckets);
    }
    free(state->message);
    free(state);
}

static psgd_status faulty_create(const psgd_config *config, const psgd_comm *comm, psgd_state **state, char *message,
                                 size_t message_size)
{
    if (state == NULL) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size, "state is null");
    }
    *state = NULL;
    psgd_config checked;
    psgd_comm group;
    psgd_status status = psgd_config_check(&checked, config, message, message_size);
    if (status == PSGD_OK) {
        status = psgd_comm_check(&group, comm, message, message_size);
    }
    if (status != PSGD_OK) {
        return status;
    }
    psgd_state *made = calloc(1, sizeof *made);
    char *text = calloc(1, FAULTY_MESSAGE);
    if (made == NULL || text == NULL) {
        free(made);
        free(text);
        return psgd_fail(PSGD_ERR_MEMORY, message, message_size, "no memory for a state");
    }
    const char *name = getenv("PSGD_FAULT");
    made->config = checked;
    made->comm = group;
    made->message = text;
    if (name != NULL && !fault_find(&made->fault, name)) {
        faulty_destroy(made);
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size, "PSGD_FAULT: there is no such fault");
    }
    psgd_mt19937_seed(&made->seeds, checked.random_seed);
    *state = made;
    return PSGD_OK;
}

static faulty_bucket *find(const psgd_state *state, size_t index)
{
    faulty_bucket *bucket = state->buckets;
    while (bucket != NULL && bucket->layout.index != index) {
        bucket = bucket->next;
    }
    return bucket;
}

/* Takes over *layout on success. */
static faulty_bucket *bucket_make(psgd_bucket_layout *layout)
{
    faulty_bucket *bucket = calloc(1, sizeof *bucket);
    if (bucket == NULL) {
        return NULL;
    }
    bucket->error = calloc(layout->error_numel + 1, sizeof(double));
    bucket->p = calloc(layout->p_numel + 1, sizeof(double));
    bucket->q = calloc(layout->q_numel + 1, sizeof(double));
    if (bucket->error == NULL || bucket->p == NULL || bucket->q == NULL) {
        bucket_free(bucket);
        return NULL;
    }
    bucket->layout = *layout;
    *layout = (psgd_bucket_layout){0};
    return bucket;
}

static void count(psgd_state *state, const psgd_bucket_layout *layout, bool is_last)
{
    psgd_statistics *s = &state->counted;
    s->numel_before_compression += layout->numel;
    s->numel_after_compression += layout->uncompressed_numel + layout->p_numel + layout->q_numel;
    s->compression_rate =
        s->numel_after_compression > 0 ? (double)s->numel_before_compression / (double)s->numel_after_compression : 0;
    if (!is_last || state->iteration < state->next_report) {
        return;
    }
    state->next_report = state->iteration + (uint64_t)state->config.compression_stats_logging_frequency;
    if (state->config.log != NULL) {
        char line[160];
        snprintf(line, sizeof line, "statistics iter=%llu before=%llu after=%llu rate=%.17g",
                 (unsigned long long)state->iteration, (unsigned long long)s->numel_before_compression,
                 (unsigned long long)s->numel_after_compression, s->compression_rate);
        state->config.log(state->config.log_context, line);
    }
}

/* With error feedback and warm start both off nothing is remembered, and a new layout is no contradiction. */
static psgd_status compressed(psgd_state *state, const psgd_bucket *bucket, psgd_bucket_layout *layout)
{
    const bool remembers = state->config.use_error_feedback || state->config.warm_start;
    faulty_bucket *memory = find(state, bucket->index);
    if (memory != NULL && remembers && !psgd_bucket_layout_equal(&memory->layout, layout)) {
        return psgd_fail(PSGD_ERR_LAYOUT, state->message, FAULTY_MESSAGE,
                         "bucket.shapes: not those of bucket %zu so far", bucket->index);
    }
    faulty_bucket *made =
        memory != NULL && psgd_bucket_layout_equal(&memory->layout, layout) ? NULL : bucket_make(layout);
    faulty_bucket *used = made != NULL ? made : memory;
    if (used == NULL || (made == NULL && layout->tensors == NULL)) {
        return psgd_fail(PSGD_ERR_MEMORY, state->message, FAULTY_MESSAGE, "no memory for bucket %zu", bucket->index);
    }
    const psgd_status status = state->config.variant == PSGD_FLATTENED
                                   ? faulty_flattened_step(state, bucket, used, made != NULL)
                                   : faulty_compressed_step(state, bucket, used, made != NULL);
    if (status == PSGD_OK) {
        count(state, &used->layout, bucket->is_last);
    }
    if (made != NULL && status == PSGD_OK) {
        faulty_bucket **place = &state->buckets;
        while (*place != NULL && *place != memory) {
            place = &(*place)->next;
        }
        made->next = memory != NULL ? memory->next : NULL;
        *place = made;
        bucket_free(memory);
    } else if (made != NULL) {
        bucket_free(made);
    }
    return status;
}

static psgd_status faulty_step(psgd_state *state, const psgd_bucket *bucket)
{
    if (state == NULL) {
        return PSGD_ERR_ARGUMENT;
    }
    if (state->broken) {
        return psgd_fail(PSGD_ERR_BROKEN, state->message, FAULTY_MESSAGE, "state: an earlier collective failed");
    }
    psgd_bucket_layout layout;
    const psgd_config *c = &state->config;
    double rate = c->min_compression_rate;
    if (fault_is(state, FAULT_SELECTION_NOT_STRICT)) {
        rate = nextafter(rate, 0); /* a tie now falls just below */
    }
    psgd_status status =
        psgd_bucket_layout_make(&layout, bucket, c->matrix_approximation_rank, rate, state->message, FAULTY_MESSAGE);
    const uint64_t start = (uint64_t)c->start_iter + fault_is(state, FAULT_STARTS_LATE);
    if (status == PSGD_OK && c->variant == PSGD_FLATTENED && state->iteration >= start) {
        status = faulty_square_layout(state, &layout);
    }
    if (status == PSGD_OK) {
        status = state->iteration < start ? faulty_plain_step(state, bucket, layout.numel)
                                          : compressed(state, bucket, &layout);
    }
    if (status == PSGD_OK && bucket->is_last) {
        state->iteration++;
    }
    psgd_bucket_layout_free(&layout);
    return status;
}

static psgd_status faulty_peek(const psgd_state *state, psgd_part part, size_t index, size_t tensor, void *data,
                               size_t bytes)
{
    if (state == NULL) {
        return PSGD_ERR_ARGUMENT;
    }
    const faulty_bucket *bucket = find(state, index);
    if (bucket == NULL || data == NULL) {
        return psgd_fail(PSGD_ERR_ARGUMENT, state->message, FAULTY_MESSAGE,
                         bucket == NULL ? "bucket %zu: not compressed yet" : "data is null (bucket %zu)", index);
    }
    const psgd_bucket_layout *l = &bucket->layout;
    const double *values = bucket->error;
    size_t length = l->error_numel;
    if (part != PSGD_PART_ERROR && state->config.variant == PSGD_FLATTENED) {
        values = part == PSGD_PART_P ? bucket->p : bucket->q;
        length = (part == PSGD_PART_P || part == PSGD_PART_Q) && tensor == 0 ? l->p_numel : 0;
        if (length == 0) {
            return psgd_fail(PSGD_ERR_ARGUMENT, state->message, FAULTY_MESSAGE, "tensor %zu or part: nothing to show",
                             tensor);
        }
    } else if (part != PSGD_PART_ERROR) {
        if ((part != PSGD_PART_P && part != PSGD_PART_Q) || tensor >= l->tensor_count ||
            !l->tensors[tensor].compressed) {
            return psgd_fail(PSGD_ERR_ARGUMENT, state->message, FAULTY_MESSAGE, "tensor %zu or part: nothing to show",
                             tensor);
        }
        const psgd_matrix_layout *t = &l->tensors[tensor];
        values = part == PSGD_PART_P ? bucket->p + t->p_offset : bucket->q + t->q_offset;
        length = (part == PSGD_PART_P ? t->n : t->m) * t->r;
    }
    if (bytes != length * psgd_dtype_size((uint32_t)l->dtype)) {
        return psgd_fail(PSGD_ERR_ARGUMENT, state->message, FAULTY_MESSAGE, "bytes: %zu is not the size of this part",
                         bytes);
    }
    faulty_store(state, data, values, length, l->dtype);
    return PSGD_OK;
}

static psgd_status faulty_statistics(const psgd_state *state, psgd_statistics *statistics)
{
    if (state == NULL || statistics == NULL) {
        return PSGD_ERR_ARGUMENT;
    }
    *statistics = state->counted;
    return PSGD_OK;
}

static const char *faulty_last_error(const psgd_state *state)
{
    return state != NULL ? state->message : "state is null";
}

/* Under its name, with the claims that the variant makes. The kit asks for one variant in each process. */
static psgd_implementation table = {
    .struct_size = (uint32_t)sizeof(psgd_implementation),
    .abi = PSGD_ABI,
    .version = "1",
    .create = faulty_create,
    .step = faulty_step,
    .destroy = faulty_destroy,
    .peek = faulty_peek,
    .statistics = faulty_statistics,
    .last_error = faulty_last_error,
};

const psgd_implementation *faulty_implementation(const char *module, bool honest)
{
    fault f = FAULT_NONE;
    const char *name = getenv("PSGD_FAULT");
    if (name != NULL && (!fault_find(&f, name) || (fault_is_honest(f) != honest && f != FAULT_NONE))) {
        return NULL;
    }
    table.name = module;
    table.claims = FAULTY_CLAIMS & fault_entry_of(f)->claims;
    return &table;
}
