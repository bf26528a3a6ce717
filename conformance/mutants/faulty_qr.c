/* faulty_qr.c: orthonormal columns by QR: Householder's reflections, and Cholesky. */
#include "mutants/faulty_orthogonalize.h"

#include <math.h>
#include <stdlib.h>

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

/* What a column is multiplied by, of this element of R's diagonal. */
static double sign_of(const psgd_state *state, double diagonal)
{
    return fault_is(state, FAULT_QR_SIGNS_POSITIVE) && diagonal < 0 ? -1 : 1;
}

/* H_j = I - tau v v^T with v_j = 1, and R's diagonal has the sign opposite to the column's head (LAPACK's convention).
 */
bool faulty_householder(const psgd_state *state, double *a, size_t n, size_t r, psgd_dtype dtype)
{
    double *beta = calloc(r + 1, sizeof *beta), *tau = calloc(r, sizeof *tau), *q = calloc(n * r, sizeof *q);
    const double scale = fault_is(state, FAULT_EPSILON_IN_QR) ? 1 + faulty_epsilon(state) : 1;
    const bool ok = beta != NULL && tau != NULL && q != NULL;
    for (size_t j = 0; ok && j < r; j++) {
        double below = 0;
        for (size_t row = j + 1; row < n; row++) {
            below = hypot(below, a[row * r + j]);
        }
        if (below > 0) {
            const double head = a[j * r + j];
            beta[j] = -copysign(hypot(head, below), head);
            tau[j] = (beta[j] - head) / beta[j];
            for (size_t row = j + 1; row < n; row++) {
                a[row * r + j] /= head - beta[j];
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
        a[i] = faulty_round(state, sign_of(state, beta[i % r]) * q[i] / scale, dtype);
    }
    free(beta);
    free(tau);
    free(q);
    return ok;
}

/* The upper triangle of c[r r], symmetric, becomes R with R^T R = c. False if c is not positive definite to working
 * precision. */
static bool cholesky_factor(double *c, size_t r)
{
    for (size_t j = 0; j < r; j++) {
        const double before = c[j * r + j];
        for (size_t k = 0; k < j; k++) {
            c[j * r + j] -= c[k * r + j] * c[k * r + j];
        }
        if (!(c[j * r + j] > 1e-12 * before)) { /* NaN, too */
            return false;
        }
        c[j * r + j] = sqrt(c[j * r + j]);
        for (size_t i = j + 1; i < r; i++) {
            for (size_t k = 0; k < j; k++) {
                c[j * r + i] -= c[k * r + j] * c[k * r + i];
            }
            c[j * r + i] /= c[j * r + j];
        }
    }
    return true;
}

/* a = a R^-1 for the triangle R of c[r r]. */
static void solve_columns(double *a, const double *c, size_t n, size_t r)
{
    for (size_t row = 0; row < n; row++) {
        for (size_t j = 0; j < r; j++) {
            for (size_t k = 0; k < j; k++) {
                a[row * r + j] -= a[row * r + k] * c[k * r + j];
            }
            a[row * r + j] /= c[j * r + j];
        }
    }
}

bool faulty_cholesky(const psgd_state *state, double *a, size_t n, size_t r, psgd_dtype dtype)
{
    double *c = calloc(r * r + 1, sizeof *c);
    bool definite = c != NULL;
    for (int pass = 0; definite && pass < 2; pass++) {
        for (size_t i = 0; i < r * r; i++) {
            c[i] = faulty_dot(state, a + i / r, r, a + i % r, r, n, PSGD_F64);
        }
        definite = cholesky_factor(c, r);
        if (definite) {
            solve_columns(a, c, n, r);
        }
    }
    for (size_t i = 0; definite && i < n * r; i++) {
        a[i] = faulty_round(state, a[i], dtype);
    }
    const bool ok = c != NULL && (definite || faulty_householder(state, a, n, r, dtype));
    free(c);
    return ok;
}
