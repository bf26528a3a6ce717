/* shapes_copy.h: a port's own copy of a bucket's shapes: the caller's are read within submit only. */
#ifndef CONFORMANCE_MUTANTS_SHAPES_COPY_H
#define CONFORMANCE_MUTANTS_SHAPES_COPY_H

#include "psgd/psgd.h"

typedef struct shapes_copy {
    psgd_shape *shapes; /* [the bucket's tensor_count]; dims in the array below */
    size_t *dims;
} shapes_copy;

/* False: no memory, nothing to free. */
bool shapes_copy_make(shapes_copy *copy, const psgd_bucket *bucket);
void shapes_copy_free(shapes_copy *copy);

#endif
