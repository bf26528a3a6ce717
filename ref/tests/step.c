/* step.c: what surrounds the algorithm: refusals that change nothing, failures that break the state, counters,
 * statistics and reports. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const psgd_implementation *ref;

/* One rank with error feedback and warm start, one bucket with a matrix and a vector, two plain steps done. */
typedef struct fixture {
    lone_rank lone;
    psgd_comm comm;
    psgd_config config;
    psgd_state *state;
    double data[57];
    test_bucket b;
} fixture;

static const size_t usual[2][2] = {{10, 5}, {7, 0}};

static void step_on(fixture *f, uint64_t seed)
{
    fill_f64(f->data, 57, seed);
    assert_int_equal(ref->step(f->state, &f->b.bucket), PSGD_OK);
}

static void start(fixture *f, psgd_config config)
{
    f->comm = lone_rank_comm(&f->lone);
    f->config = config;
    f->state = make_state(&f->config, &f->comm);
    make_bucket(&f->b, PSGD_F64, f->data, 2, usual);
    for (int t = 0; t < config.start_iter; t++) {
        step_on(f, 1);
    }
}

/* The next step must fail like this, with data and statistics as they were and no collective begun. */
static void refuses(fixture *f, const psgd_bucket *bucket, psgd_status expected, const char *named)
{
    double before[57];
    psgd_statistics counted, now;
    int calls = f->lone.calls;
    fill_f64(f->data, 57, 99);
    memcpy(before, f->data, sizeof before);
    assert_int_equal(ref->statistics(f->state, &counted), PSGD_OK);
    psgd_status status = ref->step(f->state, bucket);
    if (status != expected || !strstr(ref->last_error(f->state), named)) {
        fail_msg("got %s: %s; expected %s naming %s", psgd_status_name(status), ref->last_error(f->state),
                 psgd_status_name(expected), named);
    }
    assert_memory_equal(f->data, before, sizeof before);
    assert_int_equal(f->lone.calls, calls);
    assert_int_equal(ref->statistics(f->state, &now), PSGD_OK);
    assert_memory_equal(&counted, &now, sizeof now);
}

static void bad_buckets_change_nothing(void **unused)
{
    (void)unused;
    /* A state that is refused things in between ends where one ends that was not: to the bit. */
    double result[2][57], error[2][57];
    for (int disturbed = 0; disturbed < 2; disturbed++) {
        fixture f;
        start(&f, make_config(2, 1));
        for (uint64_t t = 0; t < 3; t++) {
            if (disturbed) {
                psgd_bucket bad;
                const size_t too_large[] = {SIZE_MAX / 2, 8};
                const psgd_shape overflowing = {2, too_large}, dimless = {2, NULL};
                refuses(&f, NULL, PSGD_ERR_ARGUMENT, "bucket");
                bad = f.b.bucket, bad.struct_size = 8;
                refuses(&f, &bad, PSGD_ERR_ARGUMENT, "struct_size");
                bad = f.b.bucket, bad.dtype = 77;
                refuses(&f, &bad, PSGD_ERR_ARGUMENT, "dtype");
                bad = f.b.bucket, bad.data = NULL;
                refuses(&f, &bad, PSGD_ERR_ARGUMENT, "data");
                bad = f.b.bucket, bad.data = (char *)f.data + 4;
                refuses(&f, &bad, PSGD_ERR_ARGUMENT, "data");
                bad = f.b.bucket, bad.dtype = PSGD_BF16, bad.data = (char *)f.data + 1;
                refuses(&f, &bad, PSGD_ERR_ARGUMENT, "2 bytes");
                bad = f.b.bucket, bad.shapes = NULL;
                refuses(&f, &bad, PSGD_ERR_ARGUMENT, "shapes");
                bad = f.b.bucket, bad.tensor_count = SIZE_MAX;
                refuses(&f, &bad, PSGD_ERR_ARGUMENT, "tensor_count");
                bad = f.b.bucket, bad.tensor_count = 1, bad.shapes = &overflowing;
                refuses(&f, &bad, PSGD_ERR_ARGUMENT, "shapes[0]");
                bad = f.b.bucket, bad.tensor_count = 1, bad.shapes = &dimless;
                refuses(&f, &bad, PSGD_ERR_ARGUMENT, "shapes[0]");
            }
            step_on(&f, 5 + t);
        }
        memcpy(result[disturbed], f.data, sizeof f.data);
        assert_int_equal(ref->peek(f.state, PSGD_PART_ERROR, 0, 0, error[disturbed], 57 * 8), PSGD_OK);
        ref->destroy(f.state);
    }
    assert_memory_equal(result[0], result[1], sizeof result[0]);
    assert_memory_equal(error[0], error[1], sizeof error[0]);
}

static void sides_beyond_lapack_are_unsupported(void **unused)
{
    (void)unused;
    fixture f;
    start(&f, make_config(1, 0));
    const size_t dims[] = {(size_t)1 << 33};
    const psgd_shape shape = {1, dims};
    psgd_bucket bad = f.b.bucket;
    bad.tensor_count = 1, bad.shapes = &shape;
    refuses(&f, &bad, PSGD_ERR_UNSUPPORTED, "shapes: matrix 0");
    ref->destroy(f.state);
}

static void layout_is_fixed_from_the_first_compressed_step(void **unused)
{
    (void)unused;
    const size_t swapped[2][2] = {{5, 10}, {7, 0}}, other[1][2] = {{57, 0}}, fewer[1][2] = {{10, 5}};
    for (int memory = 0; memory < 3; memory++) {
        psgd_config config = make_config(1, 1);
        config.use_error_feedback = memory == 1;
        config.warm_start = memory == 2;
        fixture f;
        start(&f, config);
        make_bucket(&f.b, PSGD_F64, f.data, 1, other); /* plain steps remember nothing; so this is the first */
        step_on(&f, 2);
        make_bucket(&f.b, PSGD_F64, f.data, 2, usual);
        if (memory == 0) {
            step_on(&f, 3); /* nothing depends on the old layout */
            make_bucket(&f.b, PSGD_F64, f.data, 2, swapped);
            step_on(&f, 4);
        } else {
            refuses(&f, &f.b.bucket, PSGD_ERR_LAYOUT, "shapes");
            f.b.bucket.index = 1; /* another bucket is another memory */
            step_on(&f, 3);
            make_bucket(&f.b, PSGD_F64, f.data, 2, swapped);
            f.b.bucket.index = 1;
            refuses(&f, &f.b.bucket, PSGD_ERR_LAYOUT, "shapes");
            make_bucket(&f.b, PSGD_F32, f.data, 2, usual);
            f.b.bucket.index = 1;
            refuses(&f, &f.b.bucket, PSGD_ERR_LAYOUT, "dtype");
            make_bucket(&f.b, PSGD_F64, f.data, 1, fewer);
            f.b.bucket.index = 1;
            refuses(&f, &f.b.bucket, PSGD_ERR_LAYOUT, "shapes");
            make_bucket(&f.b, PSGD_F64, f.data, 2, usual);
            f.b.bucket.index = 1;
            step_on(&f, 4);
        }
        ref->destroy(f.state);
    }
}

static void a_failing_collective_breaks_the_state(void **unused)
{
    (void)unused;
    const char *const named[] = {"gradients", "uncompressed", "of P", "of Q"};
    for (int which = 0; which < 4; which++) {
        fixture f;
        start(&f, make_config(1, 1));
        if (which == 0) {
            ref->destroy(f.state);
            f.state = make_state(&f.config, &f.comm);
            f.lone.calls = 0;
            f.lone.fail_at = 1;
        } else {
            step_on(&f, 1);
            f.lone.fail_at = f.lone.calls + which;
        }
        double values[57];
        psgd_statistics statistics;
        assert_int_equal(ref->step(f.state, &f.b.bucket), PSGD_ERR_COMM);
        assert_non_null(strstr(ref->last_error(f.state), named[which]));
        int calls = f.lone.calls;
        memcpy(values, f.data, sizeof values);
        assert_int_equal(ref->step(f.state, &f.b.bucket), PSGD_ERR_BROKEN);
        assert_int_equal(f.lone.calls, calls);
        assert_memory_equal(f.data, values, sizeof values);
        assert_int_equal(ref->peek(f.state, PSGD_PART_ERROR, 0, 0, values, sizeof values), PSGD_ERR_BROKEN);
        assert_int_equal(ref->statistics(f.state, &statistics), PSGD_ERR_BROKEN);
        assert_int_equal(ref->save(f.state, "never-written.safetensors"), PSGD_ERR_BROKEN);
        assert_null(fopen("never-written.safetensors", "rb"));
        assert_non_null(strstr(ref->last_error(f.state), "load a checkpoint"));
        ref->destroy(f.state);
    }
}

static psgd_status failing_draw(void *context, uint64_t step, size_t bucket, size_t tensor, psgd_dtype dtype, size_t m,
                                size_t r, void *q)
{
    int *fails = context;
    return *fails ? PSGD_ERR_UNSUPPORTED : draw_by_index(NULL, step, bucket, tensor, dtype, m, r, q);
}

static void a_failing_draw_changes_nothing(void **unused)
{
    (void)unused;
    int fails = 1;
    const psgd_q_source source = {&fails, failing_draw};
    psgd_config config = make_config(1, 1);
    config.q_source = &source;
    fixture f;
    start(&f, config);
    refuses(&f, &f.b.bucket, PSGD_ERR_UNSUPPORTED, "q_source");
    fails = 0;
    step_on(&f, 1);
    ref->destroy(f.state);
}

/* ---- Counting ---- */

typedef struct report_lines {
    int count;
    char line[32][160];
} report_lines;

static void keep_line(void *context, const char *line)
{
    report_lines *lines = context;
    if (strncmp(line, "statistics ", 11) == 0) {
        snprintf(lines->line[lines->count++ % 32], 160, "%s", line);
    }
}

static void statistics_and_reports(void **unused)
{
    (void)unused;
    report_lines lines = {0};
    psgd_config config = make_config(2, 1);
    config.compression_stats_logging_frequency = 3;
    config.log = keep_line;
    config.log_context = &lines;
    fixture f;
    start(&f, config);
    psgd_statistics statistics;
    assert_int_equal(ref->statistics(f.state, &statistics), PSGD_OK);
    assert_true(statistics.compression_rate == 0 && statistics.numel_before_compression == 0);
    test_bucket vector;
    make_bucket(&vector, PSGD_F64, f.data, 1, (const size_t[][2]){{4, 0}});
    vector.bucket.index = 1;
    vector.bucket.is_last = false;
    for (int t = 2; t < 10; t++) { /* 10 x 5 by r = 2: 30 of 50; 7 and 4 as they are */
        assert_int_equal(ref->step(f.state, &vector.bucket), PSGD_OK);
        step_on(&f, (uint64_t)t);
    }
    assert_int_equal(ref->statistics(f.state, &statistics), PSGD_OK);
    assert_int_equal(statistics.numel_before_compression, 8 * (50 + 7 + 4));
    assert_int_equal(statistics.numel_after_compression, 8 * (30 + 7 + 4));
    assert_true(statistics.compression_rate == 61. / 41);
    assert_int_equal(lines.count, 3);
    assert_string_equal(lines.line[0], "statistics iter=2 before=61 after=41 rate=1.4878048780487805");
    assert_string_equal(lines.line[1], "statistics iter=5 before=244 after=164 rate=1.4878048780487805");
    assert_string_equal(lines.line[2], "statistics iter=8 before=427 after=287 rate=1.4878048780487805");
    ref->destroy(f.state);
}

static void without_a_last_bucket_nothing_is_ever_compressed(void **unused)
{
    (void)unused;
    fixture f;
    start(&f, make_config(1, 1));
    ref->destroy(f.state);
    f.state = make_state(&f.config, &f.comm);
    f.b.bucket.is_last = false;
    for (uint64_t t = 0; t < 5; t++) {
        step_on(&f, t);
    }
    double error[57];
    assert_int_equal(ref->peek(f.state, PSGD_PART_ERROR, 0, 0, error, sizeof error), PSGD_ERR_ARGUMENT);
    ref->destroy(f.state);
}

/* ---- Peek ---- */

static void peek_refuses_and_shows(void **unused)
{
    (void)unused;
    fixture f;
    psgd_config config = make_config(2, 1);
    config.use_error_feedback = false;
    start(&f, config);
    double values[57];
    assert_int_equal(ref->peek(f.state, PSGD_PART_P, 0, 0, values, 160), PSGD_ERR_ARGUMENT); /* not compressed yet */
    assert_non_null(strstr(ref->last_error(f.state), "bucket"));
    step_on(&f, 1);
    const struct {
        int part;
        size_t bucket, tensor;
        bool null;
        size_t bytes;
        psgd_status expected;
        const char *named;
    } calls[] = {
        {PSGD_PART_P, 0, 0, false, 10 * 2 * 8, PSGD_OK, ""},
        {PSGD_PART_Q, 0, 0, false, 5 * 2 * 8, PSGD_OK, ""},
        {PSGD_PART_ERROR, 0, 9, false, 57 * 8, PSGD_OK, ""},
        {PSGD_PART_P, 1, 0, false, 160, PSGD_ERR_ARGUMENT, "bucket"},
        {PSGD_PART_P, 0, 1, false, 56, PSGD_ERR_ARGUMENT, "tensor"},
        {PSGD_PART_Q, 0, 2, false, 56, PSGD_ERR_ARGUMENT, "tensor"},
        {PSGD_PART_P, 0, 0, false, 159, PSGD_ERR_ARGUMENT, "bytes"},
        {PSGD_PART_P, 0, 0, false, 168, PSGD_ERR_ARGUMENT, "bytes"},
        {PSGD_PART_P, 0, 0, true, 160, PSGD_ERR_ARGUMENT, "data"},
        {9, 0, 0, false, 160, PSGD_ERR_ARGUMENT, "part"},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        assert_int_equal(ref->peek(f.state, (psgd_part)calls[i].part, calls[i].bucket, calls[i].tensor,
                                   calls[i].null ? NULL : values, calls[i].bytes),
                         calls[i].expected);
        if (calls[i].expected != PSGD_OK) {
            assert_non_null(strstr(ref->last_error(f.state), calls[i].named));
        }
    }
    fill_f64(values, 57, 1);
    assert_int_equal(ref->peek(f.state, PSGD_PART_ERROR, 0, 0, values, sizeof values), PSGD_OK);
    for (int i = 0; i < 57; i++) {
        assert_true(values[i] == 0); /* no error feedback: no error */
    }
    ref->destroy(f.state);
}

/* ---- Separate states, and nothing written outside the bucket ---- */

static void states_share_nothing(void **unused)
{
    (void)unused;
    double expected[57], guarded[59];
    fixture a, b;
    start(&a, make_config(1, 1));
    for (uint64_t t = 0; t < 3; t++) {
        step_on(&a, t);
    }
    memcpy(expected, a.data, sizeof expected);
    ref->destroy(a.state);
    start(&a, make_config(1, 1));
    start(&b, make_config(2, 1));
    for (uint64_t t = 0; t < 3; t++) {
        step_on(&b, t + 7);
        guarded[0] = guarded[58] = 12345;
        fill_f64(guarded + 1, 57, t);
        a.b.bucket.data = guarded + 1;
        assert_int_equal(ref->step(a.state, &a.b.bucket), PSGD_OK);
        assert_true(guarded[0] == 12345 && guarded[58] == 12345);
        step_on(&b, t + 8);
    }
    assert_memory_equal(guarded + 1, expected, sizeof expected);
    ref->destroy(a.state);
    ref->destroy(b.state);
}

int main(void)
{
    ref = psgd_ref();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_buckets_change_nothing),
        cmocka_unit_test(sides_beyond_lapack_are_unsupported),
        cmocka_unit_test(layout_is_fixed_from_the_first_compressed_step),
        cmocka_unit_test(a_failing_collective_breaks_the_state),
        cmocka_unit_test(a_failing_draw_changes_nothing),
        cmocka_unit_test(statistics_and_reports),
        cmocka_unit_test(without_a_last_bucket_nothing_is_ever_compressed),
        cmocka_unit_test(peek_refuses_and_shows),
        cmocka_unit_test(states_share_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
