/* shows_nothing.c: the reference as a port that shows its outputs and nothing else. */
#include "psgd/ref.h"

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = *psgd_ref();
    table.name = "shows_nothing";
    table.claims = PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_WARM_START | PSGD_CLAIM_MULTIRANK;
    table.peek = NULL;
    table.statistics = NULL;
    table.save = NULL;
    table.load = NULL;
    return &table;
}
