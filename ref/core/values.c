/* values.c: the table of element types. A new type is a new row with its load, store and round. */
#include "core/values.h"

#include "psgd/half.h"

static void load_f32(double *values, const void *elements, size_t count)
{
    const float *from = elements;
    for (size_t i = 0; i < count; i++) {
        values[i] = (double)from[i];
    }
}

static void store_f32(void *elements, const double *values, size_t count)
{
    float *to = elements;
    for (size_t i = 0; i < count; i++) {
        to[i] = (float)values[i];
    }
}

static double round_f32(double value)
{
    return (double)(float)value;
}

static void load_f64(double *values, const void *elements, size_t count)
{
    const double *from = elements;
    for (size_t i = 0; i < count; i++) {
        values[i] = from[i];
    }
}

static void store_f64(void *elements, const double *values, size_t count)
{
    double *to = elements;
    for (size_t i = 0; i < count; i++) {
        to[i] = values[i];
    }
}

static double round_f64(double value)
{
    return value;
}

static void load_f16(double *values, const void *elements, size_t count)
{
    const uint16_t *from = elements;
    for (size_t i = 0; i < count; i++) {
        values[i] = psgd_f16_to_double(from[i]);
    }
}

static void store_f16(void *elements, const double *values, size_t count)
{
    uint16_t *to = elements;
    for (size_t i = 0; i < count; i++) {
        to[i] = psgd_f16_from_double(values[i]);
    }
}

static double round_f16(double value)
{
    return psgd_f16_to_double(psgd_f16_from_double(value));
}

static void load_bf16(double *values, const void *elements, size_t count)
{
    const uint16_t *from = elements;
    for (size_t i = 0; i < count; i++) {
        values[i] = psgd_bf16_to_double(from[i]);
    }
}

static void store_bf16(void *elements, const double *values, size_t count)
{
    uint16_t *to = elements;
    for (size_t i = 0; i < count; i++) {
        to[i] = psgd_bf16_from_double(values[i]);
    }
}

static double round_bf16(double value)
{
    return psgd_bf16_to_double(psgd_bf16_from_double(value));
}

static const psgd_value_type types[] = {
    {PSGD_F32, false, load_f32, store_f32, round_f32},
    {PSGD_F64, false, load_f64, store_f64, round_f64},
    {PSGD_F16, true, load_f16, store_f16, round_f16},
    {PSGD_BF16, true, load_bf16, store_bf16, round_bf16},
};

const psgd_value_type *psgd_value_type_of(uint32_t dtype)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if ((uint32_t)types[i].dtype == dtype) {
            return &types[i];
        }
    }
    return NULL;
}

void psgd_round_values(double *values, size_t count, const psgd_value_type *type)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = type->round(values[i]);
    }
}
