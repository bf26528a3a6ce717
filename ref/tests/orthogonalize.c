/* orthogonalize.c: by hand where a hand can follow, by properties elsewhere. */
#include "support.h"

#include "orthogonalize.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const psgd_value_type *f32, *f64, *f16, *bf16;

static void orthogonalize(double *a, size_t n, size_t r, double epsilon, const psgd_value_type *type)
{
    size_t count;
    assert_true(psgd_orthogonalize_work(&count, n, r));
    double *work = malloc(count * sizeof *work);
    assert_non_null(work);
    psgd_orthogonalize(a, work, n, r, epsilon, type);
    free(work);
}

/* max |a^T a - I|, a [n x r] */
static double defect(const double *a, size_t n, size_t r)
{
    double worst = 0;
    for (size_t j = 0; j < r; j++) {
        for (size_t k = 0; k < r; k++) {
            double sum = j == k ? -1 : 0;
            for (size_t i = 0; i < n; i++) {
                sum += a[i * r + j] * a[i * r + k];
            }
            worst = fabs(sum) > worst ? fabs(sum) : worst;
        }
    }
    return worst;
}

static void gram_schmidt_by_hand(void **unused)
{
    (void)unused;
    double one[] = {3, 4};
    orthogonalize(one, 2, 1, 0, f64);
    assert_true(one[0] == 0.6 && one[1] == 0.8);

    double with_epsilon[] = {3, 4}; /* norm 5, divided by 5 + 3 */
    orthogonalize(with_epsilon, 2, 1, 3, f64);
    assert_true(with_epsilon[0] == 0.375 && with_epsilon[1] == 0.5);

    double two[] = {2, 1, /**/ 0, 3, /**/ 0, 4}; /* second column: (1 3 4) less its part along the first */
    orthogonalize(two, 3, 2, 0, f64);
    const double expected[] = {1, 0, /**/ 0, 0.6, /**/ 0, 0.8};
    assert_memory_equal(two, expected, sizeof two);
}

/* Householder's first column points against the first column of the matrix where that starts positive: LAPACK's sign.
 */
static void householder_by_hand(void **unused)
{
    (void)unused;
    double a[] = {2, 0, 0, /**/ 0, -3, 0, /**/ 0, 0, 5, /**/ 0, 0, 12};
    orthogonalize(a, 4, 3, 9, f64); /* epsilon has no say */
    const double expected[] = {1, 0, 0, /**/ 0, 1, 0, /**/ 0, 0, -5. / 13, /**/ 0, 0, -12. / 13};
    for (int i = 0; i < 12; i++) {
        assert_true(fabs(a[i] - expected[i]) <= 4 * DBL_EPSILON);
    }
    double b[] = {3, 1, 2, /**/ 4, 1, 0, /**/ 0, 2, 1};
    orthogonalize(b, 3, 3, 0, f64);
    assert_true(fabs(b[0] - -0.6) <= 4 * DBL_EPSILON && fabs(b[3] - -0.8) <= 4 * DBL_EPSILON);
}

static void columns_are_orthonormal_and_representable(void **unused)
{
    (void)unused;
    double a[50 * 9], before[50 * 9];
    for (size_t r = 1; r <= 9; r++) {
        for (int half = 0; half < 2; half++) {
            const psgd_value_type *type = half ? f32 : f64;
            fill_f64(a, 50 * r, r);
            psgd_round_values(a, 50 * r, type);
            memcpy(before, a, sizeof a);
            orthogonalize(a, 50, r, 0, type);
            assert_true(defect(a, 50, r) <= 10 * (double)r * (half ? (double)FLT_EPSILON : DBL_EPSILON));
            for (size_t i = 0; i < 50 * r; i++) {
                assert_true(a[i] == type->round(a[i]));
            }
            /* the same span: each old column is its own projection */
            for (size_t j = 0; j < r; j++) {
                for (size_t i = 0; i < 50; i++) {
                    double projected = 0;
                    for (size_t k = 0; k < r; k++) {
                        double dot = 0;
                        for (size_t l = 0; l < 50; l++) {
                            dot += a[l * r + k] * before[l * r + j];
                        }
                        projected += dot * a[i * r + k];
                    }
                    assert_true(fabs(projected - before[i * r + j]) <= 1e-5);
                }
            }
        }
    }
}

/* Columns that Gram-Schmidt would leave far from orthogonal: only Householder passes, and only it is used from r = 3
 * on. */
static void nearly_dependent_columns_at_r_3(void **unused)
{
    (void)unused;
    double a[20 * 3];
    fill_f64(a, 60, 5);
    for (size_t i = 0; i < 20; i++) {
        a[3 * i + 1] = a[3 * i] + 1e-9 * a[3 * i + 1];
        a[3 * i + 2] = a[3 * i] + 1e-9 * a[3 * i + 2];
    }
    orthogonalize(a, 20, 3, 0, f64);
    assert_true(defect(a, 20, 3) <= 30 * DBL_EPSILON);
}

static void zero_columns(void **unused)
{
    (void)unused;
    double zero[] = {0, 0, 0};
    orthogonalize(zero, 3, 1, 0, f32);
    assert_true(isnan(zero[0]) && isnan(zero[1]) && isnan(zero[2]));

    double with_epsilon[] = {0, 0, 0, 0, 0, 0};
    orthogonalize(with_epsilon, 3, 2, 1e-8, f32);
    for (int i = 0; i < 6; i++) {
        assert_true(with_epsilon[i] == 0);
    }

    double one_row[] = {0, 0, /**/ 3, 5, /**/ 0, 0}; /* the second column vanishes once the first is taken away */
    orthogonalize(one_row, 3, 2, 0, f64);
    assert_true(one_row[0] == 0 && one_row[2] == 1 && one_row[4] == 0);
    assert_true(isnan(one_row[1]) && isnan(one_row[3]) && isnan(one_row[5]));
}

/* Where epsilon is lost in the rounded norm the first column is 1 exactly, and the second vanishes exactly. */
static void epsilon_that_drowns(void **unused)
{
    (void)unused;
    double a[] = {0, 0, /**/ 0.3, (double)0.7f};
    a[2] = (double)0.3f;
    orthogonalize(a, 2, 2, 1e-8, f32);
    assert_true(a[2] == 1 && a[3] == 0);
}

static void extreme_scales(void **unused)
{
    (void)unused;
    const double scales[] = {1e25, 1e-25, 1e38, 1e-36, 0x1p-140};
    for (int s = 0; s < 5; s++) {
        double a[] = {3, 4, 0};
        for (int i = 0; i < 3; i++) {
            a[i] = f32->round(a[i] * scales[s] / 5);
        }
        orthogonalize(a, 3, 1, 0, f32);
        assert_true(fabs(a[0] - 0.6) < 1e-2 && fabs(a[1] - 0.8) < 1e-2);
        assert_true(scales[s] < 1e-40 || defect(a, 3, 1) < 1e-6);
    }
    double huge[] = {3e200, 4e200}, tiny[] = {3e-200, 4e-200};
    orthogonalize(huge, 2, 1, 0, f64);
    orthogonalize(tiny, 2, 1, 0, f64);
    assert_true(fabs(huge[0] - 0.6) < 1e-15 && fabs(tiny[1] - 0.8) < 1e-15);
}

static void nan_and_infinity_stay_visible(void **unused)
{
    (void)unused;
    for (size_t r = 1; r <= 4; r++) {
        double a[6 * 4];
        fill_f64(a, 6 * r, 3);
        a[2 * r] = NAN;
        orthogonalize(a, 6, r, 1e-3, f64);
        assert_true(isnan(a[0]) && isnan(a[5 * r]));
        fill_f64(a, 6 * r, 3);
        a[2 * r] = INFINITY;
        orthogonalize(a, 6, r, 0, f64);
        assert_true(isnan(a[2 * r]));
    }
    double first_then_zeros[] = {NAN, 0, 0};
    orthogonalize(first_then_zeros, 3, 1, 1, f64);
    assert_true(isnan(first_then_zeros[2]));
}

/* ---- Half types: Gram-Schmidt at every rank, each tensor of the hook rounded ---- */

/* Above r = 2 too: three columns that QR would turn round (householder_by_hand) keep their signs. */
static void half_types_never_take_qr(void **unused)
{
    (void)unused;
    const psgd_value_type *const types[] = {f16, bf16};
    for (int i = 0; i < 2; i++) {
        double a[] = {3, 1, 2, /**/ 4, 1, 0, /**/ 0, 2, 1};
        orthogonalize(a, 3, 3, 0, types[i]);
        assert_true(a[0] == types[i]->round(0.6) && a[3] == types[i]->round(0.8));
        double b[] = {1, 0, 0, /**/ 0, 1, 0, /**/ 0, 0, 1};
        orthogonalize(b, 3, 3, 1, types[i]); /* epsilon has its say */
        assert_true(b[0] == 0.5 && b[4] == 0.5 && b[8] == 0.5);
    }
}

/* To the bit what PyTorch's Gram-Schmidt gives (2.15, the hook's own routine). A norm, a product, a sum that were not
 * rounded to the type would show. */
static void every_operation_is_rounded(void **unused)
{
    (void)unused;
    double two[] = {8, 9, /**/ 7, 1, /**/ 8, 4};
    const double expected_two[] = {0.6015625, 0.75, /**/ 0.52734375, -0.6328125, /**/ 0.6015625, -0.1875};
    orthogonalize(two, 3, 2, 0, bf16);
    assert_memory_equal(two, expected_two, sizeof two);

    double three[] = {3, 1, 2, /**/ 4, 1, 0, /**/ 0, 2, 1};
    const double expected_three[] = {
        0.60009765625, 0.0794677734375, 0.7958984375, 0.7998046875, -0.05975341796875, -0.59716796875, 0,
        0.9951171875,  -0.0994873046875};
    orthogonalize(three, 3, 3, 0, f16);
    assert_memory_equal(three, expected_three, sizeof three);
}

static void half_types_overflow_and_vanish(void **unused)
{
    (void)unused;
    double large[] = {60000, 60000, 60000}; /* the norm, 103923, is beyond f16 and infinite, as in the hook */
    orthogonalize(large, 3, 1, 0, f16);
    assert_true(large[0] == 0 && large[1] == 0 && large[2] == 0);
    double in_range[] = {24000, 32000}; /* of which a square would be infinite too */
    orthogonalize(in_range, 2, 1, 0, f16);
    assert_true(in_range[0] == f16->round(0.6) && in_range[1] == f16->round(0.8));
    double infinite[] = {INFINITY, 1};
    orthogonalize(infinite, 2, 1, 0, f16);
    assert_true(isnan(infinite[0]) && infinite[1] == 0);
    double denormal[] = {3 * 0x1p-24, 4 * 0x1p-24};
    orthogonalize(denormal, 2, 1, 0, f16);
    assert_true(denormal[0] == f16->round(0.6) && denormal[1] == f16->round(0.8));
    double zero[] = {0, 0, 0, 0};
    orthogonalize(zero, 2, 2, 0, bf16);
    assert_true(isnan(zero[0]) && isnan(zero[3]));
}

static void work_overflow_is_seen(void **unused)
{
    (void)unused;
    size_t count = 0;
    assert_true(psgd_orthogonalize_work(&count, 7, 3));
    assert_int_equal(count, 27);
    assert_false(psgd_orthogonalize_work(&count, SIZE_MAX / 2, 3));
    assert_false(psgd_orthogonalize_work(&count, 2, SIZE_MAX / 2));
}

int main(void)
{
    f32 = psgd_value_type_of(PSGD_F32);
    f64 = psgd_value_type_of(PSGD_F64);
    f16 = psgd_value_type_of(PSGD_F16);
    bf16 = psgd_value_type_of(PSGD_BF16);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gram_schmidt_by_hand),
        cmocka_unit_test(householder_by_hand),
        cmocka_unit_test(columns_are_orthonormal_and_representable),
        cmocka_unit_test(nearly_dependent_columns_at_r_3),
        cmocka_unit_test(zero_columns),
        cmocka_unit_test(epsilon_that_drowns),
        cmocka_unit_test(extreme_scales),
        cmocka_unit_test(nan_and_infinity_stay_visible),
        cmocka_unit_test(half_types_never_take_qr),
        cmocka_unit_test(every_operation_is_rounded),
        cmocka_unit_test(half_types_overflow_and_vanish),
        cmocka_unit_test(work_overflow_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
