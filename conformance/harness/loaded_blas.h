/* loaded_blas.h: which libraries for linear algebra this process has loaded: a port's last bits depend on them. */
#ifndef CONFORMANCE_HARNESS_LOADED_BLAS_H
#define CONFORMANCE_HARNESS_LOADED_BLAS_H

#include <stddef.h>

/* The names of their files, with a space between them; "" if there is none, or the system does not tell. What is linked
 * statically is not seen. GSL's own CBLAS is left out: it is the kit's. */
void loaded_blas(char *names, size_t size);

#endif
