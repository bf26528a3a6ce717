/* faulty_orthogonalize.h: ways of making the columns of a[n r] orthonormal. False without memory. */
#ifndef CONFORMANCE_MUTANTS_FAULTY_ORTHOGONALIZE_H
#define CONFORMANCE_MUTANTS_FAULTY_ORTHOGONALIZE_H

#include "mutants/faulty.h"

/* Householder QR with LAPACK's signs. */
bool faulty_householder(const psgd_state *state, double *a, size_t n, size_t r, psgd_dtype dtype);
/* a R^-1 with the Cholesky factor R of a^T a, twice; Householder QR where a^T a has no factor. */
bool faulty_cholesky(const psgd_state *state, double *a, size_t n, size_t r, psgd_dtype dtype);

#endif
