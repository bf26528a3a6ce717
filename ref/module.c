/* module.c: the reference as a plug-in, psgd-ref.so, which exports this one symbol. */
#include "psgd/ref.h"

const psgd_implementation *psgd_implementation_entry(void)
{
    return psgd_ref();
}
