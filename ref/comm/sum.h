/* sum.h: the sum over ranks in a fixed order, one row of a table for each element type.
 *
 * Internal to ref/comm. A type is added by one row in sum.c: how its elements become doubles, and how doubles become
 * its elements. */
#ifndef PSGD_COMM_SUM_H
#define PSGD_COMM_SUM_H

#include "psgd/psgd.h"

typedef struct psgd_sum_type {
    psgd_dtype dtype;
    size_t size; /* bytes of an element */
    void (*load)(double *values /* [count] */, const void *elements /* [count] */, size_t count);
    void (*store)(void *elements /* [count] */, const double *values /* [count] */, size_t count);
} psgd_sum_type;

/* The row of this type; null if there is none. */
const psgd_sum_type *psgd_sum_type_find(psgd_dtype dtype);

/* result[i] = ((terms[0][i] + terms[1][i]) + terms[2][i]) + ... in double, rounded once to the type. The term of rank k
 * starts k * stride bytes after terms. result does not overlap the terms; all are aligned for the type. */
void psgd_sum(void *result /* [count] */, const void *terms /* [ranks][stride bytes] */, const psgd_sum_type *type,
              size_t count, size_t ranks, size_t stride);

#endif
