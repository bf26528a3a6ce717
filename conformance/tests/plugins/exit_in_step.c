/* exit_in_step.c: calls exit() in its second step, with success. */
#include "plugin.h"

static psgd_status wrong_step(psgd_state *state, const psgd_bucket *bucket)
{
    if (state->steps == 1)
        exit(0);
    return plugin_step(state, bucket);
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("exit_in_step");
    table.step = wrong_step;
    return &table;
}
