/* collective.c: see collective.h. */
#include "collective.h"

#include "core/config.h"

psgd_status psgd_all_reduce_sum(double *values, size_t count, psgd_state *state, psgd_workspace *w, const char *what)
{
    const psgd_comm *comm = &state->comm;
    w->type->store(w->wire, values, count);
    psgd_status status = comm->allreduce_sum(comm->context, count > 0 ? w->wire : NULL, count, w->type->dtype);
    if (status != PSGD_OK) {
        state->broken = true;
        return psgd_fail(PSGD_ERR_COMM, state->message, PSGD_MESSAGE_SIZE,
                         "comm.allreduce_sum of %s (%zu elements) failed with %s", what, count,
                         psgd_status_name(status));
    }
    w->type->load(values, w->wire, count);
    return PSGD_OK;
}

void psgd_divide_by_ranks(double *values, size_t count, const psgd_state *state, const psgd_value_type *type)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = type->round(values[i] / state->comm.size);
    }
}
