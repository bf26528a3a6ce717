/* values.h: elements of any dtype as doubles, and back: one row of a table (values.c) for each type.
 *
 * Loads are exact, stores round once, to nearest even; elements are aligned to their size. The reference computes in
 * double and rounds to the tensor's dtype where PyTorch's hook keeps something in a tensor; the collectives sum in
 * double and round the sum. Next: psgd/half.h for the 16-bit types.
 */
#ifndef PSGD_CORE_VALUES_H
#define PSGD_CORE_VALUES_H

#include "psgd/psgd.h"

typedef struct psgd_value_type {
    psgd_dtype dtype;
    bool half; /* a 16-bit type: orthogonalised by Gram-Schmidt whatever the rank */
    void (*load)(double *values, const void *elements, size_t count);  /* values[count] = elements[count] */
    void (*store)(void *elements, const double *values, size_t count); /* elements[count] = values[count], rounded */
    double (*round)(double value);                                     /* what a store followed by a load gives */
} psgd_value_type;

/* Null for what is no psgd_dtype. */
const psgd_value_type *psgd_value_type_of(uint32_t dtype);

/* values[count] rounded in place. */
void psgd_round_values(double *values, size_t count, const psgd_value_type *type);

#endif
