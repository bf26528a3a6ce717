/* chatty.c: prints without end. */
#include "plugin.h"

static psgd_status wrong_step(psgd_state *state, const psgd_bucket *bucket)
{
    while (state->steps == 1)
        (void)printf("this port is fond of talking, and of nothing else\n");
    return plugin_step(state, bucket);
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("chatty");
    table.step = wrong_step;
    return &table;
}
