/* flattened.c: the flattened variant's padding, refusals, collectives, statistics, draws, and what it ignores. Its
 * numbers by hand: flattened_by_hand.c. */
#include "support.h"

#include "core/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const psgd_implementation *ref;

static psgd_config make_flattened(int64_t r)
{
    psgd_config config = make_config(r, 2);
    config.variant = PSGD_FLATTENED;
    return config;
}

/* ---- One rank ---- */

typedef struct fixture {
    lone_rank lone;
    psgd_comm comm;
    psgd_config config;
    psgd_state *state;
    double data[64];
    test_bucket b;
} fixture;

static psgd_status try_step(fixture *f, uint64_t seed)
{
    fill_f64(f->data, 64, seed);
    return ref->step(f->state, &f->b.bucket);
}

/* A state, and a bucket of count tensors, before its first step. */
static void start(fixture *f, psgd_config config, size_t count, const size_t (*shapes)[2])
{
    f->comm = lone_rank_comm(&f->lone);
    f->config = config;
    f->state = make_state(&f->config, &f->comm);
    make_bucket(&f->b, PSGD_F64, f->data, count, shapes);
}

static void run_steps(fixture *f, int from, int to)
{
    for (int t = from; t < to; t++) {
        assert_int_equal(try_step(f, (uint64_t)t), PSGD_OK);
    }
}

/* Side 3 from lengths 5 to 9: the padding does not show in the result, and at full rank nothing is lost. */
static void at_full_rank_the_bucket_comes_back(void **unused)
{
    (void)unused;
    for (size_t length = 5; length <= 9; length++) {
        fixture f;
        double in[64], error[9];
        start(&f, make_flattened(3), 1, (const size_t[][2]){{length, 0}});
        for (int t = 0; t < 4; t++) {
            assert_int_equal(try_step(&f, (uint64_t)t), PSGD_OK);
            fill_f64(in, 64, (uint64_t)t);
            assert_close(f.data, in, length, t < 2 ? 0 : 1e-14);
            assert_memory_equal(f.data + length, in + length, (64 - length) * 8);
        }
        assert_int_equal(ref->peek(f.state, PSGD_PART_ERROR, 0, 0, error, sizeof error), PSGD_OK);
        for (int i = 0; i < 9; i++) {
            assert_true(fabs(error[i]) <= 1e-14);
        }
        ref->destroy(f.state);
    }
}

static void two_collectives_of_one_factor_each(void **unused)
{
    (void)unused;
    fixture f;
    start(&f, make_flattened(2), 3, (const size_t[][2]){{4, 5}, {0, 3}, {7, 0}}); /* 27 elements: side 6 */
    run_steps(&f, 0, 4);
    assert_int_equal(f.lone.calls, 2 + 2 * 2);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(f.lone.counts[i], i < 2 ? 27 : 6 * 2);
    }
    psgd_statistics statistics;
    assert_int_equal(ref->statistics(f.state, &statistics), PSGD_OK);
    assert_int_equal(statistics.numel_before_compression, 2 * 27);
    assert_int_equal(statistics.numel_after_compression, 2 * 2 * 6 * 2);
    assert_true(statistics.compression_rate == 27. / 24);
    ref->destroy(f.state);
}

static void peek_shows_one_tensor(void **unused)
{
    (void)unused;
    fixture f;
    double values[36];
    start(&f, make_flattened(2), 2, (const size_t[][2]){{4, 5}, {7, 0}});
    run_steps(&f, 0, 2);
    assert_int_equal(ref->peek(f.state, PSGD_PART_P, 0, 0, values, 12 * 8), PSGD_ERR_ARGUMENT); /* plain so far */
    run_steps(&f, 2, 3);
    assert_int_equal(ref->peek(f.state, PSGD_PART_P, 0, 0, values, 12 * 8), PSGD_OK);
    assert_int_equal(ref->peek(f.state, PSGD_PART_Q, 0, 0, values, 12 * 8), PSGD_OK);
    assert_int_equal(ref->peek(f.state, PSGD_PART_ERROR, 0, 0, values, 36 * 8), PSGD_OK);
    assert_int_equal(ref->peek(f.state, PSGD_PART_ERROR, 0, 0, values, 27 * 8), PSGD_ERR_ARGUMENT);
    assert_int_equal(ref->peek(f.state, PSGD_PART_P, 0, 1, values, 12 * 8), PSGD_ERR_ARGUMENT);
    assert_non_null(strstr(ref->last_error(f.state), "tensor"));
    ref->destroy(f.state);
}

/* ---- What has no say, and what is refused ---- */

static void epsilon_rate_and_shapes_have_no_say(void **unused)
{
    (void)unused;
    for (int64_t r = 1; r <= 3; r++) {
        double expected[27] = {0};
        for (int which = 0; which < 4; which++) {
            fixture f;
            psgd_config config = make_flattened(r);
            config.orthogonalization_epsilon = which == 1 ? 0.5 : 0;
            config.min_compression_rate = which == 2 ? 1e6 : 0.1;
            if (which == 3) {
                start(&f, config, 1, (const size_t[][2]){{27, 0}});
            } else {
                start(&f, config, 2, (const size_t[][2]){{4, 5}, {7, 0}});
            }
            run_steps(&f, 0, 5);
            if (which == 0) {
                memcpy(expected, f.data, sizeof expected);
            }
            assert_memory_equal(f.data, expected, sizeof expected);
            ref->destroy(f.state);
        }
    }
}

/* Without epsilon 0 / 0, whatever epsilon was asked for; QR does without. The hook does the same. */
static void a_zero_bucket(void **unused)
{
    (void)unused;
    for (int64_t r = 1; r <= 3; r++) {
        fixture f;
        psgd_config config = make_flattened(r);
        config.orthogonalization_epsilon = 0.1;
        start(&f, config, 1, (const size_t[][2]){{10, 0}});
        run_steps(&f, 0, 2);
        memset(f.data, 0, sizeof f.data);
        assert_int_equal(ref->step(f.state, &f.b.bucket), PSGD_OK);
        for (int i = 0; i < 10; i++) {
            assert_true(r <= 2 ? isnan(f.data[i]) : f.data[i] == 0);
        }
        assert_true(f.data[10] == 0);
        ref->destroy(f.state);
    }
}

static int draws;

static psgd_status count_draws(void *context, uint64_t step, size_t bucket, size_t tensor, psgd_dtype dtype, size_t m,
                               size_t r, void *q)
{
    draws++;
    return draw_by_index(context, step, bucket, tensor, dtype, m, r, q);
}

/* Not in the plain phase; from the first compressed step on, with nothing changed. */
static void a_rank_above_the_side_is_refused(void **unused)
{
    (void)unused;
    const size_t counts[] = {1, 0};
    for (int which = 0; which < 2; which++) {
        fixture f;
        psgd_config config = make_flattened(which == 0 ? 5 : 1);
        const psgd_q_source source = {NULL, count_draws};
        config.q_source = &source;
        start(&f, config, counts[which], (const size_t[][2]){{16, 0}}); /* side 4, and no element at all */
        run_steps(&f, 0, 2);
        double before[64];
        psgd_statistics statistics;
        fill_f64(before, 64, 9);
        draws = 0;
        assert_int_equal(try_step(&f, 9), PSGD_ERR_ARGUMENT);
        assert_non_null(strstr(ref->last_error(f.state), "matrix_approximation_rank"));
        assert_non_null(strstr(ref->last_error(f.state), "side"));
        assert_memory_equal(f.data, before, sizeof before);
        assert_int_equal(f.lone.calls, 2);
        assert_int_equal(draws, 0);
        assert_int_equal(ref->statistics(f.state, &statistics), PSGD_OK);
        assert_int_equal(statistics.numel_before_compression, 0);
        make_bucket(&f.b, PSGD_F64, f.data, 1, (const size_t[][2]){{17, 0}}); /* side 5: nothing was remembered */
        assert_int_equal(try_step(&f, 9), PSGD_OK);
        assert_int_equal(draws, 1);
        ref->destroy(f.state);
    }
}

/* Of another shape, of the same length, or of the same square only: with memory refused, without it accepted. */
static void another_layout(void **unused)
{
    (void)unused;
    for (int memory = 0; memory < 3; memory++) {
        psgd_config config = make_flattened(2);
        config.use_error_feedback = memory == 1;
        config.warm_start = memory == 2;
        const size_t others[3][2][2] = {{{5, 4}, {7, 0}}, {{27, 0}}, {{28, 0}}}, usual[2][2] = {{4, 5}, {7, 0}};
        for (int which = 0; which < 3; which++) {
            fixture f;
            start(&f, config, 2, usual);
            run_steps(&f, 0, 3);
            make_bucket(&f.b, PSGD_F64, f.data, which == 0 ? 2 : 1, others[which]);
            double before[64];
            fill_f64(before, 64, 8);
            psgd_status status = try_step(&f, 8);
            assert_int_equal(status, memory == 0 ? PSGD_OK : PSGD_ERR_LAYOUT);
            if (memory > 0) {
                assert_non_null(strstr(ref->last_error(f.state), "2 tensors, 27 elements"));
                assert_memory_equal(f.data, before, sizeof before);
                make_bucket(&f.b, PSGD_F64, f.data, 2, usual);
                assert_int_equal(try_step(&f, 8), PSGD_OK);
            }
            ref->destroy(f.state);
        }
    }
}

/* ---- The draw: one seed a bucket, one randn of side x r, in either of two buckets ---- */

static void seeded_draws(void **unused)
{
    (void)unused;
    psgd_config config = make_flattened(1);
    config.start_iter = 0;
    config.use_error_feedback = config.warm_start = false;
    config.batch_tensors_with_same_shape = true; /* nothing to batch */
    psgd_mt19937 seeds;
    psgd_mt19937_seed(&seeds, config.random_seed);
    fixture f;
    start(&f, config, 1, (const size_t[][2]){{16, 0}}); /* side 4 */
    for (int t = 0; t < 4; t++) {
        psgd_torch_generator normals;
        double q[4], p[4], data[16], norm = 0;
        psgd_torch_manual_seed(&normals, psgd_random_next_seed(&seeds));
        assert_int_equal(psgd_torch_randn(&normals, q, 4, PSGD_F64), PSGD_OK);
        fill_f64(data, 16, (uint64_t)t);
        for (int i = 0; i < 4; i++) { /* P = M q / |M q|: the scale of q does not matter */
            p[i] = 0;
            for (int j = 0; j < 4; j++) {
                p[i] += data[4 * i + j] * q[j];
            }
            norm += p[i] * p[i];
        }
        f.b.bucket.index = (size_t)t % 2;
        f.b.bucket.is_last = t % 2 == 1;
        assert_int_equal(try_step(&f, (uint64_t)t), PSGD_OK);
        double got[4];
        assert_int_equal(ref->peek(f.state, PSGD_PART_P, (size_t)t % 2, 0, got, sizeof got), PSGD_OK);
        for (int i = 0; i < 4; i++) {
            assert_true(fabs(got[i] - p[i] / sqrt(norm)) <= 1e-14);
        }
    }
    ref->destroy(f.state);
}

/* ---- Element types, failures, checkpoints ---- */

/* The first compressed step in every type is that of f64 on the same, rounded gradients, up to a few roundings. */
static void every_type(void **unused)
{
    (void)unused;
    const psgd_dtype dtypes[] = {PSGD_F32, PSGD_F64, PSGD_F16, PSGD_BF16};
    const double units[] = {0x1p-24, 0x1p-53, 0x1p-11, 0x1p-8};
    for (int d = 0; d < 4; d++) {
        fixture f, wide;
        double out[10], data[11];
        psgd_config config = make_flattened(2);
        config.q_source = &q_by_index;
        start(&f, config, 1, (const size_t[][2]){{10, 0}});
        start(&wide, config, 1, (const size_t[][2]){{10, 0}});
        make_bucket(&f.b, dtypes[d], data, 1, (const size_t[][2]){{10, 0}});
        for (uint64_t t = 0; t < 3; t++) {
            memset(data, 0x5a, sizeof data);
            fill(data, dtypes[d], 10, t);
            to_doubles(wide.data, data, dtypes[d], 10);
            assert_int_equal(ref->step(f.state, &f.b.bucket), PSGD_OK);
            assert_int_equal(ref->step(wide.state, &wide.b.bucket), PSGD_OK);
            to_doubles(out, data, dtypes[d], 10);
            assert_close(out, wide.data, 10, t < 2 ? 0 : 8 * units[d]);
            assert_int_equal(((unsigned char *)data)[10 * psgd_dtype_size(dtypes[d])], 0x5a);
        }
        double error[16]; /* of any type */
        size_t size = psgd_dtype_size(dtypes[d]);
        assert_int_equal(ref->peek(f.state, PSGD_PART_ERROR, 0, 0, error, 16 * size), PSGD_OK);
        ref->destroy(f.state);
        ref->destroy(wide.state);
    }
}

static void a_failing_collective_breaks_the_state(void **unused)
{
    (void)unused;
    for (int which = 0; which < 2; which++) {
        fixture f;
        start(&f, make_flattened(2), 1, (const size_t[][2]){{20, 0}});
        run_steps(&f, 0, 3);
        f.lone.fail_at = f.lone.calls + 1 + which;
        assert_int_equal(try_step(&f, 1), PSGD_ERR_COMM);
        assert_non_null(strstr(ref->last_error(f.state), which == 0 ? "of P" : "of Q"));
        assert_int_equal(try_step(&f, 1), PSGD_ERR_BROKEN);
        ref->destroy(f.state);
    }
}

static void saved_and_loaded_equals_uninterrupted(void **unused)
{
    (void)unused;
    char path[80];
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ".";
    snprintf(path, sizeof path, "%s/flattened-%ld.safetensors", folder, (long)getpid());
    for (int which = 0; which < 4; which++) {
        psgd_config config = make_flattened(2);
        config.use_error_feedback = which & 1;
        config.warm_start = which & 2;
        fixture f, g;
        double error[2][36];
        start(&f, config, 2, (const size_t[][2]){{4, 5}, {7, 0}});
        run_steps(&f, 0, 4);
        assert_int_equal(ref->save(f.state, path), PSGD_OK);
        run_steps(&f, 4, 7);
        start(&g, config, 2, (const size_t[][2]){{4, 5}, {7, 0}});
        assert_int_equal(ref->load(g.state, path), PSGD_OK);
        run_steps(&g, 4, 7);
        assert_memory_equal(f.data, g.data, sizeof f.data);
        assert_int_equal(ref->peek(f.state, PSGD_PART_ERROR, 0, 0, error[0], sizeof error[0]), PSGD_OK);
        assert_int_equal(ref->peek(g.state, PSGD_PART_ERROR, 0, 0, error[1], sizeof error[1]), PSGD_OK);
        assert_memory_equal(error[0], error[1], sizeof error[0]);
        ref->destroy(g.state);

        config.variant = PSGD_LAYERWISE;
        start(&g, config, 2, (const size_t[][2]){{4, 5}, {7, 0}});
        assert_int_equal(ref->load(g.state, path), PSGD_ERR_FORMAT);
        assert_non_null(strstr(ref->last_error(g.state), "config.variant"));
        ref->destroy(g.state);
        ref->destroy(f.state);
    }
    remove(path);
}

int main(void)
{
    ref = psgd_ref();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_full_rank_the_bucket_comes_back),
        cmocka_unit_test(two_collectives_of_one_factor_each),
        cmocka_unit_test(peek_shows_one_tensor),
        cmocka_unit_test(epsilon_rate_and_shapes_have_no_say),
        cmocka_unit_test(a_zero_bucket),
        cmocka_unit_test(a_rank_above_the_side_is_refused),
        cmocka_unit_test(another_layout),
        cmocka_unit_test(seeded_draws),
        cmocka_unit_test(every_type),
        cmocka_unit_test(a_failing_collective_breaks_the_state),
        cmocka_unit_test(saved_and_loaded_equals_uninterrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
