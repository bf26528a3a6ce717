/* faulty_draw.c: a fresh Q, drawn by the caller's source or by the seeded chain of PyTorch's hook, in both variants,
 * with the places where it can be made to go wrong. It does not orthogonalise. Next: faulty_normals.c. */
#include "mutants/faulty_draw.h"

#include "core/config.h"
#include "core/values.h"

/* What a bucket is drawn by. */
typedef struct drawing {
    psgd_state *state;
    const psgd_bucket_layout *layout;
    uint32_t seed; /* of its normals */
    void *wire;
} drawing;

static size_t batch_of(const psgd_state *state, const psgd_bucket_layout *l, size_t at)
{
    bool batched = state->config.batch_tensors_with_same_shape || fault_is(state, FAULT_BATCHED_ALWAYS);
    batched = batched && !fault_is(state, FAULT_BATCHED_NEVER) && !fault_is(state, FAULT_DRAWN_IN_BUCKET_ORDER);
    return batched ? psgd_bucket_layout_run(l, at) : 1;
}

static void exchange(double *a, double *b)
{
    const double kept = *a;
    *a = *b;
    *b = kept;
}

/* q[m r] by the caller's source. */
static psgd_status from_source(const drawing *d, size_t tensor, size_t m, size_t r, double *q)
{
    psgd_state *state = d->state;
    const psgd_q_source *source = state->config.q_source;
    const psgd_bucket_layout *l = d->layout;
    const bool same = fault_is(state, FAULT_SAME_Q_EVERY_STEP) || fault_is(state, FAULT_FIRST_Q_REUSED) ||
                      fault_is(state, FAULT_FIRST_SIDE_KEPT);
    const uint64_t step = same ? (uint64_t)state->config.start_iter : state->iteration;
    const psgd_status status = source->draw(source->context, step, l->index, tensor, l->dtype, m, r, d->wire);
    if (status == PSGD_OK) {
        faulty_load(q, d->wire, m * r, l->dtype);
    }
    for (size_t i = 0; fault_is(state, FAULT_Q_DIFFERS_BY_RANK) && m > 1 && i < r && state->comm.rank > 0; i++) {
        exchange(&q[i], &q[r + i]);
    }
    return status;
}

/* q[m r] of each of `batch` tensors, by the seeded chain. */
static psgd_status from_chain(const drawing *d, psgd_torch_generator *normals, size_t batch, size_t m, size_t r,
                              double *q)
{
    if (fault_is(d->state, FAULT_SEEDED_BY_TENSOR)) {
        psgd_torch_manual_seed(normals, d->seed);
    }
    const psgd_status status = faulty_normals(d->state, normals, d->layout->dtype, batch * m * r, q, d->wire);
    if (status == PSGD_OK && fault_is(d->state, FAULT_DRAWN_COLUMN_MAJOR)) {
        double *copy = d->wire; /* room for as many doubles */
        for (size_t i = 0; i < m * r; i++) {
            copy[i] = q[i];
        }
        for (size_t i = 0; i < m * r; i++) {
            q[i] = copy[i % r * m + i / r];
        }
    }
    return status;
}

/* The tensor that is drawn at this place. */
static size_t tensor_at(const drawing *d, size_t place)
{
    const psgd_bucket_layout *l = d->layout;
    if (!fault_is(d->state, FAULT_DRAWN_IN_BUCKET_ORDER)) {
        return l->factor_order[place];
    }
    size_t tensor = 0;
    for (size_t seen = 0; tensor < l->tensor_count; tensor++) {
        seen += l->tensors[tensor].compressed;
        if (seen > place) {
            break;
        }
    }
    return tensor;
}

static psgd_status draw_tensors(const drawing *d, psgd_torch_generator *normals, bool by_source, double *q)
{
    const psgd_bucket_layout *l = d->layout;
    psgd_status status = PSGD_OK;
    for (size_t at = 0, batch = 1; at < l->compressed_count && status == PSGD_OK; at += batch) {
        const size_t tensor = tensor_at(d, at);
        const psgd_matrix_layout *t = &l->tensors[tensor];
        batch = by_source ? 1 : batch_of(d->state, l, at);
        status = by_source ? from_source(d, tensor, t->m, t->r, q + t->q_offset)
                           : from_chain(d, normals, batch, t->m, t->r, q + t->q_offset);
    }
    return status;
}

psgd_status faulty_draw(psgd_state *state, const psgd_bucket_layout *l, double *q, void *wire)
{
    const bool by_source = state->config.q_source != NULL && !fault_is(state, FAULT_Q_SOURCE_IGNORED);
    const bool flattened = state->config.variant == PSGD_FLATTENED;
    drawing d = {.state = state, .layout = l, .wire = wire};
    psgd_torch_generator normals = {0};
    if (!by_source && (l->q_numel > 0 || !fault_is(state, FAULT_NO_SEED_FOR_NOTHING))) {
        d.seed = faulty_next_seed(state, l);
        faulty_seed_normals(state, &normals, d.seed);
    }
    psgd_status status;
    if (!flattened) {
        status = draw_tensors(&d, &normals, by_source, q);
    } else if (by_source) {
        status = from_source(&d, 0, l->side, l->q_numel / l->side, q);
    } else {
        status = from_chain(&d, &normals, 1, l->side, l->q_numel / l->side, q);
    }
    if (fault_is(state, FAULT_SEEDED_ONCE) && !by_source) {
        state->normals = normals;
    }
    return status == PSGD_OK ? PSGD_OK : psgd_fail(status, state->message, FAULTY_MESSAGE, "q_source: a draw failed");
}
