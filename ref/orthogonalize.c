/* orthogonalize.c: Gram-Schmidt by hand, Householder QR by reference LAPACK. See orthogonalize.h. */
#include "orthogonalize.h"

#include "core/layout.h"

#include <math.h>

/* Reference LAPACK, from its static archive (CMake target psgd_reference_lapack). A Fortran integer is an int32_t. */
void dgeqrf_(const int32_t *n, const int32_t *r, double *a, const int32_t *lda, double *tau, double *work,
             const int32_t *lwork, int32_t *info);
void dorgqr_(const int32_t *n, const int32_t *r, const int32_t *k, double *a, const int32_t *lda, const double *tau,
             double *work, const int32_t *lwork, int32_t *info);

/* Euclidean norm of column j of a [n x r]. Scaled by a power of two, which is exact, so that no square overflows or
 * underflows. The hook squares without scaling: in f32 it turns columns from 1e19 on to zeros, is 1 % off at 1e-22 and
 * divides by zero at 1e-25. Here the reference does what is right, not what the hook does. */
static double column_norm(const double *a, size_t n, size_t r, size_t j)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        double size = fabs(a[i * r + j]);
        if (size > largest || isnan(size)) { /* a NaN stays */
            largest = size;
        }
    }
    if (largest == 0 || !isfinite(largest)) {
        return largest;
    }
    int exponent;
    (void)frexp(largest, &exponent);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double scaled = ldexp(a[i * r + j], -exponent);
        sum += scaled * scaled;
    }
    return ldexp(sqrt(sum), exponent);
}

/* Modified Gram-Schmidt: normalise a column, then remove it from all that follow. The hook keeps every intermediate in
 * a tensor, so each is rounded; where epsilon drowns in a norm, that decides whether a dependent column vanishes. */
static void gram_schmidt(double *a, size_t n, size_t r, double epsilon, const psgd_value_type *type)
{
    for (size_t j = 0; j < r; j++) {
        double norm = type->round(column_norm(a, n, r, j));
        double divisor = type->round(norm + epsilon);
        for (size_t i = 0; i < n; i++) {
            a[i * r + j] = type->round(a[i * r + j] / divisor);
        }

        for (size_t k = j + 1; k < r; k++) {
            double dot = 0;
            for (size_t i = 0; i < n; i++) {
                dot += type->round(a[i * r + j] * a[i * r + k]);
            }
            dot = type->round(dot);
            for (size_t i = 0; i < n; i++) {
                a[i * r + k] = type->round(a[i * r + k] - type->round(dot * a[i * r + j]));
            }
        }
    }
}

/* QR decomposition a = Q R by Householder reflections; a becomes Q. */
static void householder_qr(double *a, double *work, size_t n, size_t r, const psgd_value_type *type)
{
    double *columns = work;        /* [r x n]: a by columns, as Fortran has it */
    double *tau = work + n * r;    /* [r]: the reflections' scales */
    double *lapack_work = tau + r; /* [r]: the least that LAPACK takes; more would be used for blocking */
    int32_t rows = (int32_t)n, cols = (int32_t)r, info;

    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < r; j++) {
            columns[j * n + i] = a[i * r + j];
        }
    }
    /* info < 0 would name a bad argument; there is no other failure. */
    dgeqrf_(&rows, &cols, columns, &rows, tau, lapack_work, &cols, &info);
    dorgqr_(&rows, &cols, &cols, columns, &rows, tau, lapack_work, &cols, &info);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < r; j++) {
            a[i * r + j] = type->round(columns[j * n + i]);
        }
    }
}

void psgd_orthogonalize(double *a, double *work, size_t n, size_t r, double epsilon, const psgd_value_type *type)
{
    if (r <= 2 || type->half) {
        gram_schmidt(a, n, r, epsilon, type);
    } else {
        householder_qr(a, work, n, r, type);
    }
}

bool psgd_orthogonalize_work(size_t *count, size_t n, size_t r)
{
    size_t matrix, vectors;
    return psgd_size_multiply(n, r, &matrix) && psgd_size_multiply(2, r, &vectors) &&
           psgd_size_add(matrix, vectors, count);
}
