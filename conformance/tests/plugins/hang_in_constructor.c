/* hang_in_constructor.c: never finishes being loaded. */
#include "plugin.h"

#include <unistd.h>

__attribute__((constructor)) static void hang(void)
{
    for (;;)
        (void)sleep(1);
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("hang_in_constructor");
    return &table;
}
