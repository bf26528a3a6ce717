/* evidence_internal.h: what evidence.c, evidence_regard.c and evidence_square.c share. */
#ifndef CONFORMANCE_JUDGE_EVIDENCE_INTERNAL_H
#define CONFORMANCE_JUDGE_EVIDENCE_INTERNAL_H

#include "judge/evidence.h"

double *evidence_doubles(size_t count); /* zeros; null without memory */

/* Fills tensors, tensor_count, case_tensors and judged_until. False: no memory. */
bool evidence_list_tensors(evidence *e);

/* out[side side]: its padding from P and Q, as P Q^T. Only if they are shown, finite, and make what was put out: then
 * *known is true. False: no memory. */
bool evidence_padding_from_factors(bool *known, double *out, const evidence *e, int64_t step, size_t bucket);

/* Fills norm, regard and the singular values of a tensor at a step whose mean, out and scale are there already. False:
 * no memory. */
bool evidence_regard(evidence *e, int64_t step, size_t tensor);

#endif
