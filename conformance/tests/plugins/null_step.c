/* null_step.c: its table lacks a required function. */
#include "plugin.h"

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("null_step");
    table.step = NULL;
    return &table;
}
