/* crash_on_rank_1.c: dies in its second step, on rank 1 only, before its collective. */
#include "plugin.h"

static psgd_status wrong_step(psgd_state *state, const psgd_bucket *bucket)
{
    if (state->steps == 1 && state->comm.rank == 1)
        abort();
    return plugin_step(state, bucket);
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("crash_on_rank_1");
    table.step = wrong_step;
    return &table;
}
