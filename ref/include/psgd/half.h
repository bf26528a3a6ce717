/* half.h: the 16-bit floating-point types, as bits in a uint16_t: binary16 of IEEE 754 (PSGD_F16) and bfloat16, the
 * upper half of a binary32 (PSGD_BF16).
 *
 *              sign, exponent, fraction bits   largest           smallest normal   smallest
 *   f16        1      5         10             65504             2^-14             2^-24
 *   bf16       1      8          7             3.3895e38         2^-126            2^-133
 *
 * To a double is exact. From a double rounds once, to nearest, ties to even, into the denormals and up to infinity: by
 * way of a float, 1 + 2^-11 + 2^-30 would be rounded twice and lose its last bit. A float converts to a double first,
 * which is exact. A NaN comes out quiet, with its sign and the upper bits of its payload.
 *
 * Plain integer arithmetic: the same bits with every compiler, and with or without half types in the processor.
 */
#ifndef PSGD_HALF_H
#define PSGD_HALF_H

#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a 16-bit type divides its 15 bits below the sign. Exponents are biased by 2^(exponent_bits - 1) - 1. */
#define PSGD_F16_FRACTION_BITS  10
#define PSGD_BF16_FRACTION_BITS 7

/* A double's own: 1 sign bit, 11 exponent bits biased by 1023, 52 fraction bits. */
#define PSGD_DOUBLE_FRACTION ((UINT64_C(1) << 52) - 1)

/* The two conversions, of the type with so many fraction bits. What programs call is below. */
static inline double psgd_half_to_double(uint16_t half, int fraction_bits)
{
    const int exponent_bits = 15 - fraction_bits;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const uint64_t sign = (uint64_t)(half >> 15) << 63;
    const int exponent = (half >> fraction_bits) & ((1 << exponent_bits) - 1);
    uint64_t fraction = half & ((UINT64_C(1) << fraction_bits) - 1);
    uint64_t bits;

    if (exponent == (1 << exponent_bits) - 1) { /* infinity, NaN */
        const uint64_t quiet = fraction != 0 ? UINT64_C(1) << 51 : 0;
        bits = UINT64_C(0x7ff) << 52 | fraction << (52 - fraction_bits) | quiet;
    } else if (exponent > 0) {
        bits = (uint64_t)(exponent - bias + 1023) << 52 | fraction << (52 - fraction_bits);
    } else if (fraction != 0) { /* a denormal, which is a normal double: shift until its leading one is implicit */
        int shift = 0;
        while (!(fraction >> fraction_bits)) {
            fraction <<= 1;
            shift++;
        }
        bits = (uint64_t)(1 - shift - bias + 1023) << 52 | (fraction << (52 - fraction_bits) & PSGD_DOUBLE_FRACTION);
    } else {
        bits = 0;
    }
    bits |= sign;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint16_t psgd_half_from_double(double value, int fraction_bits)
{
    const int exponent_bits = 15 - fraction_bits;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const uint64_t infinity = ((UINT64_C(1) << exponent_bits) - 1) << fraction_bits;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t sign = bits >> 63 << 15;
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023; /* value = 1.fraction 2^exponent */
    const uint64_t fraction = bits & PSGD_DOUBLE_FRACTION;

    if (exponent == 1024 && fraction != 0) {
        const uint64_t quiet = UINT64_C(1) << (fraction_bits - 1);
        return (uint16_t)(sign | infinity | quiet | fraction >> (52 - fraction_bits));
    }
    if (exponent > bias) { /* 2^(bias + 1) and above */
        return (uint16_t)(sign | infinity);
    }
    /* The bits that do not fit: those of the fraction, and of a result below the normal range as many more as it is
     * below. More than all 53 leave nothing, and nothing to round up: less than half of the smallest value. */
    const int below = exponent < 1 - bias ? 1 - bias - exponent : 0;
    const int dropped = 52 - fraction_bits + below;
    if (dropped > 53) {
        return (uint16_t)sign;
    }
    const uint64_t significand = UINT64_C(1) << 52 | fraction;
    uint64_t kept = significand >> dropped;
    const uint64_t rest = significand - (kept << dropped);
    const uint64_t tie = UINT64_C(1) << (dropped - 1);
    kept += rest > tie || (rest == tie && (kept & 1) != 0) ? 1 : 0;
    /* A normal result's leading one adds 1 to the exponent below it; so does a carry, from a denormal to the smallest
     * normal value and from the largest value to infinity. */
    const uint64_t exponent_below = below > 0 ? 0 : (uint64_t)(exponent + bias - 1);
    return (uint16_t)(sign | ((exponent_below << fraction_bits) + kept));
}

/* ---- What programs call ---- */

static inline double psgd_f16_to_double(uint16_t half)
{
    return psgd_half_to_double(half, PSGD_F16_FRACTION_BITS);
}

static inline uint16_t psgd_f16_from_double(double value)
{
    return psgd_half_from_double(value, PSGD_F16_FRACTION_BITS);
}

static inline double psgd_bf16_to_double(uint16_t half)
{
    return psgd_half_to_double(half, PSGD_BF16_FRACTION_BITS);
}

static inline uint16_t psgd_bf16_from_double(double value)
{
    return psgd_half_from_double(value, PSGD_BF16_FRACTION_BITS);
}

#ifdef __cplusplus
}
#endif
#endif
