/* linalg.h: the judge's linear algebra: row-major double matrices over GSL, nothing of ref/. Sizes may be 0; results
 * never overlap arguments. All functions that allocate return false (or null) without memory.
 *
 * GSL's default error handler aborts the program. A program that links this calls gsl_set_error_handler_off() at the
 * start of main (it is global, so no library does); what GSL then returns is checked here. Next: model.h. */
#ifndef CONFORMANCE_JUDGE_LINALG_H
#define CONFORMANCE_JUDGE_LINALG_H

#include <stdbool.h>
#include <stddef.h>

bool all_finite(const double *a, size_t count);
bool all_zero(const double *a, size_t count);         /* false for NaN */
double norm_frobenius(const double *a, size_t count); /* scaled: no overflow or underflow; NaN if any is NaN */

void matmul(double *c, const double *a, const double *b, size_t n, size_t k, size_t m); /* c[n m] = a[n k] b[k m] */
void matmul_tn(double *c, const double *a, const double *b, size_t n, size_t k,
               size_t m); /* c[k m] = a[n k]^T b[n m] */
void matmul_nt(double *c, const double *a, const double *b, size_t n, size_t k,
               size_t m); /* c[n k] = a[n m] b[k m]^T */

/* q[n r]: the orthogonal factor of a[n r], r <= n, by Householder reflections with LAPACK's signs (geqrf + orgqr).
 * Always orthonormal, whatever the rank of a; NaN throughout if a is not finite. */
bool householder_q(double *q, const double *a, size_t n, size_t r);

/* Singular values of a[n m], descending, s[min(n, m)]. False without memory or for non-finite input. Accurate to a few
 * u sigma_1. */
bool singular_values(const double *a, size_t n, size_t m, double *s);
/* Those numbered which[count] alone, below min(n, m), 0 being the largest: the quicker the fewer. */
bool chosen_singular_values(const double *a, size_t n, size_t m, const size_t *which, size_t count, double *s);
/* With the vectors: u[n min], vt[min m]; one of them may be null. */
bool singular_vectors(const double *a, size_t n, size_t m, double *s, double *u, double *vt);
double norm_2(const double *a, size_t n, size_t m); /* NaN where singular_values fails */

/* basis[n r]: orthonormal basis of the span of the r left singular vectors with the largest singular values of a[n m],
 * r <= min(n, m); *condition = sigma_1 / sigma_r (infinite if sigma_r is 0). */
bool leading_columns(double *basis, double *condition, const double *a, size_t n, size_t m, size_t r);

/* ||M - out||_F^2 cannot be smaller than this: the sum of squares of the singular values after the r-th. */
bool best_rank_error(double *tail_squared, const double *a, size_t n, size_t m, size_t r);

#endif
