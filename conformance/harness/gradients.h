/* gradients.h: the local gradients of a problem, made from its string alone (recordings are not made here).
 *
 * The same string and CASE_GENERATOR give the same bits on every machine and compiler: integers and IEEE's + - * / sqrt
 * only, without fused multiply-add. A change of any bit is a new CASE_GENERATOR. Ranks' gradients resemble each other
 * and change from step to step, as those of shards of one data set do.
 */
#ifndef CONFORMANCE_HARNESS_GRADIENTS_H
#define CONFORMANCE_HARNESS_GRADIENTS_H

#include "harness/problem.h"
#include "harness/trace.h"

/* Fills in[world], allocated with the bucket's elements in the problem's type, with the gradients of one step. False:
 * message says why: no memory; or scale=K is not exact on these values, and *mistaken is set. */
bool gradients_fill(values *in, const problem *p, size_t bucket, int64_t step, bool *mistaken, char *message,
                    size_t message_size);

/* Multiplies by 2^exponent; false if that is not exact in the type. NaN and Inf stay. */
bool gradients_scale(values *v, int64_t exponent);

/* n and m of a tensor's matrix: the first dimension, the product of the others. */
void gradients_matrix(size_t *n, size_t *m, const psgd_shape *shape);

#endif
