/* module_honest.c: the plug-in psgd-honest.so: the honest variants, chosen by name. */
#include "mutants/faulty.h"

const psgd_implementation *psgd_implementation_entry(void)
{
    return faulty_implementation("honest", true);
}
