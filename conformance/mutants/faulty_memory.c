/* faulty_memory.c: the error feedback memory of a layerwise step, with the places where it can be made to go wrong. */
#include "mutants/faulty_step.h"

#include <math.h>
#include <string.h>

#define BLOCK 256 /* elements that a grid of threads covers at once */

/* ---- M = G + E ---- */

static double gradient(const psgd_state *state, double value)
{
    if (fault_is(state, FAULT_GRADIENT_CLIPPED) && fabs(value) > 1000) {
        return copysign(1000, value);
    }
    if (fault_is(state, FAULT_NAN_TO_ZERO) && isnan(value)) {
        return 0;
    }
    return fault_is(state, FAULT_INFINITY_CLIPPED) && isinf(value) ? copysign(0x1p15, value) : value;
}

/* What of the error of element i is added. */
static double remembered(const psgd_state *state, const faulty_bucket *memory, size_t i)
{
    if (fault_is(state, FAULT_NO_ERROR_FEEDBACK)) {
        return 0;
    }
    if (fault_is(state, FAULT_ERROR_SUBTRACTED)) {
        return -memory->error[i];
    }
    if (fault_is(state, FAULT_ERROR_DECAYED)) {
        return 0.9 * memory->error[i];
    }
    if (fault_is(state, FAULT_GRID_STRIDE_REPEATS) && i >= BLOCK) {
        return 2 * memory->error[i];
    }
    return memory->error[i];
}

/* The memory that this bucket takes its error from. */
static const faulty_bucket *source_of(const psgd_state *state, const faulty_bucket *memory)
{
    const faulty_bucket *source = memory;
    if (fault_is(state, FAULT_ERROR_OF_ALL_BUCKETS)) {
        source = state->buckets;
    }
    if (fault_is(state, FAULT_ERROR_OF_NEXT_BUCKET)) {
        source = memory->next != NULL ? memory->next : state->buckets;
    }
    return source != NULL && source->layout.error_numel >= memory->layout.numel ? source : memory;
}

void faulty_add_error(const psgd_state *state, const psgd_bucket *bucket, const faulty_bucket *memory, workspace *w)
{
    const psgd_bucket_layout *l = &memory->layout;
    const faulty_bucket *source = source_of(state, memory);
    const bool remembers = state->config.use_error_feedback || fault_is(state, FAULT_ERROR_FEEDBACK_ALWAYS);
    faulty_load(w->m, faulty_data(state, bucket), l->numel, l->dtype);
    for (size_t i = 0; i < l->numel; i++) {
        w->m[i] = gradient(state, w->m[i]);
        if (remembers) {
            w->m[i] = faulty_round(state, w->m[i] + remembered(state, source, i), l->dtype);
        }
    }
}

/* ---- E = M - out ---- */

/* The type in which this bucket's error is kept. */
static psgd_dtype kept_type(const psgd_state *state, psgd_dtype dtype)
{
    if (fault_is(state, FAULT_HALF_ERROR_IN_BF16) && dtype == PSGD_F16) {
        return PSGD_BF16;
    }
    return fault_is(state, FAULT_ERROR_IN_F32) && dtype == PSGD_F64 ? PSGD_F32 : dtype;
}

static double error_of(const psgd_state *state, double m, double reference, double before)
{
    const double error = m - reference;
    if (fault_is(state, FAULT_ERROR_ACCUMULATED)) {
        return before + error;
    }
    return fault_is(state, FAULT_ERROR_CLIPPED) && fabs(error) > 0.5 ? copysign(0.5, error) : error;
}

/* Is this bucket's error left as it was? */
static bool keeps_nothing(const psgd_state *state, const psgd_bucket *bucket)
{
    return fault_is(state, FAULT_ONLY_LAST_BUCKET_REMEMBERS) && !bucket->is_last;
}

static void keep_tensor(const psgd_state *state, faulty_bucket *memory, const workspace *w, const psgd_matrix_layout *t)
{
    const psgd_dtype type = kept_type(state, memory->layout.dtype);
    const bool own =
        fault_is(state, FAULT_ERROR_FROM_LOCAL_APPROXIMATION) || fault_is(state, HONEST_ERROR_OF_OWN_APPROXIMATION);
    const bool local = own && t->compressed;
    const double *reference = local ? w->own : w->out;
    size_t covered = t->n * t->m;
    if (fault_is(state, FAULT_ERROR_TAIL_UNCOVERED)) {
        covered -= covered % BLOCK;
    }
    const bool only_compressed =
        fault_is(state, FAULT_ERROR_OF_COMPRESSED_ONLY) || fault_is(state, HONEST_NO_ERROR_OF_UNCOMPRESSED);
    if (only_compressed && !t->compressed) {
        covered = 0;
    }
    for (size_t j = t->offset; j < t->offset + covered; j++) {
        memory->error[j] = faulty_round(state, error_of(state, w->m[j], reference[j], memory->error[j]), type);
    }
}

psgd_status faulty_keep_error(psgd_state *state, const psgd_bucket *bucket, faulty_bucket *memory, workspace *w)
{
    const psgd_bucket_layout *l = &memory->layout;
    if (keeps_nothing(state, bucket)) {
        return PSGD_OK;
    }
    if (fault_is(state, FAULT_ERROR_FROM_RAW_GRADIENT)) {
        faulty_load(w->m, bucket->data, l->numel, l->dtype);
    }
    if (fault_is(state, FAULT_RESULT_OVER_INPUT)) {
        memcpy(w->m, w->out, l->numel * sizeof(double));
    }
    if (fault_is(state, FAULT_ERROR_FROM_MEAN)) {
        const psgd_status status = faulty_sum_over_ranks(state, w->m, l->numel, w->wire, l->dtype);
        if (status != PSGD_OK) {
            return status;
        }
        faulty_divide(state, w->m, l->numel, state->comm.size, l->dtype);
    }
    for (size_t i = 0; i < l->tensor_count; i++) {
        keep_tensor(state, memory, w, &l->tensors[i]);
    }
    if (fault_is(state, FAULT_ERROR_TWO_STEPS_OLD)) {
        double *const other = memory->spare; /* two buffers, of which the wrong one is read next */
        memory->spare = memory->error;
        memory->error = other;
    }
    const bool cleared = fault_is(state, FAULT_ERROR_CLEARED_WITH_Q) && !state->config.warm_start;
    if (cleared || (fault_is(state, FAULT_ERROR_CLEARED_AT_REPORTS) && state->iteration >= state->next_report)) {
        memset(memory->error, 0, l->error_numel * sizeof(double));
    }
    return PSGD_OK;
}
