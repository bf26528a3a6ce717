/* Tests of judge/linalg.c against matrices whose answer is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "numbers.h"

#include "judge/linalg.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>

/* q[n r]^T q = I within 1e-14. */
static void assert_orthonormal(const double *q, size_t n, size_t r)
{
    for (size_t i = 0; i < r; i++) {
        for (size_t j = 0; j < r; j++) {
            double sum = 0;
            for (size_t k = 0; k < n; k++) {
                sum += q[k * r + i] * q[k * r + j];
            }
            assert_near(sum, i == j, 1e-14);
        }
    }
}

static void norms_do_not_overflow_or_underflow(void **state)
{
    (void)state;
    double huge[] = {3e300, -4e300}, tiny[] = {3e-300, 4e-300}, denormal[] = {3 * 0x1p-1074, 4 * 0x1p-1074};
    double mixed[] = {1e-300, 3e10, 4e10}, zeros[3] = {0};
    assert_near(norm_frobenius(huge, 2), 5e300, 1e285);
    assert_near(norm_frobenius(tiny, 2), 5e-300, 1e-315);
    assert_true(norm_frobenius(denormal, 2) == 5 * 0x1p-1074);
    assert_near(norm_frobenius(mixed, 3), 5e10, 1e-5);
    assert_true(norm_frobenius(zeros, 3) == 0);
    assert_true(norm_frobenius(NULL, 0) == 0);
    assert_near(norm_2(huge, 1, 2), 5e300, 1e285);
    double square[] = {3e300, 0, 0, -4e300};
    assert_near(norm_2(square, 2, 2), 4e300, 1e286);
}

static void norms_keep_nan_and_infinity(void **state)
{
    (void)state;
    double with_nan[] = {INFINITY, 1, NAN, 2}, with_infinity[] = {1, -INFINITY, INFINITY, 0};
    assert_true(isnan(norm_frobenius(with_nan, 4)));
    assert_true(isinf(norm_frobenius(with_infinity, 4)));
    assert_true(isnan(norm_2(with_nan, 2, 2)));
    assert_true(isnan(norm_2(with_infinity, 2, 2)));
    assert_true(isnan(norm_2(with_nan, 4, 1)));
    assert_false(all_finite(with_nan, 4));
    assert_false(all_finite(with_infinity, 4));
    assert_true(all_finite(NULL, 0));
    assert_false(all_zero(with_nan, 4));
    assert_true(all_zero((const double[]){0, -0.0}, 2));
    assert_false(all_zero((const double[]){0, 1e-300}, 2));
}

static void products_are_right(void **state)
{
    (void)state;
    const double a[] = {1, 2, 3, 4, 5, 6};  /* 2 x 3 */
    const double b[] = {1, 0, 2, -1, 0, 3}; /* 3 x 2 */
    double ab[4], aat[4], atb[9];
    matmul(ab, a, b, 2, 3, 2);
    const double ab_expected[] = {5, 7, 14, 13};
    matmul_nt(aat, a, a, 2, 2, 3);
    const double aat_expected[] = {14, 32, 32, 77};
    for (size_t i = 0; i < 4; i++) {
        assert_true(ab[i] == ab_expected[i]);
        assert_true(aat[i] == aat_expected[i]);
    }
    matmul_tn(atb, a, b, 2, 3, 3); /* b read as 2 x 3 */
    const double atb_expected[] = {-3, 0, 14, -3, 0, 19, -3, 0, 24};
    for (size_t i = 0; i < 9; i++) {
        assert_true(atb[i] == atb_expected[i]);
    }
}

static void products_do_not_lose_nan(void **state)
{
    (void)state;
    const double zeros[] = {0, 0, 0, 0}, nans[] = {NAN, NAN, NAN, NAN};
    double c[4];
    matmul(c, zeros, nans, 2, 2, 2);
    assert_true(isnan(c[0]) && isnan(c[3]));
    matmul_tn(c, zeros, nans, 2, 2, 2);
    assert_true(isnan(c[0]) && isnan(c[3]));
    matmul_nt(c, nans, zeros, 2, 2, 2);
    assert_true(isnan(c[0]) && isnan(c[3]));
}

static void qr_has_lapacks_signs(void **state)
{
    (void)state;
    const double column[] = {3, 4}, negative[] = {-3, 4}, diagonal[] = {2, 0, 0, -3};
    double q[4];
    assert_true(householder_q(q, column, 2, 1)); /* R is -5 */
    assert_near(q[0], -0.6, 1e-15);
    assert_near(q[1], -0.8, 1e-15);
    assert_true(householder_q(q, negative, 2, 1)); /* R is +5 */
    assert_near(q[0], -0.6, 1e-15);
    assert_near(q[1], 0.8, 1e-15);
    assert_true(householder_q(q, diagonal, 2, 2)); /* nothing below the diagonal: no reflection */
    assert_true(q[0] == 1 && q[1] == 0 && q[2] == 0 && q[3] == 1);
    /* By LAPACK 3.11 (dgeqrf, dorgqr). */
    const double a[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, -1, 0, 2};
    const double expected[] = {-0.12216944435630528, 0.5642764926868793,  0.47781848256749826, -0.48867777742522095,
                               0.23175641663925378,  0.5187743525018512,  -0.8551861104941366, -0.10076365940837123,
                               -0.4436885909555317,  0.12216944435630524, 0.7859565433852946,  -0.5529042441138187};
    double q3[12];
    assert_true(householder_q(q3, a, 4, 3));
    assert_orthonormal(q3, 4, 3);
    for (size_t i = 0; i < 12; i++) {
        assert_near(q3[i], expected[i], 1e-14);
    }
}

static void qr_of_anything_is_orthonormal(void **state)
{
    (void)state;
    double a[30] = {0}, q[30];
    assert_true(householder_q(q, a, 10, 3)); /* zero */
    assert_orthonormal(q, 10, 3);
    fill_random(a, 30, 1);
    for (size_t i = 0; i < 10; i++) {
        a[i * 3 + 2] = a[i * 3 + 1]; /* duplicate columns */
    }
    assert_true(householder_q(q, a, 10, 3));
    assert_orthonormal(q, 10, 3);
    for (size_t i = 0; i < 30; i++) {
        a[i] *= 1e300;
    }
    assert_true(householder_q(q, a, 10, 3));
    assert_orthonormal(q, 10, 3);
    a[7] = NAN;
    assert_true(householder_q(q, a, 10, 3));
    assert_true(isnan(q[0]) && isnan(q[29]));
    assert_true(householder_q(q, a, 0, 0));
}

static void singular_values_of_known_matrices(void **state)
{
    (void)state;
    double hilbert[64], s[8];
    for (size_t i = 0; i < 64; i++) {
        hilbert[i] = 1.0 / (double)(i / 8 + i % 8 + 1);
    }
    assert_true(singular_values(hilbert, 8, 8, s));
    /* Of the matrix as rounded to double, in 40 digits by mpmath. */
    const double expected[] = {1.695938996921949436,     0.2981252113169306749,    0.02621284357811905095,
                               0.001467688117741847139,  5.436943369750896270e-05, 1.294332091874179292e-06,
                               1.798873746006230126e-08, 1.111538969488808159e-10};
    for (size_t i = 0; i < 8; i++) {
        assert_near(s[i], expected[i], 8 * DBL_EPSILON);
    }
    const double diagonal[] = {0, -3, 0, 0, 0, 7, 1, 0, 0}; /* signed permutation of 7, 3, 1 */
    assert_true(singular_values(diagonal, 3, 3, s));
    assert_near(s[0], 7, 1e-14);
    assert_near(s[1], 3, 1e-14);
    assert_near(s[2], 1, 1e-14);
}

/* Wide, tall, square and much taller, with a rank of rank: u s vt is a, u and vt are orthonormal, the tail is rounding.
 */
static void check_decomposition(size_t n, size_t m, size_t rank, double scale)
{
    size_t k = n < m ? n : m;
    double *left = malloc(n * rank * sizeof *left), *right = malloc(rank * m * sizeof *right);
    double *a = malloc(n * m * sizeof *a), *s = malloc(k * sizeof *s), *u = malloc(n * k * sizeof *u);
    double *vt = malloc(k * m * sizeof *vt), *v = malloc(k * m * sizeof *v);
    assert_true(left && right && a && s && u && vt && v);
    fill_random(left, n * rank, 3);
    fill_random(right, rank * m, 4);
    matmul(a, left, right, n, rank, m);
    for (size_t i = 0; i < n * m; i++) {
        a[i] *= scale;
    }
    assert_true(singular_vectors(a, n, m, s, u, vt));
    for (size_t i = 0; i < k; i++) {
        assert_true(s[i] >= 0 && (i == 0 || s[i] <= s[i - 1]));
        assert_true(i < rank ? s[i] > 1e-3 * s[0] : s[i] < 1e-14 * s[0]);
    }
    assert_orthonormal(u, n, k);
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j < m; j++) {
            v[j * k + i] = vt[i * m + j];
            vt[i * m + j] *= s[i];
        }
    }
    assert_orthonormal(v, m, k);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            double sum = 0;
            for (size_t l = 0; l < k; l++) {
                sum += u[i * k + l] * vt[l * m + j];
            }
            assert_near(sum, a[i * m + j], 1e-14 * s[0]);
        }
    }
    assert_near(norm_2(a, n, m), s[0], 1e-14 * s[0]);
    double *alone = malloc(k * sizeof *alone);
    assert_non_null(alone);
    assert_true(singular_values(a, n, m, alone));
    for (size_t i = 0; i < k; i++) {
        assert_near(alone[i], s[i], 4e-15 * s[0]);
    }
    for (size_t i = 0; i < k; i++) { /* each by itself, and beside others, in any order */
        const size_t which[] = {k - 1, i, 0};
        double chosen[3], one;
        assert_true(chosen_singular_values(a, n, m, which, 3, chosen));
        assert_true(chosen_singular_values(a, n, m, &i, 1, &one));
        assert_true(chosen[0] == alone[k - 1] && chosen[1] == alone[i] && chosen[2] == alone[0] && one == alone[i]);
    }
    free(alone);
    free(left);
    free(right);
    free(a);
    free(s);
    free(u);
    free(vt);
    free(v);
}

static void decompositions_put_the_matrix_together_again(void **state)
{
    (void)state;
    check_decomposition(6, 6, 6, 1);
    check_decomposition(6, 6, 4, 1);
    check_decomposition(5, 8, 5, 1);
    check_decomposition(8, 5, 2, 1);
    check_decomposition(4, 30, 3, 1);
    check_decomposition(30, 4, 3, 1e300);
    check_decomposition(30, 4, 4, 1e-300);
    check_decomposition(1, 7, 1, 1);
    check_decomposition(7, 1, 1, 1);
    check_decomposition(24, 40, 4, 1);
}

static void singular_values_refuse_what_is_not_finite(void **state)
{
    (void)state;
    double a[6] = {1, 2, NAN, 4, 5, 6}, s[2];
    assert_false(singular_values(a, 2, 3, s));
    a[2] = -INFINITY;
    assert_false(singular_values(a, 3, 2, s));
    const size_t second = 1;
    assert_false(chosen_singular_values(a, 3, 2, &second, 1, s));
    assert_false(singular_vectors(a, 3, 2, s, NULL, NULL));
    assert_true(singular_values(a, 0, 3, s));
    assert_true(singular_values(a, 3, 0, s));
    assert_true(norm_2(a, 0, 3) == 0);
    double tail;
    assert_false(best_rank_error(&tail, a, 3, 2, 1));
}

static void leading_columns_span_the_largest(void **state)
{
    (void)state;
    const double a[] = {0, 5, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0}; /* 4 x 3, singular values 5, 2, 1 */
    double basis[12], condition;
    assert_true(leading_columns(basis, &condition, a, 4, 3, 2));
    assert_near(condition, 2.5, 1e-14);
    assert_near(fabs(basis[0]), 1, 1e-14);
    assert_near(fabs(basis[3]), 1, 1e-14);
    assert_orthonormal(basis, 4, 2);
    const double rank_one[] = {1, 2, 2, 4, 3, 6};
    assert_true(leading_columns(basis, &condition, rank_one, 3, 2, 2));
    assert_true(condition > 1e15);
    assert_orthonormal(basis, 3, 2);
    const double zero[6] = {0};
    assert_true(leading_columns(basis, &condition, zero, 3, 2, 2));
    assert_true(isinf(condition));
    assert_orthonormal(basis, 3, 2);
}

static void best_rank_error_is_the_tail(void **state)
{
    (void)state;
    const double a[] = {0, 5, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0};
    double tail;
    assert_true(best_rank_error(&tail, a, 4, 3, 1));
    assert_near(tail, 5, 1e-13);
    assert_true(best_rank_error(&tail, a, 4, 3, 3));
    assert_true(tail == 0);
}

/* Matrices of small integers whose rank is 2 but for rounding, as error feedback leaves them: the iteration must end.
 * The singular values are those of the two integer vectors' products. */
static void low_rank_integers_end(void **state)
{
    (void)state;
    enum { N = 24, M = 40 };
    uint64_t x = 1;
    for (int trial = 0; trial < 200; trial++) {
        double a[N * M], left[N][2], right[M][2], s[N];
        for (int i = 0; i < 2 * N; i++) {
            x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            left[i / 2][i % 2] = (double)(x >> 33) / 0x1p31 < 0.3 ? 0 : (double)((x >> 40) % 3) - 1;
        }
        for (int i = 0; i < 2 * M; i++) {
            x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            right[i / 2][i % 2] = 2 * ((double)((x >> 40) % 5) - 2);
        }
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < M; j++) {
                x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                const double noise = ((double)((x >> 40) % 9) - 4) * 0x1p-52;
                a[i * M + j] = left[i][0] * right[j][0] + left[i][1] * right[j][1] + (trial % 2 == 0 ? noise : 0);
            }
        }
        assert_true(singular_values(a, N, M, s));
        assert_true(s[2] <= 1e-13 * s[0]);
        double all = 0;
        for (int i = 0; i < N; i++) {
            all = hypot(all, s[i]);
        }
        assert_true(fabs(all - norm_frobenius(a, (size_t)N * M)) <= 1e-13 * all);
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norms_do_not_overflow_or_underflow),
        cmocka_unit_test(norms_keep_nan_and_infinity),
        cmocka_unit_test(products_are_right),
        cmocka_unit_test(products_do_not_lose_nan),
        cmocka_unit_test(qr_has_lapacks_signs),
        cmocka_unit_test(qr_of_anything_is_orthonormal),
        cmocka_unit_test(singular_values_of_known_matrices),
        cmocka_unit_test(decompositions_put_the_matrix_together_again),
        cmocka_unit_test(singular_values_refuse_what_is_not_finite),
        cmocka_unit_test(leading_columns_span_the_largest),
        cmocka_unit_test(best_rank_error_is_the_tail),
        cmocka_unit_test(low_rank_integers_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
