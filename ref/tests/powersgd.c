/* powersgd.c: the step by hand, and what its collectives, draws and special values are. Against the formula:
 * powersgd_formula.c. */
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
        cmocka_unit_test(full_rank_loses_nothing),
        cmocka_unit_test(three_collectives_whatever_the_bucket_holds),
        cmocka_unit_test(draws_follow_the_group_order),
        cmocka_unit_test(a_zero_matrix),
        cmocka_unit_test(plain_phase_divides_before_it_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
