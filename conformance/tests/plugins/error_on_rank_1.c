/* error_on_rank_1.c: returns an error in its third step on rank 1, before its collective. */
#include "plugin.h"

static psgd_status wrong_step(psgd_state *state, const psgd_bucket *bucket)
{
    return state->steps == 2 && state->comm.rank == 1 ? PSGD_ERR_DEVICE : plugin_step(state, bucket);
}

static const char *words(const psgd_state *state)
{
    (void)state;
    return "the device has left the room";
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("error_on_rank_1");
    table.step = wrong_step;
    table.last_error = words;
    return &table;
}
