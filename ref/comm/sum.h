/* sum.h: the sum over ranks in a fixed order, for every element type. Internal to ref/comm. */
#ifndef PSGD_COMM_SUM_H
#define PSGD_COMM_SUM_H

#include "core/values.h"

/* result[i] = ((terms[0][i] + terms[1][i]) + terms[2][i]) + ... in double, rounded once to the type. The term of rank k
 * starts k * stride bytes after terms. result does not overlap the terms; all are aligned for the type. */
void psgd_sum(void *result /* [count] */, const void *terms /* [ranks][stride bytes] */, const psgd_value_type *type,
              size_t count, size_t ranks, size_t stride);

#endif
