/* ref.h: the plain reference implementation, as a library that is linked: libpsgd_ref (pkg-config psgd-ref). */
#ifndef PSGD_REF_H
#define PSGD_REF_H

#include "psgd/psgd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The reference's table of functions. Static storage, never null. */
PSGD_EXPORT const psgd_implementation *psgd_ref(void);

#ifdef __cplusplus
}
#endif
#endif
