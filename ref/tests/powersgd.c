/* powersgd.c: the step itself: by hand, against the formula written down naively, and by laws that hold for any data.
 */
#include "support.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- By hand: the lecture's example (README.md), two ranks, one 3 x 2 matrix, r = 1 ---- */

static psgd_status draw_three_four(void *context, uint64_t step, size_t bucket, size_t tensor, psgd_dtype dtype,
                                   size_t m, size_t r, void *q)
{
    (void)context, (void)step, (void)bucket, (void)tensor, (void)dtype, (void)m, (void)r;
    ((double *)q)[0] = 3;
    ((double *)q)[1] = 4;
    return PSGD_OK;
}

static const psgd_q_source three_four = {NULL, draw_three_four};
static const double by_hand_gradients[2][6] = {{3, 1, 0, 1, 1, 2}, {1, -1, 1, 2, -1, 2}};

typedef struct by_hand {
    psgd_status status[2];
    double plain[2][6], out[2][6], error[2][6], p[2][3], q[2][2];
} by_hand;

static void run_by_hand(const psgd_comm *comm, void *argument)
{
    by_hand *result = argument;
    int k = comm->rank;
    psgd_config config = make_config(1, 1);
    config.q_source = &three_four;
    const psgd_implementation *ref = psgd_ref();
    psgd_state *state = NULL;
    psgd_status status = ref->create(&config, comm, &state, NULL, 0);
    for (int t = 0; t < 3; t++) {
        double *data = t < 2 ? result->plain[k] : result->out[k];
        test_bucket b;
        memcpy(data, by_hand_gradients[k], sizeof by_hand_gradients[k]);
        make_bucket(&b, PSGD_F64, data, 1, (const size_t[][2]){{3, 2}});
        status = status == PSGD_OK ? ref->step(state, &b.bucket) : status;
    }
    status = status == PSGD_OK ? ref->peek(state, PSGD_PART_ERROR, 0, 0, result->error[k], 6 * 8) : status;
    status = status == PSGD_OK ? ref->peek(state, PSGD_PART_P, 0, 0, result->p[k], 3 * 8) : status;
    status = status == PSGD_OK ? ref->peek(state, PSGD_PART_Q, 0, 0, result->q[k], 2 * 8) : status;
    result->status[k] = status;
    ref->destroy(state);
}

static void assert_close(const double *got, const double *expected, size_t count, double limit)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(got[i] - expected[i]) <= limit)) {
            fail_msg("element %zu: got %.17g, expected %.17g", i, got[i], expected[i]);
        }
    }
}

static void one_step_by_hand(void **unused)
{
    (void)unused;
    by_hand result;
    run_ranks(2, run_by_hand, &result);
    const double mean[] = {2, 0, 0.5, 1.5, 0, 2};
    const double p[] = {0.48, 0.6, 0.64}, q[] = {1.26, 2.18};
    const double out[] = {0.6048, 1.0464, 0.756, 1.308, 0.8064, 1.3952};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(result.status[k], PSGD_OK);
        assert_memory_equal(result.plain[k], mean, sizeof mean);
        assert_close(result.p[k], p, 3, 4 * DBL_EPSILON);
        assert_close(result.q[k], q, 2, 8 * DBL_EPSILON);
        assert_close(result.out[k], out, 6, 8 * DBL_EPSILON);
        for (int i = 0; i < 6; i++) {
            assert_true(result.error[k][i] == by_hand_gradients[k][i] - result.out[k][i]);
        }
    }
    assert_memory_equal(result.out[0], result.out[1], sizeof out);
}

/* ---- Naively: several ranks, every rank's matrices written out ---- */

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

/* With r at the smaller side nothing is lost, and the rank is clipped for each tensor by itself. */
static void full_rank_loses_nothing(void **unused)
{
    (void)unused;
    lone_rank lone;
    psgd_comm comm = lone_rank_comm(&lone);
    psgd_config config = make_config(50, 0);
    config.use_error_feedback = config.warm_start = false;
    config.start_iter = 0;
    psgd_state *state = make_state(&config, &comm);
    double in[6 * 4 + 5 + 3 * 9], out[6 * 4 + 5 + 3 * 9], p[6 * 4];
    fill_f64(in, 56, 1);
    memcpy(out, in, sizeof in);
    test_bucket b;
    make_bucket(&b, PSGD_F64, out, 3, (const size_t[][2]){{6, 4}, {5, 0}, {3, 9}});
    assert_int_equal(psgd_ref()->step(state, &b.bucket), PSGD_OK);
    assert_close(out, in, 56, 1e-14);
    assert_int_equal(psgd_ref()->peek(state, PSGD_PART_P, 0, 0, p, 6 * 4 * 8), PSGD_OK);
    assert_int_equal(lone.counts[1], 6 * 4 + 5 * 1 + 3 * 3);
    assert_int_equal(lone.counts[2], 4 * 4 + 1 * 1 + 9 * 3);
    psgd_ref()->destroy(state);
}

/* ---- Collectives ---- */

static void three_collectives_whatever_the_bucket_holds(void **unused)
{
    (void)unused;
    const struct {
        size_t count;
        size_t shapes[2][2];
        size_t expected[3]; /* uncompressed, P, Q */
    } cases[] = {
        {2, {{20, 10}, {7, 0}}, {7, 20, 10}},
        {1, {{20, 10}}, {0, 20, 10}},
        {1, {{7, 0}}, {7, 0, 0}},
        {0, {{0}}, {0, 0, 0}},
        {1, {{0, 4}}, {0, 0, 0}},
        {2, {{4, 0}, {4, 4}}, {20, 0, 0}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        lone_rank lone;
        psgd_comm comm = lone_rank_comm(&lone);
        psgd_config config = make_config(1, 2);
        psgd_state *state = make_state(&config, &comm);
        double data[207] = {0};
        test_bucket b;
        for (int t = 0; t < 4; t++) {
            fill_f64(data, 207, (uint64_t)t);
            make_bucket(&b, PSGD_F64, data, cases[c].count, cases[c].shapes);
            assert_int_equal(psgd_ref()->step(state, &b.bucket), PSGD_OK);
        }
        assert_int_equal(lone.calls, 2 + 2 * 3); /* two plain steps, two compressed ones */
        for (int i = 0; i < 3; i++) {
            assert_int_equal(lone.counts[0], cases[c].expected[0] + (cases[c].expected[1] > 0 ? 200 : 0));
            assert_int_equal(lone.counts[2 + i], cases[c].expected[i]);
            assert_int_equal(lone.counts[5 + i], cases[c].expected[i]);
        }
        psgd_ref()->destroy(state);
    }
}

/* ---- The seeded draws ---- */

/* A bucket's q after one compressed step depends on its draw; two states differ where their draws do. */
static void seeded_step(double *q, const psgd_config *config, size_t empty_buckets_before, size_t count,
                        const size_t (*shapes)[2], size_t tensor, size_t q_numel)
{
    lone_rank lone;
    psgd_comm comm = lone_rank_comm(&lone);
    psgd_state *state = make_state(config, &comm);
    double data[400];
    test_bucket b;
    for (size_t i = 0; i <= empty_buckets_before; i++) {
        bool last = i == empty_buckets_before;
        fill_f64(data, 400, 11);
        make_bucket(&b, PSGD_F64, data, last ? count : 0, shapes);
        b.bucket.index = i;
        b.bucket.is_last = last;
        assert_int_equal(psgd_ref()->step(state, &b.bucket), PSGD_OK);
    }
    assert_int_equal(psgd_ref()->peek(state, PSGD_PART_P, empty_buckets_before, tensor, q, q_numel * 8), PSGD_OK);
    psgd_ref()->destroy(state);
}

static void draws_follow_the_group_order(void **unused)
{
    (void)unused;
    psgd_config config = make_config(1, 1);
    config.use_error_feedback = config.warm_start = false;
    config.start_iter = 0;
    const size_t aba[][2] = {{9, 10}, {8, 7}, {9, 10}}, baa[][2] = {{8, 7}, {9, 10}, {9, 10}};
    const size_t a[][2] = {{9, 10}};
    double first[9], alone[9], later[9], batched[9];
    seeded_step(first, &config, 0, 3, aba, 0, 9);
    seeded_step(alone, &config, 0, 1, a, 0, 9);
    assert_memory_equal(first, alone, sizeof first); /* A is drawn first in A,B,A */
    seeded_step(later, &config, 0, 3, baa, 1, 9);
    assert_memory_not_equal(first, later, sizeof first);
    seeded_step(later, &config, 1, 1, a, 0, 9); /* an empty bucket draws a seed, so that this one gets the second */
    assert_memory_not_equal(first, later, sizeof first);

    config.batch_tensors_with_same_shape = true; /* 20 normals in one draw are not 10 and 10 */
    seeded_step(batched, &config, 0, 3, aba, 0, 9);
    assert_memory_not_equal(first, batched, sizeof first);
    seeded_step(batched, &config, 0, 1, a, 0, 9);
    assert_memory_equal(alone, batched, sizeof alone);
}

/* ---- What cannot be told from numbers alone ---- */

static void a_zero_matrix(void **unused)
{
    (void)unused;
    for (int with_epsilon = 0; with_epsilon < 2; with_epsilon++) {
        for (int64_t r = 1; r <= 3; r++) {
            lone_rank lone;
            psgd_comm comm = lone_rank_comm(&lone);
            psgd_config config = make_config(r, 1);
            config.orthogonalization_epsilon = with_epsilon ? 1e-8 : 0;
            psgd_state *state = make_state(&config, &comm);
            double data[200];
            test_bucket b;
            for (int t = 0; t < 4; t++) {
                fill_f64(data, 200, (uint64_t)t);
                memset(data, 0, t == 2 ? sizeof data : 0);
                make_bucket(&b, PSGD_F64, data, 1, (const size_t[][2]){{20, 10}});
                assert_int_equal(psgd_ref()->step(state, &b.bucket), PSGD_OK);
            }
            /* the hook: NaN without epsilon, dead for ever with it; QR recovers */
            assert_true(r == 3 ? data[0] != 0 && isfinite(data[0]) : with_epsilon ? data[0] == 0 : isnan(data[0]));
            psgd_ref()->destroy(state);
        }
    }
}

static psgd_status four_alike(void *context, void *data, size_t count, psgd_dtype dtype)
{
    (void)context, (void)dtype;
    for (size_t i = 0; i < count; i++) {
        ((float *)data)[i] *= 4;
    }
    return PSGD_OK;
}

static void plain_phase_divides_before_it_sums(void **unused)
{
    (void)unused;
    psgd_comm comm = {.struct_size = (uint32_t)sizeof comm, .size = 4, .allreduce_sum = four_alike};
    psgd_config config = make_config(1, 2);
    psgd_state *state = make_state(&config, &comm);
    const float expected[] = {3e38f, 1, -6}; /* four times the first is no float */
    float data[3];
    test_bucket b;
    memcpy(data, expected, sizeof data);
    make_bucket(&b, PSGD_F32, data, 1, (const size_t[][2]){{3, 0}});
    assert_int_equal(psgd_ref()->step(state, &b.bucket), PSGD_OK);
    assert_memory_equal(data, expected, sizeof data);
    psgd_ref()->destroy(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_step_by_hand),
        cmocka_unit_test(equals_the_formula),
        cmocka_unit_test(conserves),
        cmocka_unit_test(full_rank_loses_nothing),
        cmocka_unit_test(three_collectives_whatever_the_bucket_holds),
        cmocka_unit_test(draws_follow_the_group_order),
        cmocka_unit_test(a_zero_matrix),
        cmocka_unit_test(plain_phase_divides_before_it_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
