/* orthogonalize.h: a matrix with linearly independent columns becomes one with orthonormal columns and the same span.
 *
 * Two ways, chosen as PyTorch's hook chooses them: modified Gram-Schmidt for r <= 2 and for half types, Householder QR
 * with LAPACK's signs above. They differ in the signs of columns, in what epsilon does, and in how nearly dependent
 * columns come out. Next: powersgd.c, which calls this twice a step.
 */
#ifndef PSGD_REF_ORTHOGONALIZE_H
#define PSGD_REF_ORTHOGONALIZE_H

#include "core/values.h"

/* a [n x r], row-major, 1 <= r <= n <= PSGD_ORTHOGONALIZE_MAX_ROWS, elements representable in type; in place.
 * epsilon >= 0 is added to each column's norm (Gram-Schmidt only).
 * work: psgd_orthogonalize_work(n, r) doubles.
 * Without epsilon, a column that is zero, or becomes zero, comes out as NaN under Gram-Schmidt: 0 / 0, as in the hook.
 */
void psgd_orthogonalize(double *a, double *work, size_t n, size_t r, double epsilon, const psgd_value_type *type);

/* How many doubles of workspace that takes: n r + 2 r. False if the number overflows. */
bool psgd_orthogonalize_work(size_t *count, size_t n, size_t r);

#define PSGD_ORTHOGONALIZE_MAX_ROWS ((size_t)INT32_MAX) /* LAPACK counts in 32-bit integers */

#endif
