/* linalg.c: products, norms, QR and singular values of row-major matrices (contract: linalg.h).
 *
 * Factorisations are GSL's. Products are plain loops on purpose: the BLAS that comes with GSL skips the multiplications
 * by an exact zero, so that 0 * NaN would be lost, and a judge must not lose a NaN. Refuses nothing but non-finite
 * matrices where a decomposition has no answer. Matrices are scaled by a power of two before GSL sees them, so nothing
 * overflows on the way. Next: model_step.c, which uses it. */
#include "judge/linalg.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* malloc for a x b doubles; never null for want of elements. */
static double *doubles(size_t a, size_t b)
{
    if (a != 0 && b > SIZE_MAX / sizeof(double) / a) {
        return NULL;
    }
    return malloc(a * b == 0 ? sizeof(double) : a * b * sizeof(double));
}

bool all_finite(const double *a, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(a[i])) {
            return false;
        }
    }
    return true;
}

bool all_zero(const double *a, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(a[i] == 0)) {
            return false;
        }
    }
    return true;
}

/* The exponent e with max |a| in [2^(e-1), 2^e); 0 for a zero matrix. a must be finite. */
static int exponent_of(const double *a, size_t count)
{
    double largest = 0;
    int exponent = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(a[i]));
    }
    (void)frexp(largest, &exponent);
    return exponent;
}

double norm_frobenius(const double *a, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += a[i] * a[i];
    }
    if (isnan(sum)) {
        return sum;
    }
    if (sum > 1e-250 && sum < 1e300) { /* squares that underflowed beside such a sum do not count */
        return sqrt(sum);
    }
    if (!all_finite(a, count)) {
        return INFINITY;
    }
    int exponent = exponent_of(a, count);
    sum = 0;
    for (size_t i = 0; i < count; i++) {
        double scaled = ldexp(a[i], -exponent);
        sum += scaled * scaled;
    }
    return ldexp(sqrt(sum), exponent);
}

void matmul(double *c, const double *a, const double *b, size_t n, size_t k, size_t m)
{
    for (size_t i = 0; i < n; i++) {
        double *row = c + i * m;
        for (size_t j = 0; j < m; j++) {
            row[j] = 0;
        }
        for (size_t l = 0; l < k; l++) {
            for (size_t j = 0; j < m; j++) {
                row[j] += a[i * k + l] * b[l * m + j];
            }
        }
    }
}

void matmul_tn(double *c, const double *a, const double *b, size_t n, size_t k, size_t m)
{
    for (size_t i = 0; i < k * m; i++) {
        c[i] = 0;
    }
    for (size_t l = 0; l < n; l++) {
        for (size_t i = 0; i < k; i++) {
            for (size_t j = 0; j < m; j++) {
                c[i * m + j] += a[l * k + i] * b[l * m + j];
            }
        }
    }
}

void matmul_nt(double *c, const double *a, const double *b, size_t n, size_t k, size_t m)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < k; j++) {
            double sum = 0;
            for (size_t l = 0; l < m; l++) {
                sum += a[i * m + l] * b[j * m + l];
            }
            c[i * k + j] = sum;
        }
    }
}

static void fill(double *a, size_t count, double value)
{
    for (size_t i = 0; i < count; i++) {
        a[i] = value;
    }
}

bool householder_q(double *q, const double *a, size_t n, size_t r)
{
    if (n == 0 || r == 0) {
        return true;
    }
    if (!all_finite(a, n * r)) {
        fill(q, n * r, NAN);
        return true;
    }
    double *factored = doubles(n, r), *tau = doubles(r, 1), *column = doubles(n, 1);
    bool ok = factored != NULL && tau != NULL && column != NULL;
    if (ok) {
        int exponent = exponent_of(a, n * r);
        for (size_t i = 0; i < n * r; i++) {
            factored[i] = ldexp(a[i], -exponent);
        }
        gsl_matrix_view qr = gsl_matrix_view_array(factored, n, r);
        gsl_vector_view scalars = gsl_vector_view_array(tau, r);
        gsl_vector_view unit = gsl_vector_view_array(column, n);
        ok = gsl_linalg_QR_decomp(&qr.matrix, &scalars.vector) == GSL_SUCCESS;
        /* Column j of Q is H_1 ... H_r e_j: GSL's own unpacking would make all n columns. */
        for (size_t j = 0; ok && j < r; j++) {
            fill(column, n, 0);
            column[j] = 1;
            ok = gsl_linalg_QR_Qvec(&qr.matrix, &scalars.vector, &unit.vector) == GSL_SUCCESS;
            for (size_t i = 0; i < n; i++) {
                q[i * r + j] = column[i];
            }
        }
    }
    free(factored);
    free(tau);
    free(column);
    return ok;
}

/* t[rows columns] = 2^-exponent times a[rows columns], or times a^T where a is [columns rows]. */
static void copy_scaled(double *t, const double *a, size_t rows, size_t columns, bool transposed, int exponent)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            t[i * columns + j] = ldexp(transposed ? a[j * rows + i] : a[i * columns + j], -exponent);
        }
    }
}

static void transpose(double *t, const double *a, size_t rows, size_t columns) /* t[columns rows], a[rows columns] */
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            t[j * rows + i] = a[i * columns + j];
        }
    }
}

/* Halves count intervals at once, [low, high] around the eigenvalues which[count] (0: the largest) of the symmetric
 * tridiagonal matrix of order 2 k with zero diagonal and the roots of squares[2 k - 1] beside it. The pivots of its
 * elimination that are negative count the eigenvalues below a number; a pivot of zero counts as a tiny negative one, as
 * in LAPACK's dstebz. pivot[count], below[count] are room to work in. */
static void halve(double *low, double *high, double *pivot, size_t *below, const double *squares, double least,
                  size_t k, const size_t *which, size_t count)
{
    for (size_t i = 0; i < 2 * k; i++) {
        for (size_t j = 0; j < count; j++) { /* side by side: one pivot waits for the one before it */
            const double middle = 0.5 * (low[j] + high[j]);
            double now = i == 0 ? -middle : -middle - squares[i - 1] / pivot[j];
            now = fabs(now) < least ? -least : now;
            below[j] = (i == 0 ? 0 : below[j]) + (now < 0 ? 1 : 0);
            pivot[j] = now;
        }
    }
    for (size_t j = 0; j < count; j++) {
        *(below[j] + which[j] >= 2 * k ? &high[j] : &low[j]) = 0.5 * (low[j] + high[j]);
    }
}

#define HALVINGS 64 /* leave 2^-12 of a unit of f64 in the largest */

/* The singular values which[count] alone, s[count], of tall[rows k], which is overwritten: many times quicker than with
 * the vectors, and the quicker the fewer are wanted. B = U^T A V is bidiagonal, with diagonal d and superdiagonal e;
 * the symmetric tridiagonal matrix with zero diagonal and d_1, e_1, d_2, ..., d_k beside it has the eigenvalues +-s
 * (Golub and Kahan 1965). They are found by bisection, which always ends: GSL's QR iteration never did where several
 * were zero but for rounding, as in small integers of low rank.
 */
static bool values_alone(double *s, const size_t *which, size_t count, double *tall, size_t rows, size_t k)
{
    double *tau = doubles(2, k), *squares = doubles(2, k), *low = doubles(2, count);
    size_t *below = calloc(count, sizeof *below);
    bool ok = tau != NULL && squares != NULL && low != NULL && below != NULL;
    if (ok && k > 1) {
        gsl_matrix_view a = gsl_matrix_view_array(tall, rows, k);
        gsl_vector_view tau_u = gsl_vector_view_array(tau, k), tau_v = gsl_vector_view_array(tau + k, k - 1);
        ok = gsl_linalg_bidiag_decomp(&a.matrix, &tau_u.vector, &tau_v.vector) == GSL_SUCCESS;
    } else if (ok) {
        tall[0] = norm_frobenius(tall, rows);
    }
    if (ok) {
        double bound = 0, before = 0; /* Gershgorin: no eigenvalue beyond */
        for (size_t i = 0; i + 1 < 2 * k; i++) {
            const double beside = fabs(tall[i / 2 * k + (i + 1) / 2]); /* d_(i/2), or e_(i/2) above it */
            bound = fmax(bound, before + beside);
            before = beside;
            squares[i] = beside * beside;
        }
        fill(low, count, 0);
        fill(s, count, bound);
        const double least = DBL_MIN * fmax(1, bound * bound);
        for (int i = 0; i < HALVINGS && bound > 0; i++) {
            halve(low, s, low + count, below, squares, least, k, which, count);
        }
        for (size_t i = 0; i < count; i++) {
            s[i] = low[i] > 0 ? s[i] : 0;
        }
    }
    free(tau);
    free(squares);
    free(low);
    free(below);
    return ok;
}

/* The whole decomposition of tall[rows k], which becomes the left vectors; right[k k].
 * Golub-Reinsch and not GSL's one-sided Jacobi: that one sets singular values below 10 n u times their predecessor to
 * zero, and the judge asks whether a value is some few u or not. */
static bool values_and_vectors(double *s, double *tall, double *right, size_t rows, size_t k)
{
    double *square = doubles(k, k), *work = doubles(k, 1);
    bool ok = square != NULL && work != NULL;
    if (ok) {
        gsl_matrix_view l = gsl_matrix_view_array(tall, rows, k);
        gsl_matrix_view r = gsl_matrix_view_array(right, k, k);
        gsl_matrix_view x = gsl_matrix_view_array(square, k, k);
        gsl_vector_view values = gsl_vector_view_array(s, k);
        gsl_vector_view w = gsl_vector_view_array(work, k);
        if (rows / 2 >= k) { /* much taller than wide: QR first */
            ok = gsl_linalg_SV_decomp_mod(&l.matrix, &x.matrix, &r.matrix, &values.vector, &w.vector) == GSL_SUCCESS;
        } else {
            ok = gsl_linalg_SV_decomp(&l.matrix, &r.matrix, &values.vector, &w.vector) == GSL_SUCCESS;
        }
    }
    free(square);
    free(work);
    return ok;
}

/* t[rows k], rows >= k: a[n m], or its transpose, scaled; *exponent says by what. Null: no memory, or a is not finite:
 * an iteration on NaN need not end. */
static double *tall_copy(const double *a, size_t n, size_t m, int *exponent)
{
    const bool wide = n < m;
    const size_t rows = wide ? m : n, k = wide ? n : m;
    double *tall = all_finite(a, n * m) ? doubles(rows, k) : NULL;
    if (tall != NULL) {
        *exponent = exponent_of(a, n * m);
        copy_scaled(tall, a, rows, k, wide, *exponent);
    }
    return tall;
}

bool chosen_singular_values(const double *a, size_t n, size_t m, const size_t *which, size_t count, double *s)
{
    if (n == 0 || m == 0 || count == 0) {
        return true;
    }
    int exponent;
    double *tall = tall_copy(a, n, m, &exponent);
    bool ok = tall != NULL && values_alone(s, which, count, tall, n < m ? m : n, n < m ? n : m) && all_finite(s, count);
    for (size_t i = 0; ok && i < count; i++) {
        s[i] = ldexp(s[i], exponent);
    }
    free(tall);
    return ok;
}

bool singular_values(const double *a, size_t n, size_t m, double *s)
{
    const size_t k = n < m ? n : m;
    size_t *all = calloc(k + 1, sizeof *all);
    for (size_t i = 0; all != NULL && i < k; i++) {
        all[i] = i;
    }
    const bool ok = all != NULL && chosen_singular_values(a, n, m, all, k, s);
    free(all);
    return ok;
}

bool singular_vectors(const double *a, size_t n, size_t m, double *s, double *u, double *vt)
{
    const bool wide = n < m;
    const size_t rows = wide ? m : n, k = wide ? n : m;
    if (k == 0) {
        return true;
    }
    int exponent;
    double *left = tall_copy(a, n, m, &exponent), *right = doubles(k, k);
    bool ok = left != NULL && right != NULL && values_and_vectors(s, left, right, rows, k) && all_finite(s, k);
    for (size_t i = 0; ok && i < k; i++) {
        s[i] = ldexp(s[i], exponent);
    }
    if (ok && u != NULL) {
        memcpy(u, wide ? right : left, n * k * sizeof *u);
    }
    if (ok && vt != NULL) {
        transpose(vt, wide ? left : right, m, k);
    }
    free(left);
    free(right);
    return ok;
}

double norm_2(const double *a, size_t n, size_t m)
{
    const size_t largest = 0;
    double norm = 0;
    return chosen_singular_values(a, n, m, &largest, 1, &norm) ? norm : NAN;
}

bool leading_columns(double *basis, double *condition, const double *a, size_t n, size_t m, size_t r)
{
    size_t k = n < m ? n : m;
    double *s = doubles(k, 1), *u = doubles(n, k), *leading = doubles(n, r);
    bool ok = s != NULL && u != NULL && leading != NULL && singular_vectors(a, n, m, s, u, NULL);
    if (ok) {
        *condition = r == 0 ? 1 : s[r - 1] > 0 ? s[0] / s[r - 1] : INFINITY;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < r; j++) {
                leading[i * r + j] = u[i * k + j];
            }
        }
        ok = householder_q(basis, leading, n, r); /* vectors of zero singular values become orthonormal too */
    }
    free(s);
    free(u);
    free(leading);
    return ok;
}

bool best_rank_error(double *tail_squared, const double *a, size_t n, size_t m, size_t r)
{
    size_t k = n < m ? n : m;
    double *s = doubles(k, 1);
    bool ok = s != NULL && singular_values(a, n, m, s);
    if (ok) {
        *tail_squared = 0;
        for (size_t i = r; i < k; i++) {
            *tail_squared += s[i] * s[i];
        }
    }
    free(s);
    return ok;
}
