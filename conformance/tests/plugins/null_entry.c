/* null_entry.c: its entry point returns null. */
#include "psgd/psgd.h"

const psgd_implementation *psgd_implementation_entry(void)
{
    return 0;
}
