/* honest_mean.c: an honest port that only averages. */
#include "plugin.h"

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("honest_mean");
    return &table;
}
