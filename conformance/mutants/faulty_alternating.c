/* faulty_alternating.c: the alternating variant: one product and one sum over the ranks a step, the sides in turn. What
 * the step before left on one side is made orthonormal, and the gradients are projected on it. */
#include "mutants/faulty_step.h"

#include "core/config.h"

#include <string.h>

/* p[p_numel] of normals: a first step on the columns has nobody to ask. */
static psgd_status draw_columns(psgd_state *state, const psgd_bucket_layout *l, workspace *w)
{
    const psgd_dtype drawn = l->dtype == PSGD_F64 ? PSGD_F64 : PSGD_F32;
    psgd_torch_generator normals;
    psgd_torch_manual_seed(&normals, psgd_random_next_seed(&state->seeds));
    const psgd_status status = psgd_torch_randn(&normals, w->wire, l->p_numel, drawn);
    if (status != PSGD_OK) {
        return psgd_fail(status, state->message, FAULTY_MESSAGE, "a draw failed");
    }
    faulty_load(w->p, w->wire, l->p_numel, drawn);
    return PSGD_OK;
}

bool faulty_alternates(const psgd_state *state)
{
    return (fault_entry_of(state->fault)->claims & PSGD_CLAIM_ALTERNATING) != 0;
}

static uint64_t bucket_count(const psgd_state *state)
{
    uint64_t count = 0;
    for (const faulty_bucket *bucket = state->buckets; bucket != NULL; bucket = bucket->next) {
        count++;
    }
    return count;
}

static bool on_columns(const psgd_state *state, const faulty_bucket *memory)
{
    uint64_t turn = memory->steps;
    if (fault_is(state, FAULT_ALTERNATES_BY_BUCKET)) {
        turn = memory->steps * bucket_count(state) + memory->layout.index;
    }
    if (fault_is(state, FAULT_ALTERNATES_BY_PAIRS)) {
        turn = (memory->steps + 1) / 2;
    }
    const bool even = turn % 2 == 0 || fault_is(state, FAULT_NEVER_ALTERNATES);
    return even == fault_is(state, HONEST_ALTERNATING_LEFT);
}

psgd_status faulty_alternate_draw(psgd_state *state, const faulty_bucket *memory, workspace *w)
{
    const psgd_bucket_layout *l = &memory->layout;
    const bool redrawn = fault_is(state, FAULT_SIDE_REDRAWN) || fault_is(state, FAULT_FIRST_SIDE_KEPT);
    if (memory->steps > 0 && redrawn && !on_columns(state, memory)) {
        return faulty_draw(state, l, w->q, w->wire);
    }
    if (memory->steps > 0) {
        memcpy(w->p, memory->p, l->p_numel * sizeof(double));
        memcpy(w->q, memory->q, l->q_numel * sizeof(double));
        return PSGD_OK;
    }
    return on_columns(state, memory) ? draw_columns(state, l, w) : faulty_draw(state, l, w->q, w->wire);
}

psgd_status faulty_alternate(psgd_state *state, const faulty_bucket *memory, workspace *w)
{
    const psgd_bucket_layout *l = &memory->layout;
    const bool columns = on_columns(state, memory);
    double *made = columns ? w->q : w->p;
    const size_t count = columns ? l->q_numel : l->p_numel;
    if (!(columns ? faulty_project_right(state, l, w) : faulty_project_left(state, l, w))) {
        return PSGD_ERR_MEMORY;
    }
    if (fault_is(state, FAULT_ALTERNATING_NOT_REDUCED)) {
        return PSGD_OK;
    }
    const psgd_status status = faulty_sum_over_ranks(state, made, count, w->wire, l->dtype);
    if (status == PSGD_OK && !fault_is(state, FAULT_ALTERNATING_NOT_AVERAGED)) {
        faulty_divide(state, made, count, state->comm.size, l->dtype);
    }
    return status;
}
