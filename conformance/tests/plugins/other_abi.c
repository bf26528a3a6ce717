/* other_abi.c: speaks another ABI than the kit. */
#include "plugin.h"

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("other_abi");
    table.abi = PSGD_ABI + 41;
    return &table;
}
