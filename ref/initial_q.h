/* initial_q.h: the Q that a step starts from: the one of the step before, or fresh normals. */
#ifndef PSGD_REF_INITIAL_Q_H
#define PSGD_REF_INITIAL_Q_H

#include "workspace.h"

/* w->fresh->q = the Q of old (the bucket's memory of the step before, or null) if there is one and warm start is on;
 * else normals, the same on every rank. Not orthogonalised. On failure the state is as it was. */
psgd_status psgd_initial_q(psgd_state *state, const psgd_bucket_memory *old, psgd_workspace *w);

#endif
