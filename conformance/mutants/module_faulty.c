/* module_faulty.c: the plug-in psgd-faulty.so: the faults, chosen by name. */
#include "mutants/faulty.h"

const psgd_implementation *psgd_implementation_entry(void)
{
    return faulty_implementation("faulty", false);
}
