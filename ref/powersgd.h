/* powersgd.h: the layerwise compressed step: powersgd.c. */
#ifndef PSGD_REF_POWERSGD_H
#define PSGD_REF_POWERSGD_H

#include "workspace.h"

/* old: the bucket's memory of the step before, or null. On success bucket->data holds the result and w->fresh what is
 * to be remembered. A failed collective leaves the state broken; other failures change nothing. */
psgd_status psgd_powersgd(psgd_state *state, const psgd_bucket *bucket, const psgd_bucket_memory *old,
                          psgd_workspace *w);

#endif
