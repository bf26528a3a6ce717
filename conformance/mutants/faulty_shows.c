/* faulty_shows.c: what the state tells of itself: parts, statistics, reports. */
#include "mutants/faulty.h"

#include "core/config.h"

#include <stdio.h>

void faulty_count(psgd_state *state, const psgd_bucket_layout *layout, bool is_last)
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

psgd_status faulty_peek(const psgd_state *state, psgd_part part, size_t index, size_t tensor, void *data, size_t bytes)
{
    if (state == NULL) {
        return PSGD_ERR_ARGUMENT;
    }
    const faulty_bucket *bucket = faulty_bucket_find(state, index);
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

psgd_status faulty_statistics(const psgd_state *state, psgd_statistics *statistics)
{
    if (state == NULL || statistics == NULL) {
        return PSGD_ERR_ARGUMENT;
    }
    *statistics = state->counted;
    return PSGD_OK;
}
