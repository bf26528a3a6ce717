/* quits_at_once.c: calls _exit() in its second step, which no handler sees. */
#include "plugin.h"

#include <unistd.h>

static psgd_status wrong_step(psgd_state *state, const psgd_bucket *bucket)
{
    if (state->steps == 1)
        _exit(7);
    return plugin_step(state, bucket);
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("quits_at_once");
    table.step = wrong_step;
    return &table;
}
