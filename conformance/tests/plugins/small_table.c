/* small_table.c: its table ends before destroy. */
#include "plugin.h"

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("small_table");
    table.struct_size = offsetof(psgd_implementation, step);
    return &table;
}
