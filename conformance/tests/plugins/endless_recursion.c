/* endless_recursion.c: uses up its stack in its second step, on rank 2 only. */
#include "plugin.h"

static size_t deeper(volatile unsigned char *above, size_t depth)
{
    volatile unsigned char here[1024];
    here[depth % sizeof here] = above[depth % sizeof here];
    size_t below = depth < SIZE_MAX ? deeper(here, depth + 1) : 0;
    return below + here[0];
}

static psgd_status wrong_step(psgd_state *state, const psgd_bucket *bucket)
{
    volatile unsigned char first[1024] = {0};
    if (state->steps == 1 && state->comm.rank == 2)
        state->steps += (int64_t)deeper(first, 0);
    return plugin_step(state, bucket);
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("endless_recursion");
    table.step = wrong_step;
    return &table;
}
