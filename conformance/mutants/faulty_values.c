/* faulty_values.c: the values of a bucket as doubles, and back: what is kept in the type is rounded to it here, so that
 * what a port may do wrong with the half types is wrong in one place. Next: faulty_step.c. */
#include "mutants/faulty.h"

#include "core/values.h"

#include <math.h>

static bool is_half(psgd_dtype dtype)
{
    return psgd_value_type_of((uint32_t)dtype)->half;
}

/* Where the type has its smallest normal number and, for saturation, its largest. */
static double smallest_normal(psgd_dtype dtype)
{
    return dtype == PSGD_F16 ? 0x1p-14 : 0x1p-126;
}

static double largest(psgd_dtype dtype)
{
    return dtype == PSGD_F16 ? 65504 : 0x1.fep127;
}

/* Rounding gone away from zero is taken back by one unit in the last place. */
static double towards_zero(double value, double rounded, psgd_dtype dtype)
{
    if (!isfinite(value) || fabs(rounded) <= fabs(value)) {
        return rounded;
    }
    int exponent;
    (void)frexp(value, &exponent); /* value = f 2^exponent, f in [0.5, 1) */
    const int place = exponent - (dtype == PSGD_F16 ? 11 : 8), least = dtype == PSGD_F16 ? -24 : -133;
    const double unit = ldexp(1, place > least ? place : least);
    return copysign(floor(fabs(value) / unit) * unit, value);
}

/* Ties go away from zero; all else as it is. */
static double away_from_zero(double value, psgd_dtype dtype)
{
    int exponent;
    (void)frexp(value, &exponent);
    const int place = exponent - (dtype == PSGD_F16 ? 11 : 8), least = dtype == PSGD_F16 ? -24 : -133;
    const double unit = ldexp(1, place > least ? place : least);
    return copysign(floor(fabs(value) / unit + 0.5) * unit, value);
}

static double round_half(const psgd_state *state, double value, double rounded, psgd_dtype dtype)
{
    const bool f16 = dtype == PSGD_F16;
    switch (state->fault) {
    case FAULT_HALF_TRUNCATES: return towards_zero(value, rounded, dtype);
    case FAULT_HALF_ROUNDS_AWAY: return isfinite(rounded) ? away_from_zero(value, dtype) : rounded;
    case FAULT_HALF_SATURATES: return isinf(rounded) ? copysign(largest(dtype), rounded) : rounded;
    case FAULT_HALF_FLUSHES_DENORMALS: return fabs(rounded) < smallest_normal(dtype) ? copysign(0, rounded) : rounded;
    case FAULT_BF16_FLUSHES_DENORMALS:
        return !f16 && fabs(rounded) < smallest_normal(dtype) ? copysign(0, rounded) : rounded;
    case FAULT_F16_BY_BF16: return f16 ? psgd_value_type_of(PSGD_BF16)->round(rounded) : rounded;
    case FAULT_F16_OVERFLOWS_EARLY: return f16 && fabs(rounded) >= 32768 ? copysign(INFINITY, rounded) : rounded;
    default: return rounded;
    }
}

double faulty_round(const psgd_state *state, double value, psgd_dtype dtype)
{
    const double rounded = psgd_value_type_of(dtype)->round(value);
    if (is_half(dtype)) {
        return round_half(state, value, rounded, dtype);
    }
    if (fault_is(state, FAULT_FLUSHES_DENORMALS) && dtype == PSGD_F32 && fabs(rounded) < 0x1p-126) {
        return copysign(0, rounded);
    }
    return fault_is(state, FAULT_F64_IN_F32) ? (double)(float)rounded : rounded;
}

psgd_dtype faulty_factor_type(const psgd_state *state, psgd_dtype dtype)
{
    return fault_is(state, HONEST_WIDE_FACTORS) && is_half(dtype) ? PSGD_F32 : dtype;
}

void faulty_load(double *values, const void *elements, size_t count, psgd_dtype dtype)
{
    psgd_value_type_of(dtype)->load(values, elements, count);
}

void faulty_store(const psgd_state *state, void *elements, const double *values, size_t count, psgd_dtype dtype)
{
    const size_t size = psgd_dtype_size((uint32_t)dtype);
    for (size_t i = 0; i < count; i++) {
        const double rounded = faulty_round(state, values[i], dtype);
        psgd_value_type_of(dtype)->store((char *)elements + i * size, &rounded, 1);
    }
}
