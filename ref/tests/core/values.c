/* psgd/half.h and core/values.c: loads are exact, stores round once to nearest even, round() is a store followed by a
 * load. Of the 16-bit types all 65,536 patterns are tried, and the neighbourhood of every boundary between two. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "core/values.h"
#include "psgd/half.h"

#include <math.h>

static const psgd_value_type *row(psgd_dtype dtype)
{
    const psgd_value_type *type = psgd_value_type_of((uint32_t)dtype);
    assert_non_null(type);
    assert_int_equal(type->dtype, dtype);
    return type;
}

static void f32_rounds_to_nearest_even(void **unused)
{
    (void)unused;
    const psgd_value_type *f32 = row(PSGD_F32);
    const double in[] = {1, 1 + 0x1p-24, 1 + 0x1.8p-23, 1 + 0x1.000001p-24, 0.1, 1e300, -1e-300, 0x1p-149, NAN, -0.0};
    const double out[] = {1, 1, 1 + 0x1p-22, 1 + 0x1p-23, (double)0.1f, INFINITY, -0.0, 0x1p-149, NAN, -0.0};
    float elements[10];
    double back[10];
    f32->store(elements, in, 10);
    f32->load(back, elements, 10);
    for (int i = 0; i < 10; i++) {
        double rounded = f32->round(in[i]);
        assert_true(isnan(out[i]) ? isnan(back[i]) : back[i] == out[i] && signbit(back[i]) == signbit(out[i]));
        assert_true(isnan(out[i]) ? isnan(rounded) : rounded == out[i] && signbit(rounded) == signbit(out[i]));
    }
}

static void f64_is_exact(void **unused)
{
    (void)unused;
    const psgd_value_type *f64 = row(PSGD_F64);
    const double in[] = {0.1, 1 + 0x1p-40, 1e300, 0x1p-1074};
    double elements[4], back[4];
    f64->store(elements, in, 4);
    f64->load(back, elements, 4);
    assert_memory_equal(in, elements, sizeof in);
    assert_memory_equal(in, back, sizeof in);
    assert_true(f64->round(in[0]) == in[0]);
}

static void rounding_in_place_counts(void **unused)
{
    (void)unused;
    double values[] = {0.1, 0.1, 0.1};
    psgd_round_values(values, 2, row(PSGD_F32));
    assert_true(values[0] == (double)0.1f && values[1] == (double)0.1f && values[2] == 0.1);
}

/* ---- The 16-bit types, by the definition of the formats ---- */

typedef struct half_type {
    psgd_dtype dtype;
    int fraction_bits, bias;
} half_type;

static const half_type half_types[] = {{PSGD_F16, 10, 15}, {PSGD_BF16, 7, 127}};
enum { HALF_TYPES = 2, SIGN = 0x8000 };

static uint16_t infinity_of(const half_type *h)
{
    return (uint16_t)(SIGN - (1 << h->fraction_bits));
}

/* What this pattern below infinity means, without its sign. */
static double meaning(const half_type *h, uint16_t pattern)
{
    const int field = pattern >> h->fraction_bits, fraction = pattern & ((1 << h->fraction_bits) - 1);
    return field > 0 ? ldexp(1 + ldexp(fraction, -h->fraction_bits), field - h->bias)
                     : ldexp(fraction, 1 - h->bias - h->fraction_bits);
}

static uint16_t store(const half_type *h, double value)
{
    uint16_t pattern = 0x5555;
    row(h->dtype)->store(&pattern, &value, 1);
    return pattern;
}

static double load(const half_type *h, uint16_t pattern)
{
    double value = 0;
    row(h->dtype)->load(&value, &pattern, 1);
    return value;
}

static void every_pattern_loads_as_it_is_defined(void **unused)
{
    (void)unused;
    for (int t = 0; t < HALF_TYPES; t++) {
        const half_type *h = &half_types[t];
        for (int pattern = 0; pattern < 0x10000; pattern++) {
            const double value = load(h, (uint16_t)pattern);
            const uint16_t magnitude = (uint16_t)(pattern & (SIGN - 1));
            if (magnitude > infinity_of(h)) {
                assert_true(isnan(value));
            } else {
                assert_true(fabs(value) == (magnitude == infinity_of(h) ? (double)INFINITY : meaning(h, magnitude)));
            }
            assert_true(!signbit(value) == (pattern < SIGN));
        }
    }
}

static void every_pattern_comes_back_and_a_nan_quiet(void **unused)
{
    (void)unused;
    for (int t = 0; t < HALF_TYPES; t++) {
        const half_type *h = &half_types[t];
        for (int pattern = 0; pattern < 0x10000; pattern++) {
            const bool nan = (pattern & (SIGN - 1)) > infinity_of(h);
            const int quiet = nan ? 1 << (h->fraction_bits - 1) : 0;
            assert_int_equal(store(h, load(h, (uint16_t)pattern)), pattern | quiet);
        }
    }
}

/* Between two neighbours: their middle goes to the even one, and what is next to the middle to the nearer one. Above
 * the largest value the next one would be 2^(bias + 1), in whose place stands infinity. */
static void every_boundary_rounds_to_nearest_even(void **unused)
{
    (void)unused;
    for (int t = 0; t < HALF_TYPES; t++) {
        const half_type *h = &half_types[t];
        for (int pattern = 0; pattern < infinity_of(h); pattern++) {
            const double low = meaning(h, (uint16_t)pattern);
            const double high =
                pattern + 1 < infinity_of(h) ? meaning(h, (uint16_t)(pattern + 1)) : ldexp(1, h->bias + 1);
            const double middle = low + (high - low) / 2; /* exact */
            for (int sign = 0; sign <= SIGN; sign += SIGN) {
                const double s = sign ? -1 : 1;
                assert_int_equal(store(h, s * middle), sign | (pattern + (pattern & 1)));
                assert_int_equal(store(h, s * nextafter(middle, 0)), sign | pattern);
                assert_int_equal(store(h, s * nextafter(middle, (double)INFINITY)), sign | (pattern + 1));
                assert_int_equal(store(h, s * nextafter(high, 0)), sign | (pattern + 1));
                assert_int_equal(store(h, s * nextafter(low, (double)INFINITY)), sign | pattern);
            }
        }
    }
}

static void far_away_is_infinity_or_zero(void **unused)
{
    (void)unused;
    for (int t = 0; t < HALF_TYPES; t++) {
        const half_type *h = &half_types[t];
        for (int exponent = h->bias + 1; exponent < 1024; exponent++) {
            assert_int_equal(store(h, ldexp(1.5, exponent)), infinity_of(h));
            assert_int_equal(store(h, ldexp(-1, exponent)), SIGN | infinity_of(h));
        }
        for (int exponent = -h->bias - h->fraction_bits - 1; exponent >= -1075; exponent--) {
            assert_int_equal(store(h, ldexp(1, exponent)), 0);
            assert_int_equal(store(h, ldexp(-1.5, exponent)), SIGN);
        }
        assert_int_equal(store(h, 0x1p-1074), 0);
        assert_int_equal(store(h, (double)NAN) & (SIGN - 1), infinity_of(h) | 1 << (h->fraction_bits - 1));
    }
}

/* By way of a float, this would be a tie that goes down. */
static void a_double_is_rounded_once(void **unused)
{
    (void)unused;
    assert_int_equal(psgd_f16_from_double(1 + 0x1p-11 + 0x1p-40), psgd_f16_from_double(1) + 1);
    assert_int_equal(psgd_bf16_from_double(1 + 0x1p-8 + 0x1p-40), psgd_bf16_from_double(1) + 1);
}

static void round_is_a_store_and_a_load(void **unused)
{
    (void)unused;
    for (int t = 0; t < HALF_TYPES; t++) {
        const half_type *h = &half_types[t];
        assert_true(row(h->dtype)->half);
        for (int pattern = 0; pattern < infinity_of(h); pattern++) {
            const double value = 1.0001 * meaning(h, (uint16_t)pattern);
            assert_true(row(h->dtype)->round(value) == load(h, store(h, value)));
        }
    }
    assert_false(row(PSGD_F32)->half);
    assert_false(row(PSGD_F64)->half);
}

static void other_types_have_no_row(void **unused)
{
    (void)unused;
    assert_null(psgd_value_type_of(0));
    assert_null(psgd_value_type_of(99));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f32_rounds_to_nearest_even),
        cmocka_unit_test(f64_is_exact),
        cmocka_unit_test(rounding_in_place_counts),
        cmocka_unit_test(every_pattern_loads_as_it_is_defined),
        cmocka_unit_test(every_pattern_comes_back_and_a_nan_quiet),
        cmocka_unit_test(every_boundary_rounds_to_nearest_even),
        cmocka_unit_test(far_away_is_infinity_or_zero),
        cmocka_unit_test(a_double_is_rounded_once),
        cmocka_unit_test(round_is_a_store_and_a_load),
        cmocka_unit_test(other_types_have_no_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
