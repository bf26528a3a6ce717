/* checkpoint.c: a run that is saved and loaded ends to the bit where an uninterrupted one ends. What is refused:
 * checkpoint_refused.c. */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const psgd_implementation *ref;
static char path[80];

static const size_t shapes[2][4][2] = {{{6, 5}, {3, 0}, {4, 7}, {6, 5}}, {{8, 4}, {2, 0}}};
enum { NUMEL_0 = 91, NUMEL_1 = 34 };

/* Everything that can be seen of a state. */
typedef struct view {
    double out[2][NUMEL_0], error[2][NUMEL_0];
    psgd_statistics statistics;
    char last_report[160];
} view;

static void keep_report(void *context, const char *line)
{
    snprintf(((view *)context)->last_report, sizeof((view *)context)->last_report, "%s", line);
}

static void run(psgd_state *state, int from, int to, view *seen)
{
    for (int t = from; t < to; t++) {
        for (size_t i = 0; i < 2; i++) {
            test_bucket b;
            make_bucket(&b, i == 0 ? PSGD_F64 : PSGD_F32, seen->out[i], i == 0 ? 4 : 2, shapes[i]);
            b.bucket.index = 7 * i;
            b.bucket.is_last = i == 1;
            if (i == 0) {
                fill_f64(seen->out[i], NUMEL_0, (uint64_t)t);
            } else {
                fill_f32((float *)seen->out[i], NUMEL_1, (uint64_t)t);
            }
            psgd_status status = ref->step(state, &b.bucket);
            if (status != PSGD_OK) {
                fail_msg("step: %s", ref->last_error(state));
            }
        }
    }
    assert_int_equal(ref->statistics(state, &seen->statistics), PSGD_OK);
    if (seen->statistics.numel_before_compression > 0) {
        assert_int_equal(ref->peek(state, PSGD_PART_ERROR, 0, 0, seen->error[0], NUMEL_0 * 8), PSGD_OK);
        assert_int_equal(ref->peek(state, PSGD_PART_ERROR, 7, 0, seen->error[1], NUMEL_1 * 4), PSGD_OK);
    }
}

static psgd_state *new_state(const psgd_config *config)
{
    static lone_rank lone;
    psgd_comm comm = lone_rank_comm(&lone);
    return make_state(config, &comm);
}

static void interrupted_equals_uninterrupted(void **unused)
{
    (void)unused;
    for (int which = 0; which < 8; which++) {
        psgd_config config = make_config(1 + which % 4, 1);
        config.use_error_feedback = which & 1;
        config.warm_start = which & 2;
        config.batch_tensors_with_same_shape = which & 4;
        config.compression_stats_logging_frequency = 2;
        config.log = keep_report;
        view whole = {0};
        config.log_context = &whole;
        psgd_state *state = new_state(&config);
        run(state, 0, 9, &whole);
        ref->destroy(state);
        for (int stop = which % 2; stop < 9; stop += 2) {
            view parts = {0};
            config.log_context = &parts;
            state = new_state(&config);
            run(state, 0, stop, &parts);
            assert_int_equal(ref->save(state, path), PSGD_OK);
            ref->destroy(state);
            state = new_state(&config);
            run(state, 0, which, &parts); /* what it was before is forgotten */
            psgd_status status = ref->load(state, path);
            if (status != PSGD_OK) {
                fail_msg("load: %s", ref->last_error(state));
            }
            run(state, stop, 9, &parts);
            assert_memory_equal(&parts, &whole, sizeof whole);
            ref->destroy(state);
        }
    }
}

/* The same in half types, whose error has 16 bits in the file as in memory. */
static void half_types_too(void **unused)
{
    (void)unused;
    const psgd_dtype dtypes[] = {PSGD_F16, PSGD_BF16};
    for (int which = 0; which < 2; which++) {
        const psgd_config config = make_config(3, 1);
        psgd_state *state = new_state(&config), *loaded = new_state(&config);
        uint16_t out[2][NUMEL_0], error[2][NUMEL_0];
        test_bucket b;
        for (uint64_t t = 0; t < 7; t++) {
            for (int i = 0; i < (t < 4 ? 1 : 2); i++) {
                make_bucket(&b, dtypes[which], out[i], 4, shapes[0]);
                fill(out[i], dtypes[which], NUMEL_0, t);
                assert_int_equal(ref->step(i == 0 ? state : loaded, &b.bucket), PSGD_OK);
            }
            if (t == 3) {
                assert_int_equal(ref->save(state, path), PSGD_OK);
                assert_int_equal(ref->load(loaded, path), PSGD_OK);
            }
        }
        assert_memory_equal(out[0], out[1], sizeof out[0]);
        assert_int_equal(ref->peek(state, PSGD_PART_ERROR, 0, 0, error[0], sizeof error[0]), PSGD_OK);
        assert_int_equal(ref->peek(loaded, PSGD_PART_ERROR, 0, 0, error[1], sizeof error[1]), PSGD_OK);
        assert_memory_equal(error[0], error[1], sizeof error[0]);
        ref->destroy(state);
        ref->destroy(loaded);
    }
}

static void a_broken_state_is_mended_by_a_load(void **unused)
{
    (void)unused;
    lone_rank lone;
    psgd_comm comm = lone_rank_comm(&lone);
    psgd_config config = make_config(2, 1);
    psgd_state *state = make_state(&config, &comm);
    view whole = {0}, parts = {0};
    run(state, 0, 4, &whole);
    assert_int_equal(ref->save(state, path), PSGD_OK);
    lone.fail_at = lone.calls + 2;
    test_bucket b;
    make_bucket(&b, PSGD_F64, parts.out[0], 4, shapes[0]);
    assert_int_equal(ref->step(state, &b.bucket), PSGD_ERR_COMM);
    assert_int_equal(ref->load(state, "no/such/file"), PSGD_ERR_IO);
    assert_int_equal(ref->step(state, &b.bucket), PSGD_ERR_BROKEN);
    assert_int_equal(ref->load(state, path), PSGD_OK);
    run(state, 4, 6, &parts);
    ref->destroy(state);
    state = new_state(&config);
    run(state, 0, 6, &whole);
    assert_memory_equal(&parts, &whole, sizeof whole);
    ref->destroy(state);
}

int main(void)
{
    ref = psgd_ref();
    /* Saves are flushed to the disk, which takes long where there is one. */
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ".";
    snprintf(path, sizeof path, "%s/checkpoint-%ld.safetensors", folder, (long)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupted_equals_uninterrupted),
        cmocka_unit_test(half_types_too),
        cmocka_unit_test(a_broken_state_is_mended_by_a_load),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
