/* faulty_flattened.c: one step of the flattened variant: the bucket, padded with zeros, as one square. Written apart
 * from ref/ and from the kit's own idea of it, with the places where it can be made to go wrong. */
#include "mutants/faulty.h"

#include "core/config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GUARDED 8 /* elements that a case has guard bytes for, at least */

typedef struct square {
    size_t side, r, area;
    void *wire;      /* [area] elements of the type */
    double *m, *out; /* [area] */
    double *p, *q;   /* [side r] */
} square;

static size_t side_of(const psgd_state *state, size_t numel)
{
    size_t side = 0;
    while (side * side < numel) {
        side++;
    }
    const bool whole = side * side == numel;
    if (fault_is(state, FAULT_FLAT_SIDE_TO_NEAREST) && !whole) {
        return side - 1 + (sqrt((double)numel) - (double)(side - 1) >= 0.5);
    }
    if (fault_is(state, FAULT_FLAT_SIDE_PLUS_ONE) && whole) {
        return side + 1;
    }
    return fault_is(state, FAULT_FLAT_SIDE_BY_FLOOR) && !whole ? side - 1 : side;
}

psgd_status faulty_square_layout(psgd_state *state, psgd_bucket_layout *l)
{
    const size_t side = side_of(state, l->numel), asked = (size_t)state->config.matrix_approximation_rank;
    const size_t r = fault_is(state, FAULT_FLAT_RANK_CLIPPED) && asked > side ? side : asked;
    if (r > side && fault_is(state, FAULT_FLAT_RANK_REFUSED_LATE)) {
        (void)psgd_random_next_seed(&state->seeds);
        state->counted.numel_before_compression += l->numel;
    }
    if (r > side) {
        return psgd_fail(PSGD_ERR_ARGUMENT, state->message, FAULTY_MESSAGE,
                         "bucket: its square has side %zu, below the rank %zu", side, r);
    }
    const bool pays = (double)(2 * side * r) * state->config.min_compression_rate < (double)l->numel;
    const bool compressed = pays || !fault_is(state, FAULT_FLAT_RATE_USED);
    l->side = side;
    l->error_numel = l->numel > side * side ? l->numel : side * side;
    l->uncompressed_numel = compressed ? 0 : l->numel;
    l->p_numel = l->q_numel = compressed ? side * r : 0;
    return PSGD_OK;
}

static bool square_make(square *s, const psgd_bucket_layout *l)
{
    *s = (square){.side = l->side, .r = l->side > 0 ? l->p_numel / l->side : 0, .area = l->error_numel};
    s->wire = calloc(s->area + l->p_numel + 1, sizeof(double));
    s->m = calloc(s->area + 1, sizeof(double));
    s->out = calloc(s->area + 1, sizeof(double));
    s->p = calloc(l->p_numel + 1, sizeof(double));
    s->q = calloc(l->q_numel + 1, sizeof(double));
    return s->wire != NULL && s->m != NULL && s->out != NULL && s->p != NULL && s->q != NULL;
}

static void square_free(square *s)
{
    free(s->wire);
    free(s->m);
    free(s->out);
    free(s->p);
    free(s->q);
}

/* Where element i of the bucket is in the square. */
static size_t place_of(const psgd_state *state, const square *s, size_t i)
{
    return fault_is(state, FAULT_FLAT_COLUMN_MAJOR) ? i % s->side * s->side + i / s->side : i;
}

/* M: the gradients, zeros, and all of the error. */
static void fill(const psgd_state *state, square *s, const psgd_bucket *bucket, const faulty_bucket *memory)
{
    const size_t numel = memory->layout.numel;
    faulty_load(s->out, faulty_data(state, bucket), numel, memory->layout.dtype);
    for (size_t i = 0; i < numel; i++) {
        s->m[place_of(state, s, i)] = s->out[i];
    }
    for (size_t i = numel; fault_is(state, FAULT_FLAT_PADDING_NOT_ZEROED) && i < s->area; i++) {
        s->m[i] = s->m[i - numel]; /* what happened to be there */
    }
    const size_t remembered = fault_is(state, FAULT_FLAT_PADDING_ERROR_NOT_ADDED) ? numel : s->area;
    for (size_t i = 0; state->config.use_error_feedback && i < remembered; i++) {
        s->m[i] = faulty_round(state, s->m[i] + memory->error[i], memory->layout.dtype);
    }
}

/* result[side r] = M factor, or M^T factor */
static void multiply(const psgd_state *state, double *result, const square *s, const double *factor, bool transposed,
                     psgd_dtype dtype)
{
    for (size_t i = 0; i < s->side; i++) {
        for (size_t k = 0; k < s->r; k++) {
            const double *line = transposed ? s->m + i : s->m + i * s->side;
            result[i * s->r + k] = faulty_dot(state, line, transposed ? s->side : 1, factor + k, s->r, s->side, dtype);
        }
    }
}

/* out = P Q^T */
static void multiply_back(const psgd_state *state, square *s, psgd_dtype dtype)
{
    for (size_t i = 0; i < s->side; i++) {
        for (size_t j = 0; j < s->side; j++) {
            const double sum = faulty_dot(state, s->p + i * s->r, 1, s->q + j * s->r, 1, s->r, dtype);
            s->out[i * s->side + j] = fault_is(state, FAULT_NAN) ? NAN : faulty_round(state, sum, dtype);
        }
    }
}

static void keep(const psgd_state *state, const psgd_bucket *bucket, faulty_bucket *memory, const square *s)
{
    const psgd_bucket_layout *l = &memory->layout;
    if (fault_is(state, FAULT_ERROR_FROM_RAW_GRADIENT)) {
        faulty_load(s->m, bucket->data, l->numel, l->dtype);
    }
    for (size_t i = 0; i < s->area; i++) {
        const bool dropped = i >= l->numel && fault_is(state, FAULT_FLAT_PADDING_ERROR_DROPPED);
        memory->error[i] = dropped ? 0 : faulty_round(state, s->m[i] - s->out[i], l->dtype);
    }
    faulty_keep_factors(state, memory, s->p, s->q, s->q);
}

/* The result, cut back to the bucket's length. */
static void cut(const psgd_state *state, const psgd_bucket *bucket, const psgd_bucket_layout *l, square *s)
{
    const size_t padding = s->area - l->numel, beyond = padding < GUARDED ? padding : GUARDED;
    size_t length = l->numel + (fault_is(state, FAULT_FLAT_WRITES_PADDING) ? beyond : 0);
    if (fault_is(state, FAULT_FLAT_LAST_ROW_LEFT_OUT) && s->side > 0) {
        length -= l->numel % s->side; /* whole rows only */
    }
    for (size_t i = 0; i < length; i++) {
        s->m[i] = s->out[place_of(state, s, i)];
    }
    faulty_store(state, faulty_data(state, bucket), s->m, length, l->dtype);
}

static psgd_status approximate(psgd_state *state, square *s, const faulty_bucket *memory, bool is_new)
{
    const psgd_bucket_layout *l = &memory->layout;
    const psgd_dtype kept = faulty_factor_type(state, l->dtype);
    psgd_status status = faulty_start_q(state, memory, is_new, s->q, s->wire);
    if (status != PSGD_OK) {
        return status; /* no collective has been started */
    }
    if (!faulty_orthogonalize(state, FACTOR_Q, s->q, s->side, s->r, l->dtype)) {
        status = PSGD_ERR_MEMORY;
    }
    if (status == PSGD_OK) {
        multiply(state, s->p, s, s->q, false, l->dtype);
    }
    if (status == PSGD_OK && !fault_is(state, FAULT_P_NOT_REDUCED)) {
        status = faulty_sum_over_ranks(state, s->p, l->p_numel, s->wire, kept);
    }
    if (status == PSGD_OK && !faulty_orthogonalize(state, FACTOR_P, s->p, s->side, s->r, l->dtype)) {
        status = PSGD_ERR_MEMORY;
    }
    if (status == PSGD_OK) {
        multiply(state, s->q, s, s->p, true, l->dtype);
        status = faulty_sum_over_ranks(state, s->q, l->q_numel, s->wire, kept);
    }
    if (status == PSGD_OK) {
        faulty_divide(state, s->q, l->q_numel, state->comm.size, kept);
        if (fault_is(state, FAULT_Q_DIVIDED_TWICE)) {
            faulty_divide(state, s->q, l->q_numel, state->comm.size, kept);
        }
        multiply_back(state, s, l->dtype);
    }
    state->broken = status != PSGD_OK;
    return status;
}

psgd_status faulty_flattened_step(psgd_state *state, const psgd_bucket *bucket, faulty_bucket *memory, bool is_new)
{
    const psgd_bucket_layout *l = &memory->layout;
    square s;
    psgd_status status = PSGD_ERR_MEMORY;
    if (square_make(&s, l)) {
        fill(state, &s, bucket, memory);
        if (l->p_numel > 0) {
            status = approximate(state, &s, memory, is_new);
        } else { /* it did not pay: the plain mean of M */
            memcpy(s.out, s.m, s.area * sizeof(double));
            status = faulty_sum_over_ranks(state, s.out, l->numel, s.wire, l->dtype);
            faulty_divide(state, s.out, l->numel, state->comm.size, l->dtype);
        }
    }
    if (status == PSGD_OK) {
        keep(state, bucket, memory, &s);
        cut(state, bucket, l, &s);
    }
    square_free(&s);
    return status;
}
