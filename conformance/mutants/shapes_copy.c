/* shapes_copy.c: see shapes_copy.h. */
#include "mutants/shapes_copy.h"

#include <stdlib.h>
#include <string.h>

bool shapes_copy_make(shapes_copy *copy, const psgd_bucket *bucket)
{
    size_t count = 0, used = 0;
    for (size_t i = 0; i < bucket->tensor_count; i++) {
        count += bucket->shapes[i].ndim;
    }
    copy->shapes = calloc(bucket->tensor_count + 1, sizeof *copy->shapes);
    copy->dims = calloc(count + 1, sizeof *copy->dims);
    if (copy->shapes == NULL || copy->dims == NULL) {
        shapes_copy_free(copy);
        return false;
    }
    for (size_t i = 0; i < bucket->tensor_count; i++) {
        const size_t ndim = bucket->shapes[i].ndim;
        copy->shapes[i] = (psgd_shape){ndim, copy->dims + used};
        if (ndim > 0) {
            memcpy(copy->dims + used, bucket->shapes[i].dims, ndim * sizeof *copy->dims);
        }
        used += ndim;
    }
    return true;
}

void shapes_copy_free(shapes_copy *copy)
{
    free(copy->shapes);
    free(copy->dims);
    *copy = (shapes_copy){0};
}
