/* hang_in_step.c: never returns from its second step. */
#include "plugin.h"
#include <unistd.h>

static psgd_status wrong_step(psgd_state *state, const psgd_bucket *bucket)
{
    while (state->steps == 1)
        (void)sleep(1);
    return plugin_step(state, bucket);
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("hang_in_step");
    table.step = wrong_step;
    return &table;
}
