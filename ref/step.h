/* step.h: the whole step, as psgd_implementation.step has it: what surrounds the algorithm. */
#ifndef PSGD_REF_STEP_H
#define PSGD_REF_STEP_H

#include "state.h"

/* state is not broken. Refuses a bucket of which a request is pending. */
psgd_status psgd_step(psgd_state *state, const psgd_bucket *bucket);

#endif
