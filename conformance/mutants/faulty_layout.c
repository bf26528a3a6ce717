/* faulty_layout.c: which tensors are compressed, and as which matrices: core's answer, with the places where it can be
 * made to go wrong. Next: faulty_step.c. */
#include "mutants/faulty.h"

#include "core/config.h"

#include <math.h>
#include <stdlib.h>

#define SMALL 300 /* elements */

static size_t smallest(size_t a, size_t b, size_t c)
{
    const size_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* ---- other rules ---- */

static bool is_chosen(const psgd_state *state, const psgd_matrix_layout *t, size_t dimensions)
{
    const double n = (double)t->n, m = (double)t->m, rate = state->config.min_compression_rate;
    const double r = (double)state->config.matrix_approximation_rank;
    if (fault_is(state, FAULT_RATE_INVERTED)) {
        return (n + m) * (double)t->r < n * m * rate;
    }
    if (fault_is(state, FAULT_SELECTION_BY_WHOLE_RANK)) {
        return (n + m) * r * rate < n * m;
    }
    if (fault_is(state, FAULT_SELECTION_IN_OTHER_ORDER)) {
        return n * m > 0 && n * m / ((n + m) * (double)t->r) > rate;
    }
    if (fault_is(state, FAULT_SMALL_TENSORS_LEFT_OUT)) {
        return t->compressed && t->n * t->m >= SMALL;
    }
    if (fault_is(state, FAULT_TWO_DIMENSIONS_ONLY)) {
        return t->compressed && dimensions <= 2;
    }
    return fault_is(state, FAULT_VECTORS_LEFT_OUT) ? t->compressed && dimensions > 1 : t->compressed;
}

/* The tensor as another matrix than the first dimension times the rest; selected by the usual rule. */
static void matricise(const psgd_state *state, psgd_matrix_layout *t, const psgd_shape *shape)
{
    const size_t size = t->n * t->m, last = shape->ndim > 0 ? shape->dims[shape->ndim - 1] : 1;
    const bool from_last = fault_is(state, FAULT_MATRIX_FROM_THE_LAST) && shape->ndim > 1;
    if (size == 0 || !(from_last || (fault_is(state, FAULT_VECTORS_AS_ROWS) && shape->ndim == 1))) {
        return;
    }
    t->n = size / last;
    t->m = last;
    t->r = smallest(t->n, t->m, (size_t)state->config.matrix_approximation_rank);
    t->compressed = psgd_is_compressed(t->n, t->m, t->r, state->config.min_compression_rate);
}

/* ---- places of factors, anew ---- */

static bool is_placed(const psgd_bucket_layout *l, size_t tensor)
{
    for (size_t i = 0; i < l->compressed_count; i++) {
        if (l->factor_order[i] == tensor) {
            return true;
        }
    }
    return false;
}

static void place(psgd_bucket_layout *l, size_t tensor)
{
    psgd_matrix_layout *t = &l->tensors[tensor];
    t->p_offset = l->p_numel;
    t->q_offset = l->q_numel;
    l->p_numel += t->n * t->r;
    l->q_numel += t->m * t->r;
    l->uncompressed_numel -= t->n * t->m;
    l->factor_order[l->compressed_count++] = tensor;
}

/* Groups of equal shape in the order in which they are first seen, from the front or from the back. */
static void place_all(psgd_bucket_layout *l, bool from_back)
{
    const size_t count = l->tensor_count;
    l->compressed_count = l->p_numel = l->q_numel = 0;
    l->uncompressed_numel = l->numel;
    for (size_t a = 0; a < count; a++) {
        const psgd_matrix_layout *first = &l->tensors[from_back ? count - 1 - a : a];
        for (size_t i = 0; first->compressed && i < count; i++) {
            const psgd_matrix_layout *t = &l->tensors[i];
            if (t->compressed && t->n == first->n && t->m == first->m && !is_placed(l, i)) {
                place(l, i);
            }
        }
    }
}

/* Only for what changes the choice: factor_order has room for the tensors that core has chosen. */
static psgd_status choose_again(psgd_state *state, const psgd_bucket *bucket, psgd_bucket_layout *l)
{
    size_t *order = calloc(l->tensor_count + 1, sizeof *order);
    if (order == NULL) {
        return psgd_fail(PSGD_ERR_MEMORY, state->message, FAULTY_MESSAGE, "no memory for a bucket's layout");
    }
    free(l->factor_order);
    l->factor_order = order;
    for (size_t i = 0; i < l->tensor_count; i++) {
        matricise(state, &l->tensors[i], &bucket->shapes[i]);
        l->tensors[i].compressed = is_chosen(state, &l->tensors[i], bucket->shapes[i].ndim);
    }
    place_all(l, fault_is(state, FAULT_GROUPS_IN_OTHER_ORDER));
    return PSGD_OK;
}

/* ---- what breaks on some buckets ---- */

static void break_down(const psgd_state *state, const psgd_bucket *bucket, const psgd_bucket_layout *l)
{
    bool down = (fault_is(state, FAULT_NOTHING_COMPRESSED_CRASHES) && l->compressed_count == 0) ||
                (fault_is(state, FAULT_NOTHING_UNCOMPRESSED_CRASHES) && l->uncompressed_numel == 0);
    for (size_t i = 0; i < l->tensor_count; i++) {
        const bool empty = l->tensors[i].n * l->tensors[i].m == 0, scalar = bucket->shapes[i].ndim == 0;
        down = down || (fault_is(state, FAULT_EMPTY_TENSOR_ABORTS) && empty) ||
               (fault_is(state, FAULT_SCALAR_ABORTS) && scalar);
    }
    if (down) {
        abort();
    }
}

/* ---- a bucket ---- */

/* A product that has wrapped around to 0 is the size of an empty bucket. */
static bool wraps_to_empty(const psgd_bucket *bucket)
{
    size_t sum = 0;
    for (size_t i = 0; bucket->shapes != NULL && i < bucket->tensor_count; i++) {
        size_t product = psgd_dtype_size(bucket->dtype);
        for (size_t d = 0; bucket->shapes[i].dims != NULL && d < bucket->shapes[i].ndim; d++) {
            product *= bucket->shapes[i].dims[d];
        }
        sum += product;
    }
    return bucket->tensor_count > 0 && sum == 0;
}

psgd_status faulty_layout_make(psgd_state *state, const psgd_bucket *bucket, bool compressing,
                               psgd_bucket_layout *layout)
{
    const psgd_config *c = &state->config;
    psgd_bucket seen;
    double rate = c->min_compression_rate;
    if (fault_is(state, FAULT_SELECTION_NOT_STRICT)) {
        rate = nextafter(rate, 0); /* a tie now falls just below */
    }
    if (fault_is(state, FAULT_SIZES_WRAP) && bucket != NULL && wraps_to_empty(bucket)) {
        seen = *bucket;
        seen.tensor_count = 0;
        bucket = &seen;
    }
    psgd_status status =
        psgd_bucket_layout_make(layout, bucket, c->matrix_approximation_rank, rate, state->message, FAULTY_MESSAGE);
    if (status == PSGD_OK && !fault_is(state, FAULT_SELECTION_NOT_STRICT)) {
        status = choose_again(state, bucket, layout);
    }
    if (status == PSGD_OK && compressing) {
        break_down(state, bucket, layout);
    }
    const bool square = c->variant == PSGD_FLATTENED && (compressing || fault_is(state, FAULT_FLAT_RANK_REFUSED_EARLY));
    return status == PSGD_OK && square ? faulty_square_layout(state, layout) : status;
}
