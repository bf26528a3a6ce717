/* workspace.c: see workspace.h. */
#include "workspace.h"

#include "orthogonalize.h"

#include <stdlib.h>

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

bool psgd_workspace_allocate(psgd_workspace *w, psgd_bucket_layout *layout, bool with_error)
{
    size_t work = 0;
    for (size_t i = 0; i < layout->tensor_count; i++) {
        const psgd_matrix_layout *t = &layout->tensors[i];
        size_t needed = 0;
        if (t->compressed && !psgd_orthogonalize_work(&needed, larger(t->n, t->m), t->r)) {
            return false;
        }
        work = larger(work, needed);
    }
    size_t travelling = larger(layout->numel, larger(layout->p_numel, layout->q_numel));
    w->type = psgd_value_type_of(layout->dtype);
    w->delta = psgd_new_values(layout->error_numel);
    w->update = psgd_new_values(layout->error_numel);
    w->uncompressed = psgd_new_values(layout->uncompressed_numel);
    w->orthogonalize = psgd_new_values(work);
    w->wire = psgd_new_values(travelling);
    w->fresh = psgd_bucket_memory_new(layout, with_error);
    return w->delta && w->update && w->uncompressed && w->orthogonalize && w->wire && w->fresh;
}

void psgd_workspace_free(psgd_workspace *w)
{
    psgd_bucket_memory_free(w->fresh);
    free(w->delta);
    free(w->update);
    free(w->uncompressed);
    free(w->orthogonalize);
    free(w->wire);
}
