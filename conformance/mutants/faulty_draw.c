/* faulty_draw.c: a fresh Q, drawn by the caller's source or by the seeded chain of PyTorch's hook, in both variants. It
 * does not orthogonalise. Next: faulty_orthogonalize.c. */
#include "mutants/faulty.h"

#include "core/config.h"

/* Half types have no draws of their own: f32's are rounded. */
static psgd_dtype drawn_type(psgd_dtype dtype)
{
    return dtype == PSGD_F64 ? PSGD_F64 : PSGD_F32;
}

/* q[count]: the elements of type `drawn` in wire, as the bucket's type holds them. */
static void take(const psgd_state *state, double *q, const void *wire, size_t count, psgd_dtype drawn, psgd_dtype dtype)
{
    faulty_load(q, wire, count, drawn);
    for (size_t i = 0; i < count; i++) {
        q[i] = faulty_round(state, q[i], dtype);
    }
}

/* q[m r] by the caller's source. */
static psgd_status from_source(psgd_state *state, const psgd_bucket_layout *l, size_t tensor, size_t m, size_t r,
                               double *q, void *wire)
{
    const psgd_q_source *source = state->config.q_source;
    const psgd_status status = source->draw(source->context, state->iteration, l->index, tensor, l->dtype, m, r, wire);
    if (status == PSGD_OK) {
        take(state, q, wire, m * r, l->dtype, l->dtype);
    }
    return status;
}

/* q[count] by the seeded chain. */
static psgd_status from_chain(const psgd_state *state, psgd_torch_generator *normals, psgd_dtype dtype, size_t count,
                              double *q, void *wire)
{
    const psgd_dtype drawn = drawn_type(dtype);
    const psgd_status status = psgd_torch_randn(normals, wire, count, drawn);
    if (status == PSGD_OK) {
        take(state, q, wire, count, drawn, dtype);
    }
    return status;
}

static size_t batch_of(const psgd_state *state, const psgd_bucket_layout *l, size_t at)
{
    return state->config.batch_tensors_with_same_shape ? psgd_bucket_layout_run(l, at) : 1;
}

static psgd_status draw_tensors(psgd_state *state, const psgd_bucket_layout *l, psgd_torch_generator *normals,
                                double *q, void *wire)
{
    psgd_status status = PSGD_OK;
    const bool chain = state->config.q_source == NULL;
    for (size_t at = 0, batch = 1; at < l->compressed_count && status == PSGD_OK; at += batch) {
        const psgd_matrix_layout *t = &l->tensors[l->factor_order[at]];
        batch = chain ? batch_of(state, l, at) : 1;
        status = chain ? from_chain(state, normals, l->dtype, batch * t->m * t->r, q + t->q_offset, wire)
                       : from_source(state, l, l->factor_order[at], t->m, t->r, q + t->q_offset, wire);
    }
    return status;
}

psgd_status faulty_draw(psgd_state *state, const psgd_bucket_layout *l, double *q, void *wire)
{
    psgd_torch_generator normals;
    if (state->config.q_source == NULL) {
        psgd_torch_manual_seed(&normals, psgd_random_next_seed(&state->seeds));
    }
    psgd_status status;
    if (state->config.variant != PSGD_FLATTENED) {
        status = draw_tensors(state, l, &normals, q, wire);
    } else if (state->config.q_source != NULL) {
        status = from_source(state, l, 0, l->side, l->q_numel / l->side, q, wire);
    } else {
        status = from_chain(state, &normals, l->dtype, l->q_numel, q, wire);
    }
    return status == PSGD_OK ? PSGD_OK : psgd_fail(status, state->message, FAULTY_MESSAGE, "q_source: a draw failed");
}
