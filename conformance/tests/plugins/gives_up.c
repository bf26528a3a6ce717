/* gives_up.c: the reference as a port that answers "unsupported" in the midst of a run that it had begun to compress.
 */
#include "psgd/ref.h"

static psgd_status step(psgd_state *state, const psgd_bucket *bucket)
{
    psgd_statistics seen = {0};
    const psgd_status status = psgd_ref()->statistics(state, &seen);
    if (status != PSGD_OK)
        return status;
    const bool has_compressed = seen.numel_after_compression > 0;
    return has_compressed ? PSGD_ERR_UNSUPPORTED : psgd_ref()->step(state, bucket);
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = *psgd_ref();
    table.name = "gives_up";
    table.claims = PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_WARM_START | PSGD_CLAIM_MULTIRANK;
    table.step = step;
    table.submit = NULL;
    table.wait = NULL;
    return &table;
}
