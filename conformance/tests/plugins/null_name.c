/* null_name.c: its table has no name. */
#include "plugin.h"

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("null_name");
    table.name = NULL;
    return &table;
}
