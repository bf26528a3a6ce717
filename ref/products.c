/* products.c: see products.h. */
#include "products.h"

void psgd_multiply(double *p, const double *M, const double *q, size_t n, size_t m, size_t r)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < r; k++) {
            double sum = 0;
            for (size_t j = 0; j < m; j++) {
                sum += M[i * m + j] * q[j * r + k];
            }
            p[i * r + k] = sum;
        }
    }
}

void psgd_multiply_transposed(double *q, const double *M, const double *p, size_t n, size_t m, size_t r)
{
    for (size_t j = 0; j < m; j++) {
        for (size_t k = 0; k < r; k++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++) {
                sum += M[i * m + j] * p[i * r + k];
            }
            q[j * r + k] = sum;
        }
    }
}

void psgd_multiply_back(double *M, const double *p, const double *q, size_t n, size_t m, size_t r)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            double sum = 0;
            for (size_t k = 0; k < r; k++) {
                sum += p[i * r + k] * q[j * r + k];
            }
            M[i * m + j] = sum;
        }
    }
}
