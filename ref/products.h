/* products.h: the three matrix products of PowerSGD, as one learns them. In double, in index order; nothing is rounded
 * to the bucket's type here. */
#ifndef PSGD_REF_PRODUCTS_H
#define PSGD_REF_PRODUCTS_H

#include <stddef.h>

/* p [n x r] = M q, with M [n x m] and q [m x r]. */
void psgd_multiply(double *p, const double *M, const double *q, size_t n, size_t m, size_t r);

/* q [m x r] = M^T p, with M [n x m] and p [n x r]. */
void psgd_multiply_transposed(double *q, const double *M, const double *p, size_t n, size_t m, size_t r);

/* M [n x m] = p q^T, with p [n x r] and q [m x r]. */
void psgd_multiply_back(double *M, const double *p, const double *q, size_t n, size_t m, size_t r);

#endif
