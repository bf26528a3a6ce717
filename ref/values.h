/* values.h: elements of any dtype as doubles, and back.
 *
 * The reference computes in double. A type is a row of a table (values.c): its loads are exact, its stores round once,
 * to nearest even. What PyTorch's hook keeps in a tensor, the reference rounds to the tensor's dtype at the same place;
 * in between nothing is rounded. A type without a row is not offered. Next: orthogonalize.h.
 */
#ifndef PSGD_REF_VALUES_H
#define PSGD_REF_VALUES_H

#include "psgd/psgd.h"

typedef struct psgd_value_type {
    psgd_dtype dtype;
    bool half; /* a 16-bit type: orthogonalised by Gram-Schmidt whatever the rank */
    void (*load)(double *values, const void *elements, size_t count);  /* values[count] = elements[count] */
    void (*store)(void *elements, const double *values, size_t count); /* elements[count] = values[count], rounded */
    double (*round)(double value);                                     /* what a store followed by a load gives */
} psgd_value_type;

/* Null for a dtype that the reference does not offer. */
const psgd_value_type *psgd_value_type_of(uint32_t dtype);

/* values[count] rounded in place. */
void psgd_round_values(double *values, size_t count, const psgd_value_type *type);

#endif
