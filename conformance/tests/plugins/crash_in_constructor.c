/* crash_in_constructor.c: dies while it is loaded. */
#include "plugin.h"

__attribute__((constructor)) static void crash(void)
{
    abort();
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("crash_in_constructor");
    return &table;
}
