/* faulty_step.h: what the parts of the layerwise step share: its workspace, and the parts in their order. */
#ifndef CONFORMANCE_MUTANTS_FAULTY_STEP_H
#define CONFORMANCE_MUTANTS_FAULTY_STEP_H

#include "mutants/faulty.h"

/* What a step works in; one allocation each, all made before anything is changed. */
typedef struct workspace {
    void *wire;      /* [numel or p or q] elements of the type */
    double *m, *out; /* [numel]: M, and the result */
    double *p, *q;   /* packed factors */
    double *local_q; /* [q_numel]: this rank's Q */
    double *own;     /* [numel]: uncompressed tensors, packed; later this rank's own approximation */
} workspace;

/* faulty_memory.c: M = the bucket's gradients + E; and what becomes of E once the result is there. */
void faulty_add_error(const psgd_state *state, const psgd_bucket *bucket, const faulty_bucket *memory, workspace *w);
psgd_status faulty_keep_error(psgd_state *state, const psgd_bucket *bucket, faulty_bucket *memory, workspace *w);

/* faulty_aggregate.c: uncompressed tensors become their mean, in w->out. */
psgd_status faulty_mean_of_uncompressed(psgd_state *state, const psgd_bucket_layout *l, workspace *w);

/* faulty_products.c: P = M Q, Q = M^T P, each of an orthogonalised factor; out = P Q^T. False without memory. */
bool faulty_project_left(const psgd_state *state, const psgd_bucket_layout *l, workspace *w);
bool faulty_project_right(const psgd_state *state, const psgd_bucket_layout *l, workspace *w);
void faulty_decompress(const psgd_state *state, const psgd_bucket_layout *l, workspace *w);

/* faulty_alternating.c: the alternating variant. draw: what a step starts from; alternate: its one product and sum. */
psgd_status faulty_alternate_draw(psgd_state *state, const faulty_bucket *memory, workspace *w);
psgd_status faulty_alternate(psgd_state *state, const faulty_bucket *memory, workspace *w);

#endif
