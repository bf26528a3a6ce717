/* Tests of comm/sum.c: order, one rounding, signs of zero, blocks, gaps between the terms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "comm/sum.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void terms_are_added_from_rank_0_on(void **state)
{
    (void)state;
    /* ((1e16 + 1) - 1e16) + 3 is 3, for the 1 is lost. From the last rank on, or with ranks 1 and 3 exchanged, it is 4
     * or 5. */
    const double terms[4] = {1e16, 1, -1e16, 3};
    double result = -1;
    psgd_sum(&result, terms, psgd_value_type_of(PSGD_F64), 1, 4, sizeof(double));
    assert_true(result == 3);
}

static void f32_is_rounded_once(void **state)
{
    (void)state;
    /* In float, 2^24 + 1 rounds back to 2^24, twice; in double the sum 2^24 + 2 is exact, and it is a float. */
    const float terms[3] = {16777216, 1, 1};
    float result = -1;
    psgd_sum(&result, terms, psgd_value_type_of(PSGD_F32), 1, 3, sizeof(float));
    assert_true(result == 16777218.0f);
}

static void zeros_keep_their_sign(void **state)
{
    (void)state;
    const double negative[2] = {-0.0, -0.0};
    const double mixed[2] = {-0.0, 0.0};
    double result = 1;
    psgd_sum(&result, negative, psgd_value_type_of(PSGD_F64), 1, 2, sizeof(double));
    assert_true(result == 0 && signbit(result));
    psgd_sum(&result, mixed, psgd_value_type_of(PSGD_F64), 1, 2, sizeof(double));
    assert_true(result == 0 && !signbit(result));
}

static void what_is_not_finite_stays_so(void **state)
{
    (void)state;
    const float terms[2][3] = {{INFINITY, INFINITY, NAN}, {1, -INFINITY, 1}};
    float result[3] = {0, 0, 0};
    psgd_sum(result, terms, psgd_value_type_of(PSGD_F32), 3, 2, sizeof terms[0]);
    assert_true(isinf(result[0]) && result[0] > 0);
    assert_true(isnan(result[1]));
    assert_true(isnan(result[2]));
}

/* Lengths around the block's, terms further apart than they are long; what lies behind the result stays. */
static void every_element_is_summed(void **state)
{
    (void)state;
    const psgd_value_type *type = psgd_value_type_of(PSGD_F32);
    const size_t counts[] = {0, 1, 511, 512, 513, 1024, 1500};
    enum { RANKS = 3, STRIDE = 1600 };
    float *terms = calloc((size_t)RANKS * STRIDE, sizeof *terms);
    float *result = calloc(STRIDE, sizeof *result);
    assert_non_null(terms);
    assert_non_null(result);
    for (size_t k = 0; k < RANKS; k++)
        for (size_t i = 0; i < STRIDE; i++)
            terms[k * STRIDE + i] = (float)(i * (k + 1));
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (size_t i = 0; i < STRIDE; i++)
            result[i] = -7;
        psgd_sum(result, terms, type, counts[c], RANKS, STRIDE * sizeof *terms);
        for (size_t i = 0; i < STRIDE; i++)
            assert_true(result[i] == (i < counts[c] ? (float)(6 * i) : -7.0f));
    }
    free(result);
    free(terms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_are_added_from_rank_0_on), cmocka_unit_test(f32_is_rounded_once),
        cmocka_unit_test(zeros_keep_their_sign),          cmocka_unit_test(what_is_not_finite_stays_so),
        cmocka_unit_test(every_element_is_summed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
