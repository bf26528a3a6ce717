/* flattened.h: the compressed step of the flattened variant: flattened.c. */
#ifndef PSGD_REF_FLATTENED_H
#define PSGD_REF_FLATTENED_H

#include "workspace.h"

/* As psgd_powersgd; w->fresh->layout is flattened (psgd_bucket_layout_flatten). */
psgd_status psgd_flattened(psgd_state *state, const psgd_bucket *bucket, const psgd_bucket_memory *old,
                           psgd_workspace *w);

#endif
