/* write_past_end.c: writes one element behind its bucket. */
#include "plugin.h"

static psgd_status wrong_step(psgd_state *state, const psgd_bucket *bucket)
{
    size_t count = plugin_numel(bucket);
    psgd_status status = plugin_step(state, bucket);
    ((float *)bucket->data)[count] = 1;
    return status;
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("write_past_end");
    table.step = wrong_step;
    return &table;
}
