/* Tests of judge/model_case.c and model_run.c, on cases made by hand. */
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

static void assert_near(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance)) {
        fail_msg("got %.17g, expected %.17g within %g", got, expected, tolerance);
    }
}

static double mean_at(const fixture *f, size_t step, size_t bucket, size_t i)
{
    double sum = 0;
    for (size_t k = 0; k < (size_t)f->c.world; k++) {
        sum += in_data(f, step, bucket, k)[i];
    }
    return sum / f->c.world;
}

#define N 6
#define M 9

/* r = 1, rank by rank, local errors and all, in plain loops. out[N * M], error[world][N * M], q[M], *scale is S. */
static void step_by_ranks(double *out, double *error, double *q, double *scale, const fixture *f, size_t step,
                          size_t bucket)
{
    size_t world = (size_t)f->c.world;
    double p[N] = {0}, q_new[M] = {0}, q_norm = norm_frobenius(q, M), squares = 0;
    for (size_t k = 0; k < world; k++) {
        for (size_t i = 0; i < N * M; i++) {
            error[k * N * M + i] += in_data(f, step, bucket, k)[i]; /* M_k for now */
            squares += error[k * N * M + i] * error[k * N * M + i];
            p[i / M] += error[k * N * M + i] * q[i % M] / q_norm;
        }
    }
    *scale = sqrt(squares / f->c.world);
    double p_norm = norm_frobenius(p, N);
    for (size_t k = 0; k < world; k++) {
        for (size_t i = 0; i < N * M; i++) {
            q_new[i % M] += error[k * N * M + i] * p[i / M] / p_norm / f->c.world;
        }
    }
    for (size_t i = 0; i < N * M; i++) {
        out[i] = p[i / M] / p_norm * q_new[i % M];
        for (size_t k = 0; k < world; k++) {
            error[k * N * M + i] -= out[i];
        }
    }
    memcpy(q, q_new, sizeof q_new);
}

/* Three ranks, two buckets, a plain phase of 2, an uncompressed vector before and after the matrix. */
static void runs_as_the_ranks_would(void **state)
{
    (void)state;
    fixture *f = new_fixture(1, 2);
    add_bucket(f, 3, (const size_t[][2]){{4, 0}, {N, M}, {2, 3}});
    add_bucket(f, 1, (const size_t[][2]){{5, 0}});
    fill_fixture(f, 3, 6, 1);
    model_run run;
    assert_true(model_run_case(&run, &f->c, 6));
    double out[N * M], error[3 * N * M] = {0}, q[M], scale;
    values_to_double(q, &f->c.q0[2 * f->tensors + 1]);
    /* step_by_ranks sees the matrix at the start of the data. */
    for (size_t t = 0; t < 6; t++) {
        const double *got = run.out[t * 2];
        size_t entry = t * f->tensors + 1;
        for (size_t i = 0; i < 4; i++) {
            assert_near(got[i], mean_at(f, t, 0, i), 1e-15);
            assert_near(got[4 + N * M + i], mean_at(f, t, 0, 4 + N * M + i), 1e-15);
            assert_near(run.out[t * 2 + 1][i], mean_at(f, t, 1, i), 1e-15);
        }
        if (t < 2) {
            for (size_t i = 0; i < N * M; i++) {
                assert_near(got[4 + i], mean_at(f, t, 0, 4 + i), 1e-15);
            }
            assert_true(run.p[entry] == NULL && run.kappa[entry] == 0 && run.amplification[entry] == 0);
            continue;
        }
        for (size_t k = 0; k < 3; k++) {
            memmove(in_data(f, t, 0, k), in_data(f, t, 0, k) + 4, sizeof out);
        }
        step_by_ranks(out, error, q, &scale, f, t, 0);
        for (size_t i = 0; i < N * M; i++) {
            assert_near(got[4 + i], out[i], 1e-13);
        }
        for (size_t i = 0; i < M; i++) {
            assert_near(run.q[entry][i], q[i], 1e-13);
        }
        assert_near(run.scale[entry], scale, 1e-13);
        assert_true(run.kappa[entry] >= 1 && run.amplification[entry] > 0.1 && run.amplification[entry] < 1e3);
        assert_true(run.p[entry - 1] == NULL && run.kappa[entry - 1] == 0);
        assert_false(run.reference_inaccurate[entry]);
    }
    model_run_free(&run, &f->c);
    free_fixture(f);
}

/* Without both memories every step stands for itself and starts from its own q0. */
static void no_memory_no_history(void **state)
{
    (void)state;
    fixture *f = new_fixture(2, 0);
    f->c.config.use_error_feedback = false;
    f->c.config.warm_start = false;
    f->c.config.min_compression_rate = 1;
    add_bucket(f, 2, (const size_t[][2]){{N, M}, {M, N}});
    fill_fixture(f, 2, 3, 2);
    model_run run;
    assert_true(model_run_case(&run, &f->c, 0));
    for (size_t t = 0; t < 3; t++) {
        for (size_t tensor = 0; tensor < 2; tensor++) {
            double mbar[N * M], q[2 * M];
            for (size_t i = 0; i < N * M; i++) {
                mbar[i] = mean_at(f, t, 0, tensor * N * M + i);
            }
            values_to_double(q, &f->c.q0[t * 2 + tensor]);
            model_input input = {.n = tensor == 0 ? N : M,
                                 .m = tensor == 0 ? M : N,
                                 .r = 2,
                                 .mbar = mbar,
                                 .q = q,
                                 .dtype = PSGD_F64,
                                 .world = 2};
            model_output one;
            assert_true(model_step(&one, &input));
            for (size_t i = 0; i < N * M; i++) {
                assert_near(run.out[t][tensor * N * M + i], one.out[i], 1e-14);
            }
            model_output_free(&one);
        }
    }
    model_run_free(&run, &f->c);
    free_fixture(f);
}

/* A tie is not compressed: (4 + 4) * 1 * 2 = 16; (5 + 4) * 2 = 18 < 20 is. */
static void selection_is_strict(void **state)
{
    (void)state;
    fixture *f = new_fixture(1, 2);
    add_bucket(f, 2, (const size_t[][2]){{4, 4}, {5, 4}});
    fill_fixture(f, 1, 3, 3);
    model_run run;
    assert_true(model_run_case(&run, &f->c, 0));
    assert_null(run.p[2 * 2]);
    assert_non_null(run.p[2 * 2 + 1]);
    model_run_free(&run, &f->c);
    free_fixture(f);
}

/* A zero matrix at the first compressed step, epsilon > 0, warm start: zero for ever after (and sure of it). */
static void dead_tensor_stays_dead(void **state)
{
    (void)state;
    fixture *f = new_fixture(2, 2);
    f->c.config.orthogonalization_epsilon = 1e-8;
    f->c.config.min_compression_rate = 1;
    add_bucket(f, 1, (const size_t[][2]){{N, M}});
    fill_fixture(f, 2, 5, 4);
    memset(in_data(f, 2, 0, 0), 0, N * M * sizeof(double));
    memset(in_data(f, 2, 0, 1), 0, N * M * sizeof(double));
    model_run run;
    assert_true(model_run_case(&run, &f->c, 6));
    for (size_t t = 2; t < 5; t++) {
        for (size_t i = 0; i < N * M; i++) {
            assert_true(run.out[t][i] == 0);
        }
        assert_false(run.reference_inaccurate[t]);
        assert_true(run.amplification[t] == 0);
    }
    model_run_free(&run, &f->c);
    free_fixture(f);
}

static bool is_nan_throughout(const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isnan(x[i])) {
            return false;
        }
    }
    return true;
}

/* A NaN or Inf takes its own tensor; with a memory for good, else for that step; uncompressed ones element by element.
 */
static void what_is_not_finite_stays_in_its_tensor(void **state)
{
    (void)state;
    for (int memory = 0; memory < 2; memory++) {
        fixture *f = new_fixture(2, 2);
        f->c.config.use_error_feedback = f->c.config.warm_start = memory == 1;
        f->c.config.min_compression_rate = 1;
        add_bucket(f, 3, (const size_t[][2]){{N, M}, {N, M}, {3, 0}});
        fill_fixture(f, 2, 5, 5);
        in_data(f, 3, 0, 0)[7] = INFINITY;
        in_data(f, 3, 0, 0)[2 * N * M + 1] = INFINITY;
        model_run run;
        assert_true(model_run_case(&run, &f->c, 2));
        assert_true(all_finite(run.out[2], f->numel[0]));
        assert_true(is_nan_throughout(run.out[3], N * M));
        assert_true(all_finite(run.out[3] + N * M, N * M + 1));
        assert_true(isinf(run.out[3][2 * N * M + 1]));
        assert_true(isnan(run.amplification[3 * 3]));
        assert_true(memory ? is_nan_throughout(run.out[4], N * M) : all_finite(run.out[4], N * M));
        assert_true(all_finite(run.out[4] + N * M, N * M + 1));
        assert_true(memory ? isnan(run.out[4][2 * N * M + 1]) : isfinite(run.out[4][2 * N * M + 1]));
        model_run_free(&run, &f->c);
        free_fixture(f);
    }
}

static void missing_q0_is_not_invented(void **state)
{
    (void)state;
    fixture *f = new_fixture(1, 2);
    add_bucket(f, 1, (const size_t[][2]){{N, M}});
    fill_fixture(f, 1, 3, 6);
    values_free(&f->c.q0[2]);
    model_run run;
    assert_true(model_run_case(&run, &f->c, 1));
    assert_true(all_finite(run.out[1], N * M));
    assert_true(is_nan_throughout(run.out[2], N * M));
    model_run_free(&run, &f->c);
    free_fixture(f);
}

/* Seven elements are a 3 x 3 square with two zeros; epsilon and the rate do not count. */
static void flattened_bucket_is_one_square(void **state)
{
    (void)state;
    fixture *f = new_fixture(1, 2);
    f->c.config.variant = PSGD_FLATTENED;
    f->c.config.orthogonalization_epsilon = 5;
    f->c.config.min_compression_rate = 100;
    add_bucket(f, 2, (const size_t[][2]){{3, 0}, {2, 2}});
    fill_fixture(f, 2, 4, 7);
    model_run run;
    assert_true(model_run_case(&run, &f->c, 1));
    double error[9] = {0}, q[3];
    values_to_double(q, &f->c.q0[2 * 2]);
    for (size_t t = 2; t < 4; t++) {
        double square[9];
        memcpy(square, error, sizeof square);
        for (size_t i = 0; i < 7; i++) {
            square[i] += mean_at(f, t, 0, i);
        }
        model_input input = {.n = 3, .m = 3, .r = 1, .mbar = square, .q = q, .dtype = PSGD_F64, .world = 2};
        model_output one;
        assert_true(model_step(&one, &input));
        for (size_t i = 0; i < 9; i++) {
            if (i < 7) {
                assert_near(run.out[t][i], one.out[i], 1e-14);
            }
            error[i] = square[i] - one.out[i]; /* the padding's too */
        }
        memcpy(q, one.q, sizeof q);
        model_output_free(&one);
    }
    model_run_free(&run, &f->c);
    f->c.config.matrix_approximation_rank = 4; /* more than the side */
    assert_true(model_run_case(&run, &f->c, 1));
    assert_true(is_nan_throughout(run.out[2], 7));
    assert_null(run.p[2 * 2]);
    model_run_free(&run, &f->c);
    free_fixture(f);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_as_the_ranks_would),
        cmocka_unit_test(no_memory_no_history),
        cmocka_unit_test(selection_is_strict),
        cmocka_unit_test(dead_tensor_stays_dead),
        cmocka_unit_test(what_is_not_finite_stays_in_its_tensor),
        cmocka_unit_test(missing_q0_is_not_invented),
        cmocka_unit_test(flattened_bucket_is_one_square),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
