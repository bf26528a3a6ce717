/* tensor_names.h: names of tensors and plain values of metadata in case, result and recording files. */
#ifndef CONFORMANCE_HARNESS_TENSOR_NAMES_H
#define CONFORMANCE_HARNESS_TENSOR_NAMES_H

#include "core/safetensors.h"

#define TENSOR_NAME_SIZE 112

void tensor_name_rank(char name[TENSOR_NAME_SIZE], const char *kind, int64_t step, size_t bucket,
                      int rank); /* in/t0/b0/k2 */
void tensor_name_factor(char name[TENSOR_NAME_SIZE], const char *kind, int64_t step, size_t bucket,
                        size_t tensor); /* q0/t2/b0/i1 */

/* What a name says; the last part is 'k', 'i', or 0 where it is left out (out/t0/b0). */
typedef struct tensor_place {
    char kind[8];
    int64_t step;
    size_t bucket;
    char part;
    size_t number;
} tensor_place;
/* False for anything but exactly what the functions above write, or the same without its last part. */
bool tensor_name_parse(tensor_place *place, const char *name);

const char *dtype_name(psgd_dtype dtype); /* "f32" ... */
bool dtype_parse(psgd_dtype *dtype, const char *name);

/* A whole number from 0, in decimal, as metadata. False: missing or anything else. */
bool metadata_integer(int64_t *value, const psgd_safetensors *file, const char *key);

#endif
