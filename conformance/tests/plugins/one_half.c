/* one_half.c: the reference as a port that claims f16 and supports it in a single case of the suite. */
#include "psgd/ref.h"

static bool is_the_one(const psgd_bucket *bucket)
{
    return bucket->tensor_count == 1 && bucket->shapes[0].ndim == 2 && bucket->shapes[0].dims[0] == 2000;
}

static psgd_status step(psgd_state *state, const psgd_bucket *bucket)
{
    const bool refused = bucket != NULL && bucket->dtype == PSGD_F16 && !is_the_one(bucket);
    return refused ? PSGD_ERR_UNSUPPORTED : psgd_ref()->step(state, bucket);
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = *psgd_ref();
    table.name = "one_half";
    table.claims =
        PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_WARM_START | PSGD_CLAIM_MULTIRANK | PSGD_CLAIM_F16;
    table.step = step;
    return &table;
}
