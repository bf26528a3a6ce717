/* spectrum.c: see spectrum.h. Plain loops in a fixed order and IEEE's + - * / sqrt, so that bits are the same
 * everywhere. */
#include "harness/spectrum.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static double dot(const double *a, const double *b, size_t n, size_t stride)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i * stride] * b[i * stride];
    return sum;
}

void spectrum_orthonormalise(double *a, size_t n, size_t count)
{
    for (size_t j = 0; j < count; j++) {
        double *column = a + j;
        for (int pass = 0; pass < 2; pass++) /* the second removes what rounding left of the first */
            for (size_t i = 0; i < j; i++) {
                const double along = dot(a + i, column, n, count);
                for (size_t row = 0; row < n; row++)
                    column[row * count] -= along * a[row * count + i];
            }
        const double norm = sqrt(dot(column, column, n, count));
        for (size_t row = 0; row < n; row++)
            column[row * count] = norm > 0 ? column[row * count] / norm : 0;
    }
}

bool spectrum_matrix(double *a, const double *s, size_t n, size_t m, size_t count, data_stream *lasting,
                     data_stream *passing)
{
    if (count > 0 && (n > SIZE_MAX / sizeof(double) / count || m > SIZE_MAX / sizeof(double) / count))
        return false;
    double *u = calloc(n * count > 0 ? n * count : 1, sizeof *u);
    double *v = calloc(m * count > 0 ? m * count : 1, sizeof *v);
    if (u == NULL || v == NULL) {
        free(u);
        free(v);
        return false;
    }
    for (size_t i = 0; i < n * count; i++)
        u[i] = data_stream_normal(lasting) + 0.5 * data_stream_normal(passing);
    for (size_t i = 0; i < m * count; i++)
        v[i] = data_stream_normal(lasting) + 0.5 * data_stream_normal(passing);
    spectrum_orthonormalise(u, n, count);
    spectrum_orthonormalise(v, m, count);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            double sum = 0;
            for (size_t l = 0; l < count; l++)
                sum += u[i * count + l] * s[l] * v[j * count + l];
            a[i * m + j] = sum;
        }
    free(u);
    free(v);
    return true;
}
