/* world_blind.c: joins one collective too many on rank 0: the ranks no longer meet. */
#include "plugin.h"

static psgd_status wrong_step(psgd_state *state, const psgd_bucket *bucket)
{
    psgd_status status = plugin_step(state, bucket);
    float one = 1;
    if (status == PSGD_OK && state->comm.rank == 0)
        status = state->comm.allreduce_sum(state->comm.context, &one, 1, PSGD_F32);
    return status;
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("world_blind");
    table.step = wrong_step;
    return &table;
}
