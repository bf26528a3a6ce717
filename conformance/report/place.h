/* place.h: where a check saw what it saw, and what that was, in words. */
#ifndef CONFORMANCE_REPORT_PLACE_H
#define CONFORMANCE_REPORT_PLACE_H

#include "judge/verdict.h"

#include <stdio.h>

bool place_is_known(const check_place *at);
/* "step 3, rank 1, bucket 0, tensor 0, stage E, element [8,20]: got -0.0646, expected -0.284" */
void place_print(FILE *file, const check_place *at);

#endif
