/* Tests of judge/amplification.c: K_t of cases whose sensitivity is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "handmade_case.h"
#include "judge/linalg.h"
#include "judge/model.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

#define N 6
#define M 9

/* Every rank the same matrix of rank `rank` with singular values 1, ratio, ratio^2, ... in steps 2 and 3. */
static fixture *spectrum_case(int64_t r, size_t rank, double ratio)
{
    fixture *f = new_fixture(r, 2);
    f->c.config.min_compression_rate = 0;
    add_bucket(f, 1, (const size_t[][2]){{N, M}});
    fill_fixture(f, 2, 4, 8);
    double left[N * N], right[M * N], scaled[N * N], matrix[N * M];
    assert_true(householder_q(left, in_data(f, 0, 0, 0), N, N));
    assert_true(householder_q(right, in_data(f, 0, 0, 1), M, N));
    for (size_t i = 0; i < N * N; i++) {
        scaled[i] = i % N < rank ? left[i] * pow(ratio, (double)(i % N)) : 0;
    }
    matmul_nt(matrix, scaled, right, N, M, N);
    for (size_t t = 2; t < 4; t++) {
        memcpy(in_data(f, t, 0, 0), matrix, sizeof matrix);
        memcpy(in_data(f, t, 0, 1), matrix, sizeof matrix);
    }
    return f;
}

static double amplification_of(fixture *f, int noise_runs, size_t step)
{
    model_run run;
    assert_true(model_run_case(&run, &f->c, noise_runs));
    double k = run.amplification[step];
    model_run_free(&run, &f->c);
    return k;
}

static void amplification_tells_easy_from_hard(void **state)
{
    (void)state;
    fixture *exact = spectrum_case(3, 3, 0.5), *hard = spectrum_case(1, 2, 1e-4), *hopeless = spectrum_case(2, 1, 1);
    /* Singular values 1 and 1e-4, and a Q that is the second right vector with 1e-4 of the first in it. */
    double right[M * N];
    assert_true(householder_q(right, in_data(hard, 0, 0, 1), M, N));
    for (size_t i = 0; i < M; i++) {
        ((double *)hard->c.q0[2].data)[i] = right[i * N + 1] + 1e-4 * right[i * N];
    }
    double easy = amplification_of(exact, 6, 2), difficult = amplification_of(hard, 6, 2);
    free_fixture(exact);
    free_fixture(hard);
    if (!(easy > 0.3 && easy < 3)) {
        fail_msg("exact rank: %g", easy);
    }
    if (!(difficult > 1e3 && difficult < 1e5)) {
        fail_msg("ill-conditioned: %g", difficult);
    }
    /* Rank 1 at r = 2: the second column of Q is rounding, and a matrix of full rank shows it. */
    for (size_t k = 0; k < 2; k++) {
        memcpy(in_data(hopeless, 3, 0, k), in_data(hopeless, 1, 0, k), N * M * sizeof(double));
    }
    double impossible = amplification_of(hopeless, 6, 3);
    free_fixture(hopeless);
    if (!isinf(impossible)) {
        fail_msg("not to be measured: %g", impossible);
    }
}

/* One non-zero row at r = 3: what completes P, and so the next Q, is rounding although the zeros here are exact. */
static void amplification_sees_a_completion_that_is_rounding(void **state)
{
    (void)state;
    fixture *f = spectrum_case(3, N, 0.5);
    for (size_t k = 0; k < 2; k++) {
        double *one_row = in_data(f, 2, 0, k);
        for (size_t i = 0; i < N * M; i++) {
            one_row[i] = i / M == 4 ? one_row[i] : 0;
        }
    }
    double first = amplification_of(f, 6, 2), after = amplification_of(f, 6, 3);
    free_fixture(f);
    if (!(first > 0.3 && first < 10) || !isinf(after)) {
        fail_msg("one row: %g, then %g", first, after);
    }
}

/* Singular values 1, 1e-10, 2e-13, and a Q of the first and third right vectors. Rounding of 2e-16 turns the third
 * direction by 1e-3 towards the second, of which out then gets 1e-13: K_t is large. Noise that drowned the third would
 * only see the size of the second, K_t = 1. */
static void amplification_sees_small_singular_values(void **state)
{
    (void)state;
    const double sigma[N] = {1, 1e-10, 2e-13};
    fixture *f = spectrum_case(2, N, 0.5);
    double left[N * N], right[M * N], matrix[N * M];
    assert_true(householder_q(left, in_data(f, 0, 0, 0), N, N));
    assert_true(householder_q(right, in_data(f, 0, 0, 1), M, N));
    for (size_t i = 0; i < N * N; i++) {
        left[i] *= sigma[i % N];
    }
    matmul_nt(matrix, left, right, N, M, N);
    for (size_t k = 0; k < 2; k++) {
        memcpy(in_data(f, 2, 0, k), matrix, sizeof matrix);
    }
    for (size_t i = 0; i < M; i++) {
        ((double *)f->c.q0[2].data)[2 * i] = right[i * N];
        ((double *)f->c.q0[2].data)[2 * i + 1] = right[i * N + 2];
    }
    double k = amplification_of(f, 6, 2);
    free_fixture(f);
    if (!(k > 10 && k < 1000)) {
        fail_msg("drowned: %g", k);
    }
}

static void amplification_is_the_same_twice(void **state)
{
    (void)state;
    fixture *f = spectrum_case(2, N, 0.5);
    double first = amplification_of(f, 6, 3);
    assert_true(amplification_of(f, 6, 3) == first);
    assert_true(amplification_of(f, 1, 3) <= first);
    assert_true(amplification_of(f, 0, 3) == 0);
    f->c.problem_text = "another case"; /* other noise, the same order of magnitude */
    double other = amplification_of(f, 6, 3);
    assert_true(other != first && other < 5 * first && first < 5 * other);
    free_fixture(f);
}

/* Ranks that nearly cancel round their own values, which are a thousand times the mean's. */
static void amplification_counts_the_ranks_own_rounding(void **state)
{
    (void)state;
    fixture *f = spectrum_case(3, 3, 0.5);
    for (size_t i = 0; i < N * M; i++) {
        in_data(f, 2, 0, 1)[i] *= -0.999;
    }
    double k = amplification_of(f, 6, 2);
    free_fixture(f);
    if (!(k > 0.3 && k < 10)) {
        fail_msg("nearly cancelling: %g", k);
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(amplification_tells_easy_from_hard),
        cmocka_unit_test(amplification_counts_the_ranks_own_rounding),
        cmocka_unit_test(amplification_sees_a_completion_that_is_rounding),
        cmocka_unit_test(amplification_sees_small_singular_values),
        cmocka_unit_test(amplification_is_the_same_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
