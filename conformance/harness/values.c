/* values.c: arrays of f32, f64, f16 or bf16 read and written as doubles. Reading is exact; writing rounds once, to
 * nearest, ties to even, for every type. Nothing here knows what the values mean; trace.c is next.
 */
#include "harness/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A binary16 or bfloat16 word, told by its number of stored fraction bits and its exponent bias. */
static double small_to_double(uint16_t bits, int fraction_bits, int bias)
{
    const unsigned exponent_mask = (1u << (15 - fraction_bits)) - 1;
    const unsigned fraction = bits & ((1u << fraction_bits) - 1);
    const unsigned exponent = ((unsigned)bits >> fraction_bits) & exponent_mask;
    double magnitude;
    if (exponent == exponent_mask)
        magnitude = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        magnitude = ldexp((double)fraction, 1 - bias - fraction_bits);
    else
        magnitude = ldexp((double)(fraction + (1u << fraction_bits)), (int)exponent - bias - fraction_bits);
    return copysign(magnitude, bits & 0x8000u ? -1.0 : 1.0);
}

static uint16_t small_from_double(double x, int fraction_bits, int bias)
{
    const unsigned exponent_mask = (1u << (15 - fraction_bits)) - 1;
    const unsigned sign = signbit(x) ? 0x8000u : 0;
    if (isnan(x))
        return (uint16_t)(sign | exponent_mask << fraction_bits | 1u << (fraction_bits - 1));
    if (x == 0)
        return (uint16_t)sign;
    int exponent = 0; /* |x| = f 2^exponent, f in [0.5, 1) */
    if (isfinite(x))
        (void)frexp(x, &exponent);
    /* In units of the last place that the type has at this magnitude; below its normal range that place is fixed. */
    int unit = exponent - 1 - fraction_bits;
    if (unit < 1 - bias - fraction_bits)
        unit = 1 - bias - fraction_bits;
    const double units = isfinite(x) ? nearbyint(ldexp(fabs(x), -unit)) : (double)INFINITY;
    if (ldexp(units, unit) >= ldexp(1.0, (int)exponent_mask - bias))
        return (uint16_t)(sign | exponent_mask << fraction_bits);
    /* A carry into the next binade lands in the exponent field by itself; a denormal has field 0. */
    const unsigned field = (unsigned)(unit - (1 - bias - fraction_bits));
    return (uint16_t)(sign | (unsigned)((field << fraction_bits) + (unsigned)units));
}

double values_get(const values *v, size_t i)
{
    switch (v->dtype) {
    case PSGD_F32: return (double)((const float *)v->data)[i];
    case PSGD_F64: return ((const double *)v->data)[i];
    case PSGD_F16: return small_to_double(((const uint16_t *)v->data)[i], 10, 15);
    case PSGD_BF16: return small_to_double(((const uint16_t *)v->data)[i], 7, 127);
    }
    return (double)NAN;
}

void values_set(values *v, size_t i, double x)
{
    switch (v->dtype) {
    case PSGD_F32: ((float *)v->data)[i] = (float)x; break;
    case PSGD_F64: ((double *)v->data)[i] = x; break;
    case PSGD_F16: ((uint16_t *)v->data)[i] = small_from_double(x, 10, 15); break;
    case PSGD_BF16: ((uint16_t *)v->data)[i] = small_from_double(x, 7, 127); break;
    }
}

void values_to_double(double *out, const values *v)
{
    for (size_t i = 0; i < v->count; i++)
        out[i] = values_get(v, i);
}

bool values_equal_bits(const values *a, const values *b)
{
    if (a->dtype != b->dtype || a->count != b->count || (a->data == NULL) != (b->data == NULL))
        return false;
    return a->data == NULL || memcmp(a->data, b->data, a->count * psgd_dtype_size(a->dtype)) == 0;
}

bool values_allocate(values *v, psgd_dtype dtype, size_t count)
{
    *v = (values){.dtype = dtype, .count = count};
    const size_t size = psgd_dtype_size(dtype);
    if (size == 0 || count > SIZE_MAX / size)
        return false;
    v->data = calloc(count > 0 ? count : 1, size); /* an empty array is shown, too: data is not null */
    return v->data != NULL;
}

void values_free(values *v)
{
    if (v == NULL)
        return;
    free(v->data);
    *v = (values){0};
}
