/* Tests of judge/model_step.c: one step against answers that are known by hand, or by a projector made another way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "numbers.h"

#include "judge/linalg.h"
#include "judge/model.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

static model_output step(size_t n, size_t m, size_t r, const double *mbar, const double *q, psgd_dtype dtype,
                         double epsilon, int world)
{
    model_input input = {
        .n = n, .m = m, .r = r, .mbar = mbar, .q = q, .dtype = dtype, .epsilon = epsilon, .world = world};
    model_output output;
    assert_true(model_step(&output, &input));
    return output;
}

#define N 9
#define M 13

/* out = Pi Mbar, Pi the projector on the range of Mbar Q, here from the singular vectors of Mbar Q. */
static void out_is_the_projection(void **state)
{
    (void)state;
    const psgd_dtype types[] = {PSGD_F32, PSGD_F64, PSGD_F16, PSGD_BF16};
    for (size_t r = 1; r <= 5; r++) {
        for (size_t type = 0; type < 4; type++) {
            double mbar[N * M], q[M * 5], mq[N * 5], basis[N * 5], coefficients[5 * M], expected[N * M], condition;
            fill_random(mbar, N * M, 10 + r);
            fill_random(q, M * r, 20 + r);
            matmul(mq, mbar, q, N, M, r);
            assert_true(leading_columns(basis, &condition, mq, N, r, r));
            matmul_tn(coefficients, basis, mbar, N, r, M);
            matmul(expected, basis, coefficients, N, r, M);
            model_output output = step(N, M, r, mbar, q, types[type], 0, 3);
            for (size_t i = 0; i < N * M; i++) {
                assert_near(output.out[i], expected[i], 1e-13);
            }
            /* q is averaged: Mbar^T P. */
            matmul_tn(coefficients, mbar, output.p, N, M, r);
            for (size_t i = 0; i < M * r; i++) {
                assert_near(output.q[i], coefficients[i], 1e-13);
            }
            assert_true(output.gram_schmidt == (r <= 2 || types[type] == PSGD_F16 || types[type] == PSGD_BF16));
            assert_false(output.reference_inaccurate && type < 2);
            model_output_free(&output);
        }
    }
}

/* Gram-Schmidt leaves P's columns along those of Mbar Q; Householder turns them by LAPACK's signs. */
static void signs_are_those_of_the_path(void **state)
{
    (void)state;
    const double identity[] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, shifted[] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    model_output gs = step(3, 3, 2, shifted, (const double[]){1, 0, 0, 1, 0, 0}, PSGD_F32, 0, 1);
    assert_near(gs.p[2 * 1 + 0], 1, 1e-15);
    assert_near(gs.p[2 * 2 + 1], 1, 1e-15);
    model_output_free(&gs);
    model_output qr = step(3, 3, 3, shifted, identity, PSGD_F32, 0, 1);
    assert_near(qr.p[3 * 1 + 0], -1, 1e-15); /* alpha = 0, beta = -1 */
    model_output_free(&qr);
    model_output half = step(3, 3, 3, shifted, identity, PSGD_BF16, 0, 1);
    assert_near(half.p[3 * 1 + 0], 1, 1e-15);
    model_output_free(&half);
}

/* Norms by hand: Q = (2, 0) becomes 2 / (2 + eps) along e1; P = world * that times (3, 4). */
static void epsilon_is_added_to_norms_of_the_sum(void **state)
{
    (void)state;
    const double mbar[] = {3, 0, 4, 0}, q[] = {2, 0};
    double epsilon = 0.5;
    int world = 3;
    double qhat = 2 / (2 + epsilon), norm = world * 5 * qhat, c = norm / (norm + epsilon);
    model_output output = step(2, 2, 1, mbar, q, PSGD_F64, epsilon, world);
    assert_near(output.p[0], 0.6 * c, 1e-15);
    assert_near(output.p[1], 0.8 * c, 1e-15);
    assert_near(output.q[0], 5 * c, 1e-14);
    assert_near(output.out[2], 4 * c * c, 1e-14);
    assert_near(output.kappa, 5 * qhat / (5 * qhat + epsilon / world), 1e-14);
    model_output_free(&output);
    /* The same basis taken as it is. */
    model_input input = {.n = 2,
                         .m = 2,
                         .r = 1,
                         .mbar = mbar,
                         .q = q,
                         .dtype = PSGD_F64,
                         .epsilon = epsilon,
                         .world = world,
                         .q_is_orthonormal_basis = true};
    assert_true(model_step(&output, &input));
    assert_near(output.p[0], 0.6 * (30 / (30 + epsilon)), 1e-15);
    model_output_free(&output);
}

/* Two columns, the second not orthogonal to the first: what epsilon leaves along the first must be there. Naively. */
static void epsilon_leaves_a_part_of_the_projection(void **state)
{
    (void)state;
    double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[] = {3, 1, 4, 2, 0, 5};
    double epsilon = 0.7, a[3], b[3], along = 0;
    model_input input = {.n = 3,
                         .m = 3,
                         .r = 2,
                         .mbar = identity,
                         .q = q,
                         .dtype = PSGD_F32,
                         .epsilon = epsilon,
                         .world = 1,
                         .q_is_orthonormal_basis = true};
    model_output output;
    assert_true(model_step(&output, &input));
    for (size_t i = 0; i < 3; i++) {
        a[i] = q[2 * i] / (5 + epsilon);
        along += a[i] * q[2 * i + 1];
    }
    for (size_t i = 0; i < 3; i++) {
        b[i] = q[2 * i + 1] - along * a[i];
    }
    double norm = norm_frobenius(b, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_near(output.p[2 * i], a[i], 1e-15);
        assert_near(output.p[2 * i + 1], b[i] / (norm + epsilon), 1e-15);
    }
    model_output_free(&output);
}

static void gram_schmidt_stays_orthonormal_when_ill_conditioned(void **state)
{
    (void)state;
    double mbar[N * N] = {0}, q[N * 2] = {0}, noise[N];
    fill_random(noise, N, 5);
    for (size_t i = 0; i < N; i++) {
        mbar[i * N + 0] = 1;
        mbar[i * N + 1] = 1 + 1e-10 * noise[i];
    }
    q[0] = 1;
    q[3] = 1;
    model_output output = step(N, N, 2, mbar, q, PSGD_F32, 0, 1);
    double across = 0, second = 0;
    for (size_t i = 0; i < N; i++) {
        across += output.p[2 * i] * output.p[2 * i + 1];
        second += output.p[2 * i + 1] * output.p[2 * i + 1];
    }
    assert_near(across, 0, 1e-15);
    assert_near(second, 1, 1e-15);
    assert_true(output.kappa > 1e9 && output.kappa < 1e12);
    assert_true(output.reference_inaccurate);
    model_output_free(&output);
    output = step(N, N, 2, mbar, q, PSGD_F64, 0, 1); /* u is small enough there */
    assert_false(output.reference_inaccurate);
    model_output_free(&output);
}

static void conditions_of_a_diagonal(void **state)
{
    (void)state;
    const double mbar[] = {4, 0, 0, 0, 2, 0, 0, 0, 1}, q[] = {7, 0, 0, 5, 0, 0};
    model_output output = step(3, 3, 2, mbar, q, PSGD_F32, 0, 4);
    assert_near(output.kappa, 2, 1e-14);               /* 4 / 2 */
    assert_near(output.gamma, 1 + 1 + 0.5 * 1, 1e-14); /* (MQ)^+ M = (1 0 0; 0 1 0); 1/2; the residual is 1 */
    assert_false(output.reference_inaccurate);
    model_output_free(&output);
}

/* Nearly parallel columns of Q: the angle is a / 1000; lengths do not matter, zero columns neither. */
static void conditions_count_a_nearly_deficient_q(void **state)
{
    (void)state;
    const double identity[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double parallel[] = {1, 1000, 0, 1, 0, 0}, long_and_short[] = {1e6, 0, 0, 1e-6, 0, 0},
                 half[] = {1, 0, 0, 0, 0, 0};
    model_output output = step(3, 3, 2, identity, parallel, PSGD_F32, 0, 1);
    assert_near(output.kappa, 2000, 1);
    model_output_free(&output);
    output = step(3, 3, 2, identity, long_and_short, PSGD_F32, 0, 1);
    assert_near(output.kappa, 1, 1e-14);
    model_output_free(&output);
    output = step(3, 3, 2, identity, half, PSGD_F32, 0.5, 1);
    assert_near(output.kappa, 1 / 1.5 / 0.5, 1e-14); /* ||Q|| = 1 / 1.5; nothing but epsilon below */
    model_output_free(&output);
    output = step(3, 3, 2, identity, parallel, PSGD_F32, 500, 1); /* epsilon / 1000 beside 0.0007 */
    assert_true(output.kappa < 0.1);
    model_output_free(&output);
}

/* u kappa is what a P of norm 1 is off by: in f32 a matrix of 2^-140 keeps nine bits, whatever u is. */
static void conditions_count_denormal_numbers(void **state)
{
    (void)state;
    double tiny[N * M], q[M];
    fill_random(tiny, N * M, 8);
    fill_random(q, M, 9);
    for (size_t i = 0; i < N * M; i++) {
        tiny[i] *= 0x1p-140;
    }
    model_output wide = step(N, M, 1, tiny, q, PSGD_F64, 0, 1), narrow = step(N, M, 1, tiny, q, PSGD_F32, 0, 1);
    const double lost = narrow.kappa * 0x1p-23 / 0x1p-9;
    assert_true(wide.kappa < 100);
    assert_true(lost > 0.1 && lost < 100);
    model_output_free(&wide);
    model_output_free(&narrow);
}

static void zero_columns_follow_the_hook(void **state)
{
    (void)state;
    double zero[N * M] = {0}, q[M * 3];
    fill_random(q, M * 3, 6);
    model_output output = step(N, M, 2, zero, q, PSGD_F32, 0, 2);
    assert_true(isnan(output.out[0]) && isnan(output.out[N * M - 1]));
    assert_true(output.reference_inaccurate);
    model_output_free(&output);
    output = step(N, M, 2, zero, q, PSGD_F32, 1e-8, 2);
    for (size_t i = 0; i < N * M; i++) {
        assert_true(output.out[i] == 0);
    }
    assert_false(output.reference_inaccurate); /* nothing is better known than this zero */
    model_output_free(&output);
    output = step(N, M, 3, zero, q, PSGD_F32, 0, 2); /* Householder: any basis, times nothing */
    for (size_t i = 0; i < N * M; i++) {
        assert_true(output.out[i] == 0);
    }
    assert_true(isinf(output.kappa));
    assert_near(output.gamma, 1, 0);
    assert_false(output.reference_inaccurate);
    model_output_free(&output);
    /* A first column of zeros makes the later ones NaN too. */
    const double no_first[] = {0, 0, 0, 0, 1, 0, 0, 0, 1}, first_two[] = {1, 0, 0, 1, 0, 0};
    output = step(3, 3, 2, no_first, first_two, PSGD_F32, 0, 1);
    for (size_t i = 0; i < 6; i++) {
        assert_true(isnan(output.p[i]));
    }
    assert_true(isinf(output.kappa) && isinf(output.gamma)); /* a port whose rounding misses the zero is right too */
    model_output_free(&output);
    /* One row that is not zero: the second column is exactly zero after its projection. */
    double row[N * M] = {0};
    fill_random(row + M, M, 7);
    output = step(N, M, 2, row, q, PSGD_F64, 0, 1);
    assert_true(isnan(output.out[M]));
    model_output_free(&output);
}

/* Rank 2 at r = 4: whatever completes P, out is Mbar, and gamma stays small. */
static void deficient_householder_is_exact(void **state)
{
    (void)state;
    double left[N * 2], right[2 * M], mbar[N * M], q[M * 4];
    fill_random(left, N * 2, 8);
    fill_random(right, 2 * M, 9);
    fill_random(q, M * 4, 10);
    matmul(mbar, left, right, N, 2, M);
    model_output output = step(N, M, 4, mbar, q, PSGD_F64, 0, 1);
    for (size_t i = 0; i < N * M; i++) {
        assert_near(output.out[i], mbar[i], 1e-14);
    }
    assert_true(isinf(output.kappa));
    assert_true(output.gamma < 20);
    model_output_free(&output);
}

/* Mbar Q of rank 1 at r = 3, Mbar of rank 3: rounding chooses what completes P, and with it out. A warm Q of one step
 * may well miss the rows of the next one, if both are of small integers. */
static void householder_that_misses_rows_is_undecided(void **state)
{
    (void)state;
    double mbar[N * M] = {0}, q[M * 3] = {0};
    for (size_t i = 0; i < 3; i++) {
        mbar[i * M + i] = 1; /* reads the first three components of a column of Q */
    }
    for (size_t l = 0; l < 3; l++) {
        q[(l == 0 ? 0 : 2 + l) * 3 + l] = 1; /* of which only the first column has any */
    }
    model_output output = step(N, M, 3, mbar, q, PSGD_F64, 0, 1);
    assert_true(isinf(output.kappa));
    assert_true(output.gamma * type_epsilon(PSGD_F64) > 0.01);
    model_output_free(&output);
}

static void what_is_not_finite_spreads(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY};
    for (size_t r = 1; r <= 3; r++) {
        for (size_t i = 0; i < 2; i++) {
            double mbar[N * M], q[M * 3];
            fill_random(mbar, N * M, 11);
            fill_random(q, M * r, 12);
            mbar[M + 4] = bad[i];
            model_output output = step(N, M, r, mbar, q, PSGD_F32, i == 0 ? 0 : 1e-8, 1);
            for (size_t j = 0; j < N * M; j++) {
                assert_true(isnan(output.out[j]));
            }
            assert_true(isnan(output.kappa) && isnan(output.gamma));
            assert_true(output.reference_inaccurate == (r <= 2));
            model_output_free(&output);
        }
    }
}

/* What the type rounds to zero does not keep a norm of zero from being divided by. */
static void epsilon_below_the_type_is_none(void **state)
{
    (void)state;
    psgd_config config = psgd_config_default();
    config.orthogonalization_epsilon = 1e-8;
    assert_true(epsilon_in_use(&config, PSGD_F16) == 0);
    assert_true(epsilon_in_use(&config, PSGD_BF16) == 1e-8);
    assert_true(epsilon_in_use(&config, PSGD_F32) == 1e-8);
    config.orthogonalization_epsilon = 0x1p-25; /* a tie: to even, which is zero */
    assert_true(epsilon_in_use(&config, PSGD_F16) == 0);
    config.orthogonalization_epsilon = 0x1.8p-25;
    assert_true(epsilon_in_use(&config, PSGD_F16) > 0);
    config.variant = PSGD_FLATTENED;
    assert_true(epsilon_in_use(&config, PSGD_F64) == 0);
}

static void machine_epsilons(void **state)
{
    (void)state;
    assert_true(type_epsilon(PSGD_F32) == ldexp(1, -23));
    assert_true(type_epsilon(PSGD_F64) == ldexp(1, -52));
    assert_true(type_epsilon(PSGD_F16) == ldexp(1, -10));
    assert_true(type_epsilon(PSGD_BF16) == ldexp(1, -7));
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(out_is_the_projection),
        cmocka_unit_test(signs_are_those_of_the_path),
        cmocka_unit_test(epsilon_is_added_to_norms_of_the_sum),
        cmocka_unit_test(epsilon_leaves_a_part_of_the_projection),
        cmocka_unit_test(gram_schmidt_stays_orthonormal_when_ill_conditioned),
        cmocka_unit_test(conditions_of_a_diagonal),
        cmocka_unit_test(conditions_count_a_nearly_deficient_q),
        cmocka_unit_test(conditions_count_denormal_numbers),
        cmocka_unit_test(zero_columns_follow_the_hook),
        cmocka_unit_test(deficient_householder_is_exact),
        cmocka_unit_test(householder_that_misses_rows_is_undecided),
        cmocka_unit_test(what_is_not_finite_spreads),
        cmocka_unit_test(epsilon_below_the_type_is_none),
        cmocka_unit_test(machine_epsilons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
