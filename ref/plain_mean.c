/* plain_mean.c: see plain_mean.h. */
#include "plain_mean.h"

#include "collective.h"

psgd_status psgd_plain_mean(psgd_state *state, const psgd_bucket *bucket, psgd_workspace *w)
{
    size_t numel = w->fresh->layout.numel;
    w->type->load(w->update, bucket->data, numel);
    psgd_divide_by_ranks(w->update, numel, state, w->type); /* first, so that the sum stays in range */
    psgd_status status = psgd_all_reduce_sum(w->update, numel, state, w, "the gradients");
    if (status == PSGD_OK) {
        w->type->store(bucket->data, w->update, numel);
    }
    return status;
}
