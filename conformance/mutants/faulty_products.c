/* faulty_products.c: the three products of a layerwise step, tensor by tensor, with the places where they can be made
 * to go wrong. */
#include "mutants/faulty_step.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define TILE  16  /* rows or columns that a block of threads covers */
#define BLOCK 128 /* elements */

/* How many of count rows or columns a grid of whole tiles covers. */
static size_t covered(const psgd_state *state, fault f, size_t count)
{
    return fault_is(state, f) ? count - count % TILE : count;
}

/* Where row i, or element i, is written. */
static size_t index_of(const psgd_state *state, size_t i)
{
    if (fault_is(state, FAULT_INDEX_IN_8_BITS)) {
        return (uint8_t)i;
    }
    return fault_is(state, FAULT_INDEX_IN_16_BITS) ? (uint16_t)i : i;
}

/* M's element [i, j] is at m[i row_step + j column_step]. */
typedef struct steps {
    size_t row, column;
} steps;

static steps steps_of(const psgd_state *state, const psgd_matrix_layout *t)
{
    return fault_is(state, FAULT_MATRIX_COLUMN_MAJOR) ? (steps){1, t->n} : (steps){t->m, 1};
}

/* ---- P = M Q ---- */

/* The sum of a[i a_stride] b[i b_stride] in float, begun anywhere: as additions come that nobody has put in order. */
static double sum_from_anywhere(const double *a, size_t a_stride, const double *b, size_t b_stride, size_t count)
{
    struct timespec now = {0};
    (void)timespec_get(&now, TIME_UTC);
    const size_t begin = (size_t)now.tv_nsec / 7 % count;
    float sum = 0;
    for (size_t k = 0; k < count; k++) {
        const size_t i = (begin + k) % count;
        sum += (float)(a[i * a_stride] * b[i * b_stride]);
    }
    return (double)sum;
}

static void multiply_left(const psgd_state *state, double *p, const double *m, const double *q,
                          const psgd_matrix_layout *t, psgd_dtype dtype)
{
    const steps s = steps_of(state, t);
    const size_t rows = covered(state, FAULT_LAST_ROWS_UNCOVERED, t->n);
    for (size_t row = 0; row < rows; row++) {
        for (size_t k = 0; k < t->r; k++) {
            const double sum = fault_is(state, FAULT_ATOMIC_ADDS)
                                   ? sum_from_anywhere(m + row * s.row, s.column, q + k, t->r, t->m)
                                   : faulty_dot(state, m + row * s.row, s.column, q + k, t->r, t->m, dtype);
            p[index_of(state, row * t->r + k)] = sum + (fault_is(state, FAULT_PRODUCT_ADDED) ? p[row * t->r + k] : 0);
        }
    }
}

bool faulty_project_left(const psgd_state *state, const psgd_bucket_layout *l, workspace *w)
{
    for (size_t i = 0; i < l->tensor_count; i++) {
        const psgd_matrix_layout *t = &l->tensors[i];
        if (!t->compressed) {
            continue;
        }
        double *p = w->p + t->p_offset, *q = w->q + t->q_offset;
        if (!faulty_orthogonalize(state, FACTOR_Q, q, t->m, t->r, l->dtype)) {
            return false;
        }
        multiply_left(state, p, w->m + t->offset, q, t, l->dtype);
        if (fault_is(state, FAULT_P_SHARED_BY_TENSORS)) {
            memmove(w->p, p, t->n * t->r * sizeof *p); /* a later tensor's product where the first one's is */
        }
    }
    return true;
}

/* ---- Q = M^T P ---- */

/* P as the sum over the ranks has left it. */
static void receive_p(const psgd_state *state, double *p, const psgd_matrix_layout *t, double *copy)
{
    if (!fault_is(state, FAULT_P_COLUMN_MAJOR)) {
        return;
    }
    memcpy(copy, p, t->n * t->r * sizeof *p);
    for (size_t i = 0; i < t->n * t->r; i++) {
        p[i] = copy[i % t->r * t->n + i / t->r];
    }
}

/* Single columns of one shape are divided by their norm over all of them. */
static void divide_by_batch(const psgd_state *state, const psgd_bucket_layout *l, workspace *w)
{
    const bool batched = state->config.batch_tensors_with_same_shape && fault_is(state, FAULT_NORM_OF_BATCH);
    for (size_t at = 0, run = 1; batched && at < l->compressed_count; at += run) {
        const psgd_matrix_layout *t = &l->tensors[l->factor_order[at]];
        run = psgd_bucket_layout_run(l, at);
        double *p = w->p + t->p_offset, sum = 0;
        for (size_t i = 0; t->r == 1 && i < run * t->n; i++) {
            sum += p[i] * p[i];
        }
        for (size_t i = 0; t->r == 1 && i < run * t->n; i++) {
            p[i] = faulty_round(state, p[i] / sqrt(sum), l->dtype);
        }
    }
}

static void multiply_right(const psgd_state *state, double *q, const double *m, const double *p,
                           const psgd_matrix_layout *t, psgd_dtype dtype)
{
    steps s = steps_of(state, t);
    if (fault_is(state, FAULT_TRANSPOSE_FORGOTTEN) && t->n == t->m) {
        s = (steps){s.column, s.row};
    }
    const size_t columns = covered(state, FAULT_LAST_COLUMNS_UNCOVERED, t->m);
    memset(q, 0, t->m * t->r * sizeof *q);
    for (size_t j = 0; j < columns; j++) {
        for (size_t k = 0; k < t->r; k++) {
            q[j * t->r + k] = faulty_dot(state, m + j * s.column, s.row, p + k, t->r, t->n, dtype);
        }
    }
}

/* result[n m] = p[n r] q[m r]^T */
static void multiply_back(const psgd_state *state, double *result, const double *p, const double *q,
                          const psgd_matrix_layout *t, psgd_dtype dtype)
{
    const steps s = steps_of(state, t);
    const size_t r = t->r - (fault_is(state, FAULT_LAST_COMPONENT_LEFT_OUT) && t->r > 1);
    for (size_t i = 0; i < t->n; i++) {
        for (size_t j = 0; j < t->m; j++) {
            result[index_of(state, i * s.row + j * s.column)] =
                faulty_dot(state, p + i * t->r, 1, q + j * t->r, 1, r, dtype);
        }
    }
}

bool faulty_project_right(const psgd_state *state, const psgd_bucket_layout *l, workspace *w)
{
    divide_by_batch(state, l, w);
    for (size_t i = 0; i < l->tensor_count; i++) {
        const psgd_matrix_layout *t = &l->tensors[i];
        if (!t->compressed) {
            continue;
        }
        double *p = w->p + t->p_offset, *q = w->q + t->q_offset;
        receive_p(state, p, t, w->wire);
        const bool alone =
            !fault_is(state, FAULT_NORM_OF_BATCH) || !state->config.batch_tensors_with_same_shape || t->r > 1;
        if (alone && !faulty_orthogonalize(state, FACTOR_P, p, t->n, t->r, l->dtype)) {
            return false;
        }
        multiply_right(state, q, w->m + t->offset, p, t, l->dtype);
        multiply_back(state, w->own + t->offset, p, q, t, l->dtype); /* what this rank alone would send */
    }
    return true;
}

/* ---- out = P Q^T ---- */

static void orthogonalize_q(const psgd_state *state, const psgd_bucket_layout *l, workspace *w)
{
    for (size_t i = 0; fault_is(state, FAULT_BOTH_ORTHONORMAL) && i < l->compressed_count; i++) {
        const psgd_matrix_layout *t = &l->tensors[l->factor_order[i]];
        (void)faulty_orthogonalize(state, FACTOR_Q, w->q + t->q_offset, t->m, t->r, l->dtype);
    }
}

/* Elements j of the tensor's result, rounded; those that no block covers stay as they came in. */
static void put_result(const psgd_state *state, workspace *w, const psgd_matrix_layout *t, psgd_dtype dtype)
{
    size_t size = t->n * t->m;
    if (fault_is(state, FAULT_RESULT_TAIL_UNCOVERED)) {
        memcpy(w->out + t->offset + size - size % BLOCK, w->m + t->offset + size - size % BLOCK,
               size % BLOCK * sizeof(double));
    }
    const bool clipped = (size_t)state->config.matrix_approximation_rank > t->r;
    for (size_t i = 0; fault_is(state, FAULT_RANK_NOT_CLIPPED) && clipped && i < t->m; i++) {
        w->out[t->offset + i] *= 2; /* one column too many, which has come out as the first unit vector */
    }
    for (size_t j = t->offset; j < t->offset + size; j++) {
        w->out[j] = fault_is(state, FAULT_NAN) ? NAN : faulty_round(state, w->out[j], dtype);
    }
}

void faulty_decompress(const psgd_state *state, const psgd_bucket_layout *l, workspace *w)
{
    orthogonalize_q(state, l, w);
    size_t packed = 0; /* results so far, back to back in the order of the factors, in w->wire */
    double *results = w->wire;
    for (size_t i = 0; i < l->compressed_count; i++) {
        const psgd_matrix_layout *t = &l->tensors[l->factor_order[i]];
        multiply_back(state, results + packed, w->p + t->p_offset, w->q + t->q_offset, t, l->dtype);
        if (!fault_is(state, FAULT_ABA_SCATTERED)) {
            memcpy(w->out + t->offset, results + packed, t->n * t->m * sizeof(double));
        }
        packed += t->n * t->m;
    }
    packed = 0;
    size_t unpacked = 0;
    for (size_t i = 0; i < l->tensor_count; i++) { /* in the order of the bucket */
        const psgd_matrix_layout *t = &l->tensors[i];
        if (!t->compressed) {
            continue;
        }
        if (fault_is(state, FAULT_ABA_SCATTERED)) {
            memcpy(w->out + t->offset, results + packed, t->n * t->m * sizeof(double));
            packed += t->n * t->m;
        }
        if (fault_is(state, FAULT_LAST_TENSOR_LEFT_OUT) && ++unpacked == l->compressed_count) {
            memcpy(w->out + t->offset, w->m + t->offset, t->n * t->m * sizeof(double));
        }
        put_result(state, w, t, l->dtype);
    }
}
