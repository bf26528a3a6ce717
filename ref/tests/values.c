/* values.c: loads are exact, stores round once to nearest even, round() is a store followed by a load. */
#include "support.h"

#include "values.h"

#include <math.h>

static void f32_rounds_to_nearest_even(void **unused)
{
    (void)unused;
    const psgd_value_type *f32 = psgd_value_type_of(PSGD_F32);
    assert_non_null(f32);
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
    const psgd_value_type *f64 = psgd_value_type_of(PSGD_F64);
    assert_non_null(f64);
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
    double values[3] = {0.1, 0.2, 0.3};
    psgd_round_values(values, 2, psgd_value_type_of(PSGD_F32));
    assert_true(values[0] == (double)0.1f && values[1] == (double)0.2f && values[2] == 0.3);
}

static void other_types_have_no_row(void **unused)
{
    (void)unused;
    assert_null(psgd_value_type_of(PSGD_F16));
    assert_null(psgd_value_type_of(PSGD_BF16));
    assert_null(psgd_value_type_of(0));
    assert_null(psgd_value_type_of(99));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f32_rounds_to_nearest_even),
        cmocka_unit_test(f64_is_exact),
        cmocka_unit_test(rounding_in_place_counts),
        cmocka_unit_test(other_types_have_no_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
