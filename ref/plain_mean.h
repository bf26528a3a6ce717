/* plain_mean.h: not in the paper: the hook averages plainly for the first start_iter steps, in either variant. */
#ifndef PSGD_REF_PLAIN_MEAN_H
#define PSGD_REF_PLAIN_MEAN_H

#include "workspace.h"

/* out = sum of g / W. No memory is touched. */
psgd_status psgd_plain_mean(psgd_state *state, const psgd_bucket *bucket, psgd_workspace *w);

#endif
