/* flattened_by_hand.c: two steps of the flattened variant by hand: the lecture's example (README.md), two ranks, a 3 x
 * 2 matrix and one number, r = 1. What the padding's error does, and that nothing is written beyond the bucket. */
#include "support.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const psgd_implementation *ref;

enum { LENGTH = 7, PADDED = 9, SIDE = 3 };

static psgd_status draw_three_four(void *context, uint64_t step, size_t bucket, size_t tensor, psgd_dtype dtype,
                                   size_t m, size_t r, void *q)
{
    bool *as_told = context;
    *as_told = *as_told && step == 2 && bucket == 0 && tensor == 0 && dtype == PSGD_F64 && m == SIDE && r == 1;
    const double numbers[] = {3, 4, 0};
    memcpy(q, numbers, sizeof numbers);
    return PSGD_OK;
}

static const double by_hand_gradients[2][LENGTH] = {{3, 1, 0, 1, 1, 2, 3}, {1, -1, 1, 2, -1, 2, 0.75}};
static const size_t by_hand_shapes[2][2] = {{3, 2}, {1, 0}};

typedef struct by_hand {
    psgd_status status[2];
    bool as_told[2];
    double out[2][4][LENGTH + 2]; /* per step, with a guard before and after */
    double error[2][2][PADDED], p[2][2][SIDE], q[2][2][SIDE];
} by_hand;

static void run_by_hand(const psgd_comm *comm, void *argument)
{
    by_hand *result = argument;
    int k = comm->rank;
    psgd_config config = make_config(1, 2);
    config.variant = PSGD_FLATTENED;
    const psgd_q_source source = {&result->as_told[k], draw_three_four};
    config.q_source = &source;
    psgd_state *state = NULL;
    psgd_status status = ref->create(&config, comm, &state, NULL, 0);
    result->as_told[k] = true;
    for (int t = 0; t < 4 && status == PSGD_OK; t++) {
        double *out = result->out[k][t];
        test_bucket b;
        out[0] = out[LENGTH + 1] = 12345;
        memcpy(out + 1, by_hand_gradients[k], sizeof by_hand_gradients[k]);
        make_bucket(&b, PSGD_F64, out + 1, 2, by_hand_shapes);
        status = ref->step(state, &b.bucket);
        if (t >= 2) {
            status = status == PSGD_OK ? ref->peek(state, PSGD_PART_ERROR, 0, 0, result->error[k][t - 2], PADDED * 8)
                                       : status;
            status = status == PSGD_OK ? ref->peek(state, PSGD_PART_P, 0, 0, result->p[k][t - 2], SIDE * 8) : status;
            status = status == PSGD_OK ? ref->peek(state, PSGD_PART_Q, 0, 0, result->q[k][t - 2], SIDE * 8) : status;
        }
    }
    result->status[k] = status;
    ref->destroy(state);
}

static void two_steps_by_hand(void **unused)
{
    (void)unused;
    static by_hand result;
    run_ranks(2, run_by_hand, &result);
    const double mean[] = {2, 0, 0.5, 1.5, 0, 2, 1.875};
    /* Q = (0.6, 0.8, 0); P = (2.6, 1.4, 1.8) + (-0.2, 0.4, 0.45) = 3.75 (0.64, 0.48, 0.6); Q = M^T P. */
    const double p[] = {0.64, 0.48, 0.6}, q[] = {3.125, 0, 1.28};
    const double out[] = {2, 0, 0.8192, 1.5, 0, 0.6144, 1.875};
    const double error[2][PADDED] = {{1, 1, -0.8192, -0.5, 1, 1.3856, 1.125, 0, -0.768},
                                     {-1, -1, 0.1808, 0.5, -1, 1.3856, -1.125, 0, -0.768}};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(result.status[k], PSGD_OK);
        assert_true(result.as_told[k]);
        for (int t = 0; t < 4; t++) {
            assert_true(result.out[k][t][0] == 12345 && result.out[k][t][LENGTH + 1] == 12345);
        }
        assert_memory_equal(result.out[k][1] + 1, mean, sizeof mean);
        assert_close(result.p[k][0], p, SIDE, 4 * DBL_EPSILON);
        assert_close(result.q[k][0], q, SIDE, 8 * DBL_EPSILON);
        assert_close(result.out[k][2] + 1, out, LENGTH, 8 * DBL_EPSILON);
        assert_close(result.error[k][0], error[k], PADDED, 8 * DBL_EPSILON);

        /* The next step, on M = g + e with the padding's error in its last place, by the formula. */
        double M[2][PADDED], q_next[SIDE], p_next[SIDE], norm = 0, padding_gone = 0;
        for (int rank = 0; rank < 2; rank++) {
            for (int i = 0; i < PADDED; i++) {
                M[rank][i] = (i < LENGTH ? by_hand_gradients[rank][i] : 0) + error[rank][i];
            }
        }
        for (int i = 0; i < SIDE; i++) {
            p_next[i] = 0;
            for (int j = 0; j < SIDE; j++) {
                p_next[i] += (M[0][SIDE * i + j] + M[1][SIDE * i + j]) * q[j];
            }
            norm += p_next[i] * p_next[i];
        }
        for (int j = 0; j < SIDE; j++) {
            q_next[j] = 0;
            for (int i = 0; i < SIDE; i++) {
                q_next[j] += (M[0][SIDE * i + j] + M[1][SIDE * i + j]) / 2 * p_next[i] / sqrt(norm);
            }
        }
        for (int i = 0; i < LENGTH; i++) {
            double expected = p_next[i / SIDE] / sqrt(norm) * q_next[i % SIDE];
            assert_true(fabs(result.out[k][3][1 + i] - expected) <= 64 * DBL_EPSILON);
        }
        /* Conservation, the padding included. */
        for (int i = 0; i < PADDED; i++) {
            double update = result.p[k][1][i / SIDE] * result.q[k][1][i % SIDE];
            double lost = (result.error[0][1][i] + result.error[1][1][i]) / 2;
            assert_true(fabs(update + lost - (M[0][i] + M[1][i]) / 2) <= 16 * DBL_EPSILON);
            padding_gone = fabs(lost);
        }
        assert_true(padding_gone > 0.1); /* its error was not dropped */
    }
    assert_memory_equal(result.out[0], result.out[1], sizeof result.out[0]);
}

int main(void)
{
    ref = psgd_ref();
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_steps_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
