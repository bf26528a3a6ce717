/* workspace.h: all that one step needs, allocated before it changes anything. */
#ifndef PSGD_REF_WORKSPACE_H
#define PSGD_REF_WORKSPACE_H

#include "core/values.h"
#include "state.h"

/* Elements are doubles, representable in type. Sizes are those of fresh->layout. */
typedef struct psgd_workspace {
    const psgd_value_type *type;
    psgd_bucket_memory *fresh; /* what this step will leave for the next: its layout, its p, q and error */
    double *delta;             /* [error_numel]: gradient + error, this rank's */
    double *update;            /* [error_numel]: the result, the same on every rank */
    double *uncompressed;      /* [uncompressed_numel]: the tensors that are not compressed, back to back */
    double *orthogonalize;     /* workspace of psgd_orthogonalize for the largest factor */
    /* Elements on their way to and from the outside: of the dtype, or normals as they were drawn. Room for the whole
     * bucket, and for all of P or of Q, in any type: none is wider than a double. */
    void *wire;
} psgd_workspace;

/* Fills *w, which is zero; takes over *layout, if it succeeds. False without memory: what is there is to be freed all
 * the same. */
bool psgd_workspace_allocate(psgd_workspace *w, psgd_bucket_layout *layout, bool with_error);
void psgd_workspace_free(psgd_workspace *w);

#endif
