/* faulty_shows.c: what the state tells of itself: parts, statistics, reports. */
#include "mutants/faulty.h"

#include "core/config.h"

#include <stdio.h>
#include <string.h>

/* ---- statistics ---- */

static uint64_t elements_before(const psgd_state *state, const psgd_bucket_layout *l)
{
    if (fault_is(state, FAULT_FLAT_STATISTICS_PADDED)) {
        return l->error_numel;
    }
    return l->numel - (fault_is(state, FAULT_STATISTICS_COMPRESSED_ONLY) ? l->uncompressed_numel : 0);
}

static uint64_t elements_after(const psgd_state *state, const psgd_bucket_layout *l)
{
    uint64_t sum = fault_is(state, FAULT_STATISTICS_COMPRESSED_ONLY) ? 0 : l->uncompressed_numel;
    if (fault_is(state, FAULT_STATISTICS_BY_WHOLE_RANK) && state->config.variant == PSGD_LAYERWISE) {
        for (size_t i = 0; i < l->compressed_count; i++) {
            const psgd_matrix_layout *t = &l->tensors[l->factor_order[i]];
            sum += (t->n + t->m) * (uint64_t)state->config.matrix_approximation_rank;
        }
        return sum;
    }
    return sum + l->p_numel + l->q_numel;
}

static void add(psgd_state *state, const psgd_bucket_layout *l)
{
    psgd_statistics *s = &state->counted;
    if (fault_is(state, FAULT_STATISTICS_OF_LAST_STEP)) {
        *s = (psgd_statistics){0};
    }
    const uint64_t before = elements_before(state, l), after = elements_after(state, l);
    const bool swapped = fault_is(state, FAULT_STATISTICS_SWAPPED);
    s->numel_before_compression += swapped ? after : before;
    s->numel_after_compression += swapped ? before : after;
    s->compression_rate =
        s->numel_after_compression > 0 ? (double)s->numel_before_compression / (double)s->numel_after_compression : 0;
}

/* ---- reports ---- */

static bool is_due(const psgd_state *state, bool is_last)
{
    if (fault_is(state, FAULT_REPORT_BY_MULTIPLES)) {
        return is_last && state->iteration % (uint64_t)state->config.compression_stats_logging_frequency == 0;
    }
    return (is_last || fault_is(state, FAULT_REPORT_OF_EVERY_BUCKET)) && state->iteration >= state->next_report;
}

static void report(const psgd_state *state, const psgd_statistics *s)
{
    if (state->config.log != NULL) {
        char line[160];
        snprintf(line, sizeof line, "statistics iter=%llu before=%llu after=%llu rate=%.17g",
                 (unsigned long long)state->iteration, (unsigned long long)s->numel_before_compression,
                 (unsigned long long)s->numel_after_compression, s->compression_rate);
        state->config.log(state->config.log_context, line);
    }
}

void faulty_count(psgd_state *state, const psgd_bucket_layout *layout, bool is_last)
{
    const psgd_statistics before = state->counted;
    add(state, layout);
    if (is_due(state, is_last)) {
        report(state, fault_is(state, FAULT_REPORT_BEFORE_COUNTING) ? &before : &state->counted);
    }
    if (is_last && state->iteration >= state->next_report) {
        state->next_report = state->iteration + (uint64_t)state->config.compression_stats_logging_frequency;
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
    if (bytes != length * psgd_dtype_size((uint32_t)l->dtype) && !fault_is(state, FAULT_PEEK_SIZE_UNCHECKED)) {
        return psgd_fail(PSGD_ERR_ARGUMENT, state->message, FAULTY_MESSAGE, "bytes: %zu is not the size of this part",
                         bytes);
    }
    faulty_store(state, data, values, length, l->dtype);
    if (fault_is(state, FAULT_PEEK_SHOWS_ZEROS) && part == PSGD_PART_ERROR) {
        memset(data, 0, bytes); /* of an error memory that is no longer in use */
    }
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
