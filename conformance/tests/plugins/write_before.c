/* write_before.c: writes one element before its bucket. */
#include "plugin.h"

static psgd_status wrong_step(psgd_state *state, const psgd_bucket *bucket)
{
    psgd_status status = plugin_step(state, bucket);
    ((float *)bucket->data)[-1] = 1;
    return status;
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("write_before");
    table.step = wrong_step;
    return &table;
}
