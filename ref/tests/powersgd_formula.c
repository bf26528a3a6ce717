/* powersgd_formula.c: whole runs on several ranks against update = P P^T Mbar written down naively, with every way of
 * switching memory on and off; and the laws of error feedback, which hold for any data. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 7, TENSORS = 5, NUMEL = 12 * 9 + 4 + 7 * 11 + 12 * 9 + 6 * 4 };
static const size_t tensors[TENSORS][2] = {{12, 9}, {4, 0}, {7, 11}, {12, 9}, {6, 4}};
static const bool compressed[TENSORS] = {true, false, true, true, false}; /* at r = 2, rate 1.2: 24 < 24 for the last */

typedef struct run_result {
    psgd_config config;
    psgd_dtype dtype;
    psgd_status status[4];
    double in[STEPS][4][NUMEL], out[STEPS][4][NUMEL], error[STEPS][4][NUMEL];
    psgd_statistics statistics[4];
} run_result;

static void run_steps(const psgd_comm *comm, void *argument)
{
    run_result *result = argument;
    int k = comm->rank;
    const psgd_implementation *ref = psgd_ref();
    psgd_state *state = NULL;
    psgd_status status = ref->create(&result->config, comm, &state, NULL, 0);
    for (int t = 0; t < STEPS && status == PSGD_OK; t++) {
        union {
            double f64[NUMEL];
            float f32[NUMEL];
        } data, error;
        test_bucket b;
        size_t size = psgd_dtype_size(result->dtype);
        make_bucket(&b, result->dtype, &data, TENSORS, tensors);
        fill_f64(result->in[t][k], NUMEL, (uint64_t)(1000 * t + k));
        for (size_t i = 0; i < NUMEL; i++) {
            if (result->dtype == PSGD_F64) {
                data.f64[i] = result->in[t][k][i];
            } else {
                data.f32[i] = (float)result->in[t][k][i];
                result->in[t][k][i] = (double)data.f32[i];
            }
        }
        status = ref->step(state, &b.bucket);
        if (status == PSGD_OK && t >= result->config.start_iter) {
            status = ref->peek(state, PSGD_PART_ERROR, 0, 0, &error, NUMEL * size);
        } else {
            memset(&error, 0, sizeof error);
        }
        for (size_t i = 0; i < NUMEL; i++) {
            result->out[t][k][i] = result->dtype == PSGD_F64 ? data.f64[i] : (double)data.f32[i];
            result->error[t][k][i] = result->dtype == PSGD_F64 ? error.f64[i] : (double)error.f32[i];
        }
    }
    if (status == PSGD_OK) {
        status = ref->statistics(state, &result->statistics[k]);
    }
    result->status[k] = status;
    ref->destroy(state);
}

static void orthonormalise(double *a, size_t n, size_t r) /* a [n x r], twice for good measure */
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t j = 0; j < r; j++) {
            for (size_t k = 0; k <= j; k++) {
                double dot = 0;
                for (size_t i = 0; i < n; i++) {
                    dot += a[i * r + j] * a[i * r + k];
                }
                for (size_t i = 0; i < n; i++) {
                    a[i * r + j] = k < j ? a[i * r + j] - dot * a[i * r + k] : a[i * r + j] / sqrt(dot);
                }
            }
        }
    }
}

/* out [n x m] = P P^T mean, P = orth(mean q); q [m x r] becomes mean^T P. */
static void project(double *out, double *q, const double *mean, size_t n, size_t m, size_t r)
{
    double p[12 * 4] = {0};
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            for (size_t k = 0; k < r; k++) {
                p[i * r + k] += mean[i * m + j] * q[j * r + k];
            }
        }
    }
    orthonormalise(p, n, r);
    memset(q, 0, m * r * sizeof *q);
    memset(out, 0, n * m * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            for (size_t k = 0; k < r; k++) {
                q[j * r + k] += mean[i * m + j] * p[i * r + k];
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) {
            for (size_t k = 0; k < r; k++) {
                out[i * m + j] += p[i * r + k] * q[j * r + k];
            }
        }
    }
}

static void check_against_formula(run_result *result, int size, double limit)
{
    const psgd_config *config = &result->config;
    size_t r = (size_t)config->matrix_approximation_rank;
    static double error[4][NUMEL], q[TENSORS][12 * 4];
    memset(error, 0, sizeof error);
    for (int t = 0; t < STEPS; t++) {
        double mean[NUMEL], out[NUMEL];
        size_t offset = 0;
        bool plain = t < config->start_iter;
        for (size_t i = 0; i < NUMEL; i++) {
            mean[i] = 0;
            for (int k = 0; k < size; k++) {
                mean[i] += (result->in[t][k][i] + (plain ? 0 : error[k][i])) / size;
            }
        }
        memcpy(out, mean, sizeof out);
        for (size_t i = 0; i < TENSORS; i++) {
            size_t n = tensors[i][0], m = tensors[i][1] > 0 ? tensors[i][1] : 1;
            if (compressed[i] && !plain) {
                if (t == config->start_iter || !config->warm_start) {
                    draw_by_index(NULL, (uint64_t)t, 0, i, PSGD_F64, m, r, q[i]);
                }
                project(out + offset, q[i], mean + offset, n, m, r);
            }
            offset += n * m;
        }
        for (int k = 0; k < size; k++) {
            assert_close(result->out[t][k], out, NUMEL, limit);
            for (size_t i = 0; i < NUMEL && !plain && config->use_error_feedback; i++) {
                error[k][i] += result->in[t][k][i] - out[i];
            }
            assert_close(result->error[t][k], error[k], NUMEL, limit);
        }
    }
}

static void equals_the_formula(void **unused)
{
    (void)unused;
    run_result *result = malloc(sizeof *result);
    assert_non_null(result);
    for (int which = 0; which < 2 * 2 * 2 * 2 * 3; which++) {
        memset(result, 0, sizeof *result);
        result->dtype = which & 1 ? PSGD_F64 : PSGD_F32;
        result->config = make_config(2 + (which >> 4) % 2, 1.2);
        if (result->config.matrix_approximation_rank == 3) {
            result->config.min_compression_rate = 0.8; /* keeps the choice of what is compressed */
        }
        result->config.use_error_feedback = which & 2;
        result->config.warm_start = which & 4;
        result->config.batch_tensors_with_same_shape = which & 8;
        result->config.q_source = &q_by_index;
        int size = 1 + which / 16;
        run_ranks(size, run_steps, result);
        for (int k = 0; k < size; k++) {
            assert_int_equal(result->status[k], PSGD_OK);
            for (int t = 0; t < STEPS; t++) {
                assert_memory_equal(result->out[t][k], result->out[t][0], sizeof result->out[t][0]);
            }
        }
        check_against_formula(result, size, result->dtype == PSGD_F64 ? 1e-11 : 3e-3);
    }
    free(result);
}

/* out + mean of E = mean of M, E = M - out to the bit, and the sums of a whole run agree. */
static void conserves(void **unused)
{
    (void)unused;
    run_result *result = calloc(1, sizeof *result);
    assert_non_null(result);
    result->dtype = PSGD_F32;
    result->config = make_config(4, 0.5);
    run_ranks(3, run_steps, result);
    double telescope[NUMEL] = {0};
    for (int t = 2; t < STEPS; t++) {
        for (size_t i = 0; i < NUMEL; i++) {
            double mean_m = 0, mean_e = 0;
            for (int k = 0; k < 3; k++) {
                double m = (double)(float)(result->in[t][k][i] + result->error[t - 1][k][i]);
                assert_true(result->error[t][k][i] == (double)(float)(m - result->out[t][k][i]));
                mean_m += m / 3;
                mean_e += result->error[t][k][i] / 3;
                telescope[i] += (result->in[t][k][i] - result->out[t][k][i]) / 3;
            }
            assert_true(fabs(result->out[t][0][i] + mean_e - mean_m) <= 1e-5);
            if (t == STEPS - 1) {
                assert_true(fabs(telescope[i] - mean_e) <= 1e-5);
            }
        }
    }
    free(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_the_formula),
        cmocka_unit_test(conserves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
