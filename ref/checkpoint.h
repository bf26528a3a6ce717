/* checkpoint.h: a state as a checkpoint file, and back. The format is in core/CHECKPOINT.md; here it is filled from a
 * state, and a state from it. */
#ifndef PSGD_REF_CHECKPOINT_H
#define PSGD_REF_CHECKPOINT_H

#include "state.h"

/* Atomic: path holds the old file or the new one, whole. */
psgd_status psgd_checkpoint_save(const psgd_state *state, const char *path);

/* Verifies everything, then replaces all of the state but its config and comm; on failure the state is as it was. */
psgd_status psgd_checkpoint_load(psgd_state *state, const char *path);

#endif
