/* state.c: making, finding, replacing, showing what the reference remembers. See state.h. */
#include "state.h"

#include "core/config.h"
#include "core/number.h"
#include "core/values.h"
#include "requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double *psgd_new_values(size_t count)
{
    size_t bytes;
    if (!psgd_size_multiply(count, sizeof(double), &bytes)) {
        return NULL;
    }
    return malloc(bytes > 0 ? bytes : 1);
}

/* ---- a state ---- */

psgd_state *psgd_state_new(const psgd_config *config, const psgd_comm *comm)
{
    psgd_state *state = calloc(1, sizeof *state);
    char *message = calloc(PSGD_MESSAGE_SIZE, 1);
    if (!state || !message) {
        free(state);
        free(message);
        return NULL;
    }
    state->config = *config;
    state->comm = *comm;
    state->message = message;
    psgd_mt19937_seed(&state->seeds, config->random_seed);
    return state;
}

void psgd_state_free(psgd_state *state)
{
    if (state) {
        psgd_requests_free(state->requests);
        psgd_bucket_memories_free(state->memories);
        free(state->message);
        free(state);
    }
}

psgd_status psgd_state_say_broken(const psgd_state *state)
{
    return psgd_fail(PSGD_ERR_BROKEN, state->message, PSGD_MESSAGE_SIZE,
                     "state: a collective failed earlier; destroy it or load a checkpoint");
}

/* ---- a bucket's memory ---- */

psgd_bucket_memory *psgd_bucket_memory_new(psgd_bucket_layout *layout, bool with_error)
{
    psgd_bucket_memory *memory = calloc(1, sizeof *memory);
    if (!memory) {
        return NULL;
    }
    memory->p = psgd_new_values(layout->p_numel);
    memory->q = psgd_new_values(layout->q_numel);
    memory->error = with_error ? psgd_new_values(layout->error_numel) : NULL;
    if (!memory->p || !memory->q || (with_error && !memory->error)) {
        psgd_bucket_memory_free(memory);
        return NULL;
    }
    memory->layout = *layout;
    *layout = (psgd_bucket_layout){0};
    return memory;
}

void psgd_bucket_memory_free(psgd_bucket_memory *memory)
{
    if (memory) {
        psgd_bucket_layout_free(&memory->layout);
        free(memory->error);
        free(memory->p);
        free(memory->q);
        free(memory);
    }
}

void psgd_bucket_memories_free(psgd_bucket_memory *memories)
{
    while (memories) {
        psgd_bucket_memory *next = memories->next;
        psgd_bucket_memory_free(memories);
        memories = next;
    }
}

psgd_bucket_memory *psgd_state_find(const psgd_state *state, size_t bucket)
{
    psgd_bucket_memory *memory = state->memories;
    while (memory && memory->layout.index != bucket) {
        memory = memory->next;
    }
    return memory;
}

void psgd_state_remember(psgd_state *state, psgd_bucket_memory *memory)
{
    psgd_bucket_memory **place = &state->memories;
    while (*place && (*place)->layout.index != memory->layout.index) {
        place = &(*place)->next;
    }
    psgd_bucket_memory *old = *place;
    memory->next = old ? old->next : NULL;
    *place = memory;
    psgd_bucket_memory_free(old);
}

/* ---- statistics ---- */

psgd_statistics psgd_state_statistics(const psgd_state *state)
{
    psgd_statistics statistics = {0};
    statistics.numel_before_compression = state->numel_before;
    statistics.numel_after_compression = state->numel_after;
    if (state->numel_after > 0) {
        statistics.compression_rate = (double)state->numel_before / (double)state->numel_after;
    }
    return statistics;
}

static void report(const psgd_state *state)
{
    psgd_statistics statistics = psgd_state_statistics(state);
    char rate[32], line[160];
    psgd_format_double(rate, sizeof rate, statistics.compression_rate);
    snprintf(line, sizeof line, "statistics iter=%" PRIu64 " before=%" PRIu64 " after=%" PRIu64 " rate=%s",
             state->iteration, state->numel_before, state->numel_after, rate);
    state->config.log(state->config.log_context, line);
}

void psgd_state_count(psgd_state *state, const psgd_bucket_layout *layout, bool is_last)
{
    state->numel_before += layout->numel;
    state->numel_after += layout->uncompressed_numel + layout->p_numel + layout->q_numel; /* n r + m r = (n + m) r */
    if (is_last && state->iteration >= state->next_report) {
        if (state->config.log) {
            report(state);
        }
        state->next_report = state->iteration + (uint64_t)state->config.compression_stats_logging_frequency;
    }
}

/* ---- peek ---- */

psgd_status psgd_state_peek(const psgd_state *state, psgd_part part, size_t bucket, size_t tensor, void *data,
                            size_t bytes)
{
    char *message = state->message;
    const psgd_bucket_memory *memory = psgd_state_find(state, bucket);
    if (!memory) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, PSGD_MESSAGE_SIZE,
                         "bucket: %zu has not been through a compressed step", bucket);
    }
    const psgd_bucket_layout *layout = &memory->layout;
    const double *values;
    size_t count;
    if (part == PSGD_PART_ERROR) {
        values = memory->error;
        count = layout->error_numel;
    } else if (part == PSGD_PART_P || part == PSGD_PART_Q) {
        if (tensor >= layout->tensor_count) {
            return psgd_fail(PSGD_ERR_ARGUMENT, message, PSGD_MESSAGE_SIZE, "tensor: %zu of %zu in bucket %zu", tensor,
                             layout->tensor_count, bucket);
        }
        const psgd_matrix_layout *t = &layout->tensors[tensor];
        if (!t->compressed) {
            return psgd_fail(PSGD_ERR_ARGUMENT, message, PSGD_MESSAGE_SIZE,
                             "tensor: %zu in bucket %zu is not compressed and has no factors", tensor, bucket);
        }
        values = part == PSGD_PART_P ? memory->p + t->p_offset : memory->q + t->q_offset;
        count = (part == PSGD_PART_P ? t->n : t->m) * t->r;
    } else {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, PSGD_MESSAGE_SIZE, "part: %d is no psgd_part", (int)part);
    }
    if (bytes != count * psgd_dtype_size(layout->dtype)) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, PSGD_MESSAGE_SIZE, "bytes: %zu given, the part has %zu", bytes,
                         count * psgd_dtype_size(layout->dtype));
    }
    if (bytes > 0 && !data) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, PSGD_MESSAGE_SIZE, "data is null");
    }
    if (bytes > 0 && !values) {
        memset(data, 0, bytes); /* no error feedback: E = 0 */
    } else {
        psgd_value_type_of(layout->dtype)->store(data, values, count);
    }
    return PSGD_OK;
}
