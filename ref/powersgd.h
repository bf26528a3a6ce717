/* powersgd.h: one step of PowerSGD for one bucket, split into the algorithm (powersgd.c) and what surrounds it
 * (step.c).
 */
#ifndef PSGD_REF_POWERSGD_H
#define PSGD_REF_POWERSGD_H

#include "state.h"
#include "core/values.h"

/* All that a step needs, allocated before it changes anything. Elements are doubles, representable in type. */
typedef struct psgd_workspace {
    const psgd_value_type *type;
    psgd_bucket_memory *fresh; /* what this step will leave for the next: its layout, its p and q */
    double *delta;             /* [numel]: gradient + error, this rank's */
    double *update;            /* [numel]: the result, the same on every rank */
    double *uncompressed;      /* [uncompressed_numel]: the tensors that are not compressed, back to back */
    double *orthogonalize;     /* workspace of psgd_orthogonalize for the largest factor */
    void *wire;                /* elements of the dtype on their way to and from the outside */
} psgd_workspace;

/* The whole step, as psgd_implementation.step has it. state is not broken. */
psgd_status psgd_step(psgd_state *state, const psgd_bucket *bucket);

/* The plain phase: out = sum of g / W. No memory is touched. */
psgd_status psgd_plain_mean(psgd_state *state, const psgd_bucket *bucket, psgd_workspace *w);

/* The compressed step. old: the bucket's memory of the step before, or null. On success bucket->data holds the result
 * and w->fresh what is to be remembered. A failed collective leaves the state broken; other failures change nothing. */
psgd_status psgd_powersgd(psgd_state *state, const psgd_bucket *bucket, const psgd_bucket_memory *old,
                          psgd_workspace *w);

#endif
