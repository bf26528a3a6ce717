/* no_half.c: the reference as a port that claims f16 and then supports none of it. */
#include "psgd/ref.h"

static psgd_status step(psgd_state *state, const psgd_bucket *bucket)
{
    return bucket != NULL && bucket->dtype == PSGD_F16 ? PSGD_ERR_UNSUPPORTED : psgd_ref()->step(state, bucket);
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = *psgd_ref();
    table.name = "no_half";
    table.claims =
        PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_WARM_START | PSGD_CLAIM_MULTIRANK | PSGD_CLAIM_F16;
    table.step = step;
    return &table;
}
