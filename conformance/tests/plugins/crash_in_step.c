/* crash_in_step.c: dies of SIGSEGV in its third step. */
#include "plugin.h"
#include <signal.h>

static psgd_status wrong_step(psgd_state *state, const psgd_bucket *bucket)
{
    if (state->steps == 2) {
        (void)fprintf(stderr, "about to crash\n");
        (void)raise(SIGSEGV);
    }
    return plugin_step(state, bucket);
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("crash_in_step");
    table.step = wrong_step;
    return &table;
}
