/* forks_in_step.c: forks in its second step, on the last rank, and both processes go on as the rank. */
#include "plugin.h"

#include <unistd.h>

static psgd_status wrong_step(psgd_state *state, const psgd_bucket *bucket)
{
    if (state->steps == 1 && state->comm.rank == state->comm.size - 1)
        (void)fork();
    return plugin_step(state, bucket);
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("forks_in_step");
    table.step = wrong_step;
    return &table;
}
