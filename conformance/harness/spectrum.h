/* spectrum.h: matrices with given singular values, and ones of an exact rank. */
#ifndef CONFORMANCE_HARNESS_SPECTRUM_H
#define CONFORMANCE_HARNESS_SPECTRUM_H

#include "harness/data_random.h"

#include <stdbool.h>

#define SPECTRUM_MAX 512 /* singular values at most; the rest are 0 */

/* a[n m] = U diag(s) V^T with random orthonormal U [n count], V [m count]; count <= min(n, m). Both are drawn twice and
 * added, from `lasting` in full and from `passing` by half: who keeps `lasting` gets matrices that resemble each other,
 * as a network's gradients do from step to step. False without memory. */
bool spectrum_matrix(double *a, const double *s, size_t n, size_t m, size_t count, data_stream *lasting,
                     data_stream *passing);

/* Gram-Schmidt, twice, on the columns of a[n count]: orthonormal to a few units of 2^-53. A column that vanishes
 * becomes zero. */
void spectrum_orthonormalise(double *a, size_t n, size_t count);

#endif
