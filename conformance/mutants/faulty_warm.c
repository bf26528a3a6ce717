/* faulty_warm.c: the Q that a step starts from, and what is kept for the next: in both variants, with the places where
 * it can be made to go wrong. Next: faulty_draw.c. */
#include "mutants/faulty.h"

#include "core/values.h"

#include <string.h>

static bool is_redrawn(const psgd_state *state, const faulty_bucket *memory, bool is_new)
{
    if (is_new || fault_is(state, FAULT_WARM_START_DEFEATED) || fault_is(state, FAULT_FIRST_Q_REUSED)) {
        return true;
    }
    if (fault_is(state, FAULT_CHECKPOINT_DROPS_FACTORS) && memory->steps == 0) {
        return true;
    }
    if (fault_is(state, FAULT_COLD_SECOND_STEP) && memory->steps == 1) {
        return true;
    }
    return !state->config.warm_start && !fault_is(state, FAULT_ALWAYS_WARM);
}

/* The memory that the kept Q is taken from. */
static const faulty_bucket *source_of(const psgd_state *state, const faulty_bucket *memory)
{
    const faulty_bucket *first = state->buckets;
    const bool fits = first != NULL && first->layout.q_numel == memory->layout.q_numel;
    return fault_is(state, FAULT_Q_OF_FIRST_BUCKET) && fits ? first : memory;
}

static double recalled(const psgd_state *state, const faulty_bucket *memory, size_t i)
{
    const psgd_bucket_layout *l = &memory->layout;
    if (fault_is(state, FAULT_Q_OF_OTHER_TENSOR) && l->compressed_count > 1) {
        const psgd_matrix_layout *t = &l->tensors[l->factor_order[0]];
        return memory->q[(i + t->m * t->r) % l->q_numel];
    }
    if (fault_is(state, HONEST_Q_KEPT_AS_SUM)) {
        return faulty_round(state, memory->q[i] * state->comm.size, l->dtype);
    }
    return memory->q[i];
}

psgd_status faulty_start_q(psgd_state *state, const faulty_bucket *memory, bool is_new, double *q, void *wire)
{
    const psgd_bucket_layout *l = &memory->layout;
    const faulty_bucket *source = source_of(state, memory);
    if (is_redrawn(state, memory, is_new)) {
        return faulty_draw(state, l, q, wire);
    }
    for (size_t i = 0; i < l->q_numel; i++) {
        q[i] = recalled(state, source, i);
    }
    return PSGD_OK;
}

void faulty_keep_factors(const psgd_state *state, faulty_bucket *memory, const double *p, const double *q,
                         const double *local_q)
{
    const psgd_bucket_layout *l = &memory->layout;
    const bool as_q = fault_is(state, FAULT_P_KEPT_AS_Q) && l->p_numel == l->q_numel;
    const double *kept = as_q ? p : fault_is(state, FAULT_LOCAL_Q_KEPT) ? local_q : q;
    memcpy(memory->p, p, l->p_numel * sizeof(double));
    for (size_t i = 0; i < l->q_numel; i++) {
        memory->q[i] = fault_is(state, FAULT_Q_SUM_KEPT) ? kept[i] * state->comm.size : kept[i];
        if (fault_is(state, FAULT_KEPT_Q_IN_F16)) {
            memory->q[i] = psgd_value_type_of(PSGD_F16)->round(memory->q[i]);
        }
    }
}
