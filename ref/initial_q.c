/* initial_q.c: Algorithm 1's initial Q, from an i.i.d. standard normal distribution. See initial_q.h.
 *
 * Both variants: the flattened one has a single factor, side x r.
 */
#include "initial_q.h"

#include "core/config.h"

#include <string.h>

/* The caller's own numbers, if it gave a source: tensor by tensor. */
static psgd_status draw_from_source(psgd_state *state, psgd_workspace *w)
{
    const psgd_bucket_layout *layout = &w->fresh->layout;
    const psgd_q_source *source = state->config.q_source;
    for (size_t i = 0; i < layout->tensor_count; i++) {
        const psgd_matrix_layout *t = &layout->tensors[i];
        if (t->compressed) {
            psgd_status status =
                source->draw(source->context, state->iteration, layout->index, i, layout->dtype, t->m, t->r, w->wire);
            if (status != PSGD_OK) {
                return psgd_fail(status, state->message, PSGD_MESSAGE_SIZE,
                                 "config.q_source->draw of Q for tensor %zu failed with %s", i,
                                 psgd_status_name(status));
            }
            w->type->load(w->fresh->q + t->q_offset, w->wire, t->m * t->r); /* [m x r] */
        }
    }
    return PSGD_OK;
}

/* The hook's seeded chain. One seed per bucket, drawn even where there is nothing to compress; then normals in the
 * order of the factors, equal shapes together: A,B,A as A,A,B.
 *
 * In half types the reference draws f32 normals and rounds them. PyTorch has no settled rule there (it changed the one
 * it had in 2026), so these are not the hook's numbers: who wants those hands them in. */
static psgd_status draw_seeded(psgd_state *state, psgd_workspace *w)
{
    const psgd_bucket_layout *layout = &w->fresh->layout;
    const psgd_value_type *drawn = w->type->half ? psgd_value_type_of(PSGD_F32) : w->type;
    psgd_mt19937 seeds = state->seeds; /* a copy: the state's own moves on when all is drawn */
    psgd_torch_generator normals;
    psgd_torch_manual_seed(&normals, psgd_random_next_seed(&seeds));
    for (size_t next = 0; next < layout->compressed_count;) {
        const psgd_matrix_layout *t = &layout->tensors[layout->factor_order[next]];
        /* With batching all matrices of a shape in one draw: other numbers, for 20 normals are not twice 10. */
        size_t batch = state->config.batch_tensors_with_same_shape ? psgd_bucket_layout_run(layout, next) : 1;
        size_t count = batch * t->m * t->r; /* [batch][m x r], side by side */
        double *q = w->fresh->q + t->q_offset;
        psgd_status status = psgd_torch_randn(&normals, w->wire, count, drawn->dtype);
        if (status != PSGD_OK) {
            return psgd_fail(status, state->message, PSGD_MESSAGE_SIZE, "the seeded draw of Q failed with %s",
                             psgd_status_name(status));
        }
        drawn->load(q, w->wire, count);
        psgd_round_values(q, count, w->type);
        next += batch;
    }
    state->seeds = seeds;
    return PSGD_OK;
}

psgd_status psgd_initial_q(psgd_state *state, const psgd_bucket_memory *old, psgd_workspace *w)
{
    if (old && state->config.warm_start) {
        memcpy(w->fresh->q, old->q, w->fresh->layout.q_numel * sizeof *old->q);
        return PSGD_OK;
    }
    return state->config.q_source ? draw_from_source(state, w) : draw_seeded(state, w);
}
