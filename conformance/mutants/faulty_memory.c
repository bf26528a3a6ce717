/* faulty_memory.c: the error feedback memory of a layerwise step, with the places where it can be made to go wrong. */
#include "mutants/faulty_step.h"

void faulty_add_error(const psgd_state *state, const psgd_bucket *bucket, const faulty_bucket *memory, workspace *w)
{
    const psgd_bucket_layout *l = &memory->layout;
    faulty_load(w->m, bucket->data, l->numel, l->dtype);
    for (size_t i = 0; i < l->numel && state->config.use_error_feedback; i++) {
        w->m[i] = faulty_round(state, w->m[i] + memory->error[i], l->dtype);
    }
}

void faulty_keep_error(const psgd_state *state, const psgd_bucket *bucket, faulty_bucket *memory, workspace *w)
{
    const psgd_bucket_layout *l = &memory->layout;
    const bool narrow = fault_is(state, FAULT_HALF_ERROR_IN_BF16);
    if (fault_is(state, FAULT_ERROR_FROM_RAW_GRADIENT)) {
        faulty_load(w->m, bucket->data, l->numel, l->dtype);
    }
    for (size_t i = 0; i < l->tensor_count; i++) {
        const psgd_matrix_layout *t = &l->tensors[i];
        const bool own =
            fault_is(state, FAULT_ERROR_FROM_LOCAL_APPROXIMATION) || fault_is(state, HONEST_ERROR_OF_OWN_APPROXIMATION);
        const bool local = own && t->compressed;
        const bool none = fault_is(state, HONEST_NO_ERROR_OF_UNCOMPRESSED) && !t->compressed;
        const double *reference = local ? w->own : w->out;
        for (size_t j = t->offset; j < t->offset + t->n * t->m; j++) {
            const double error = none ? 0 : w->m[j] - reference[j];
            memory->error[j] = faulty_round(state, error, narrow && l->dtype == PSGD_F16 ? PSGD_BF16 : l->dtype);
        }
    }
}
