/* sum.c: the sum over ranks in a fixed order, in double and rounded once. Its contract is in sum.h.
 *
 * The first term is loaded, not added to zero: 0 + (-0) would lose the sign of a sum of negative zeros. */
#include "sum.h"
#include <string.h>

static void load_f32(double *values, const void *elements, size_t count)
{
    const float *source = elements;
    for (size_t i = 0; i < count; i++)
        values[i] = (double)source[i];
}

static void store_f32(void *elements, const double *values, size_t count)
{
    float *target = elements;
    for (size_t i = 0; i < count; i++)
        target[i] = (float)values[i];
}

static void load_f64(double *values, const void *elements, size_t count)
{
    memcpy(values, elements, count * sizeof *values);
}

static void store_f64(void *elements, const double *values, size_t count)
{
    memcpy(elements, values, count * sizeof *values);
}

static const psgd_sum_type types[] = {
    {PSGD_F32, sizeof(float), load_f32, store_f32},
    {PSGD_F64, sizeof(double), load_f64, store_f64},
};

const psgd_sum_type *psgd_sum_type_find(psgd_dtype dtype)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].dtype == dtype)
            return &types[i];
    return NULL;
}

void psgd_sum(void *result, const void *terms, const psgd_sum_type *type, size_t count, size_t ranks, size_t stride)
{
    enum { BLOCK = 512 }; /* elements at a time: two blocks of doubles stay in the first-level cache */
    double sum[BLOCK];
    double term[BLOCK];
    for (size_t first = 0; first < count; first += BLOCK) {
        size_t n = count - first < BLOCK ? count - first : BLOCK;
        const unsigned char *source = (const unsigned char *)terms + first * type->size;
        type->load(sum, source, n);
        for (size_t rank = 1; rank < ranks; rank++) {
            type->load(term, source + rank * stride, n);
            for (size_t i = 0; i < n; i++)
                sum[i] += term[i];
        }
        type->store((unsigned char *)result + first * type->size, sum, n);
    }
}
