/* faulty_orthogonalize.c: orthonormal columns, by hand, with one place to go wrong. */
#include "mutants/faulty.h"

#include "core/values.h"

#include <math.h>
#include <stdlib.h>

static double column_dot(const psgd_state *state, const double *a, size_t n, size_t r, size_t i, size_t j,
                         psgd_dtype dtype)
{
    return faulty_dot(state, a + i, r, a + j, r, n, dtype);
}

static void gram_schmidt(const psgd_state *state, double *a, size_t n, size_t r, psgd_dtype dtype)
{
    const double epsilon = faulty_epsilon(state);
    for (size_t j = 0; j < r; j++) {
        const double norm = sqrt(column_dot(state, a, n, r, j, j, dtype));
        double divisor = norm + epsilon;
        if (fault_is(state, FAULT_EPSILON_AS_MAXIMUM)) {
            divisor = fmax(norm, epsilon);
        }
        for (size_t row = 0; row < n; row++) {
            a[row * r + j] = faulty_round(state, a[row * r + j] / divisor, dtype);
        }
        for (size_t k = j + 1; k < r; k++) {
            const double dot = column_dot(state, a, n, r, j, k, dtype);
            for (size_t row = 0; row < n; row++) {
                a[row * r + k] = faulty_round(state, a[row * r + k] - dot * a[row * r + j], dtype);
            }
        }
    }
}

/* Columns from `from` on, of b[n r], lose twice their part along v, which lives in rows j..n-1 of a's column j. */
static void reflect(double *b, const double *a, size_t n, size_t r, size_t j, size_t from, double tau)
{
    for (size_t k = from; k < r; k++) {
        double dot = b[j * r + k];
        for (size_t row = j + 1; row < n; row++) {
            dot += a[row * r + j] * b[row * r + k];
        }
        b[j * r + k] -= tau * dot;
        for (size_t row = j + 1; row < n; row++) {
            b[row * r + k] -= tau * dot * a[row * r + j];
        }
    }
}

/* H_j = I - tau v v^T with v_j = 1, and R's diagonal has the sign opposite to the column's head (LAPACK's convention).
 */
static bool householder(const psgd_state *state, double *a, size_t n, size_t r, psgd_dtype dtype)
{
    double *tau = calloc(r, sizeof *tau), *q = calloc(n * r, sizeof *q);
    const bool ok = tau != NULL && q != NULL;
    for (size_t j = 0; ok && j < r; j++) {
        double below = 0;
        for (size_t row = j + 1; row < n; row++) {
            below = hypot(below, a[row * r + j]);
        }
        if (below > 0) {
            const double head = a[j * r + j], beta = -copysign(hypot(head, below), head);
            tau[j] = (beta - head) / beta;
            for (size_t row = j + 1; row < n; row++) {
                a[row * r + j] /= head - beta;
            }
        }
        reflect(a, a, n, r, j, j + 1, tau[j]);
    }
    for (size_t j = 0; ok && j < r; j++) {
        q[j * r + j] = 1;
    }
    for (size_t j = r; ok && j-- > 0;) {
        reflect(q, a, n, r, j, j, tau[j]);
    }
    for (size_t i = 0; ok && i < n * r; i++) {
        a[i] = faulty_round(state, q[i], dtype);
    }
    free(tau);
    free(q);
    return ok;
}

bool faulty_orthogonalize(const psgd_state *state, factor_side side, double *a, size_t n, size_t r, psgd_dtype dtype)
{
    (void)side;
    const bool half = psgd_value_type_of((uint32_t)dtype)->half;
    if (r > 2 && (!half || fault_is(state, FAULT_HALF_QR))) {
        return householder(state, a, n, r, dtype);
    }
    gram_schmidt(state, a, n, r, faulty_factor_type(state, dtype));
    return true;
}
