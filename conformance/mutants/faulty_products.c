/* faulty_products.c: the three products of a layerwise step, tensor by tensor, with the places where they can be made
 * to go wrong. */
#include "mutants/faulty_step.h"

#include <math.h>
#include <string.h>

/* result[n m] = p[n r] q[m r]^T */
static void multiply_back(const psgd_state *state, double *result, const double *p, const double *q,
                          const psgd_matrix_layout *t, psgd_dtype dtype)
{
    for (size_t i = 0; i < t->n; i++) {
        for (size_t j = 0; j < t->m; j++) {
            result[i * t->m + j] = faulty_dot(state, p + i * t->r, 1, q + j * t->r, 1, t->r, dtype);
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
        for (size_t row = 0; row < t->n; row++) {
            for (size_t k = 0; k < t->r; k++) {
                p[row * t->r + k] = faulty_dot(state, w->m + t->offset + row * t->m, 1, q + k, t->r, t->m, l->dtype);
            }
        }
    }
    return true;
}

bool faulty_project_right(const psgd_state *state, const psgd_bucket_layout *l, workspace *w)
{
    for (size_t i = 0; i < l->tensor_count; i++) {
        const psgd_matrix_layout *t = &l->tensors[i];
        if (!t->compressed) {
            continue;
        }
        double *p = w->p + t->p_offset, *q = w->q + t->q_offset;
        if (!faulty_orthogonalize(state, FACTOR_P, p, t->n, t->r, l->dtype)) {
            return false;
        }
        for (size_t j = 0; j < t->m; j++) {
            for (size_t k = 0; k < t->r; k++) {
                q[j * t->r + k] = faulty_dot(state, w->m + t->offset + j, t->m, p + k, t->r, t->n, l->dtype);
            }
        }
        multiply_back(state, w->own + t->offset, p, q, t, l->dtype); /* what this rank alone would send */
    }
    return true;
}

void faulty_decompress(const psgd_state *state, const psgd_bucket_layout *l, workspace *w)
{
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
    for (size_t i = 0; i < l->tensor_count; i++) { /* in the order of the bucket */
        const psgd_matrix_layout *t = &l->tensors[i];
        if (!t->compressed) {
            continue;
        }
        if (fault_is(state, FAULT_ABA_SCATTERED)) {
            memcpy(w->out + t->offset, results + packed, t->n * t->m * sizeof(double));
            packed += t->n * t->m;
        }
        for (size_t j = t->offset; j < t->offset + t->n * t->m; j++) {
            w->out[j] = fault_is(state, FAULT_NAN) ? NAN : faulty_round(state, w->out[j], l->dtype);
        }
    }
}
