/* checkpoint.c: a run that is saved and loaded ends to the bit where an uninterrupted one ends; a file that is not
 * whole, not ours or not this state's is refused and leaves the state as it was. */
#include "support.h"

#include "core/checkpoint_metadata.h"
#include "core/safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const psgd_implementation *ref;
static char path[80], other_path[80];

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

/* ---- Files as bytes ---- */

static size_t read_file(const char *name, unsigned char **bytes)
{
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    *bytes = malloc((size_t)size);
    assert_non_null(*bytes);
    assert_int_equal(fread(*bytes, 1, (size_t)size, file), (size_t)size);
    fclose(file);
    return (size_t)size;
}

static void write_file(const char *name, const void *bytes, size_t count)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

/* The load must fail with this status and a message, and the state must save to the same bytes as before. */
static void refuses(psgd_state *state, const char *name, psgd_status expected, const char *named)
{
    unsigned char *before, *after;
    assert_int_equal(ref->save(state, other_path), PSGD_OK);
    size_t count = read_file(other_path, &before);
    psgd_status status = ref->load(state, name);
    if (status != expected || !strstr(ref->last_error(state), named)) {
        fail_msg("%s: %s; expected %s naming %s", psgd_status_name(status), ref->last_error(state),
                 psgd_status_name(expected), named);
    }
    assert_int_equal(ref->save(state, other_path), PSGD_OK);
    assert_int_equal(read_file(other_path, &after), count);
    assert_memory_equal(before, after, count);
    free(before);
    free(after);
}

static void every_flipped_bit_and_every_truncation_is_refused(void **unused)
{
    (void)unused;
    psgd_config config = make_config(1, 1);
    view seen = {0};
    psgd_state *state = new_state(&config);
    run(state, 0, 3, &seen);
    assert_int_equal(ref->save(state, path), PSGD_OK);
    unsigned char *good;
    size_t count = read_file(path, &good);
    uint64_t header_length;
    memcpy(&header_length, good, sizeof header_length);
    size_t content =
        8 * (8 + (size_t)header_length); /* all bits of the header; of what follows, alike as it is, some */
    for (size_t bit = 0; bit < 8 * count; bit += bit < content ? 1 : 31) {
        good[bit / 8] = (unsigned char)(good[bit / 8] ^ 1u << bit % 8);
        write_file(path, good, count);
        psgd_status status = ref->load(state, path);
        if (status != PSGD_ERR_FORMAT) {
            fail_msg("bit %zu of byte %zu: %s", bit % 8, bit / 8, psgd_status_name(status));
        }
        good[bit / 8] = (unsigned char)(good[bit / 8] ^ 1u << bit % 8);
    }
    for (size_t shorter = 0; shorter < count; shorter += shorter < 64 || shorter > count - 64 ? 1 : 13) {
        write_file(path, good, shorter);
        psgd_status status = ref->load(state, path);
        if (status != PSGD_ERR_FORMAT) {
            fail_msg("cut to %zu bytes: %s", shorter, psgd_status_name(status));
        }
    }
    good = realloc(good, count + 1);
    assert_non_null(good);
    good[count] = 0;
    write_file(path, good, count + 1);
    refuses(state, path, PSGD_ERR_FORMAT, "");
    write_file(path, good, count);
    assert_int_equal(ref->load(state, path), PSGD_OK);
    free(good);
    ref->destroy(state);
}

static void other_states_are_refused(void **unused)
{
    (void)unused;
    psgd_config config = make_config(2, 1);
    view seen = {0};
    psgd_state *state = new_state(&config);
    run(state, 0, 4, &seen);
    assert_int_equal(ref->save(state, path), PSGD_OK);
    ref->destroy(state);
    static const char *const named[] = {"matrix_approximation_rank",
                                        "start_iter",
                                        "min_compression_rate",
                                        "orthogonalization_epsilon",
                                        "use_error_feedback",
                                        "warm_start",
                                        "batch_tensors_with_same_shape",
                                        "random_seed",
                                        "compression_stats_logging_frequency",
                                        "size",
                                        "rank"};
    for (int which = 0; which < 11; which++) {
        psgd_config changed = config;
        lone_rank lone;
        psgd_comm comm = lone_rank_comm(&lone);
        switch (which) {
        case 0: changed.matrix_approximation_rank = 1; break;
        case 1: changed.start_iter = 3; break;
        case 2: changed.min_compression_rate = 1 + 0x1p-52; break;
        case 3: changed.orthogonalization_epsilon = 1e-300; break;
        case 4: changed.use_error_feedback = false; break;
        case 5: changed.warm_start = false; break;
        case 6: changed.batch_tensors_with_same_shape = true; break;
        case 7: changed.random_seed = 1; break;
        case 8: changed.compression_stats_logging_frequency = 5; break;
        case 9: comm.size = 2; break;
        default: comm.size = 2, comm.rank = 1; break;
        }
        state = make_state(&changed, &comm);
        refuses(state, path, PSGD_ERR_FORMAT, named[which]);
        ref->destroy(state);
    }
    state = new_state(&config);
    refuses(state, "no/such/file", PSGD_ERR_IO, "no/such/file");
    assert_int_equal(ref->save(state, "no/such/folder/file"), PSGD_ERR_IO);
    ref->destroy(state);
}

/* Writes a copy of the checkpoint at path with one change and a checksum that is right again. */
typedef enum change {
    CHANGE_NOTHING,
    CHANGE_FORMAT,
    CHANGE_NO_ITERATION,
    CHANGE_ITERATION_TEXT,
    CHANGE_EXTRA_TENSOR,
    CHANGE_LOST_TENSOR,
    CHANGE_SEED_POSITION,
    CHANGE_DTYPE,
    CHANGE_DTYPE_OF_ANOTHER,
    CHANGE_INDEX_TWICE,
    CHANGE_SHAPE,
    CHANGE_HUGE_SHAPE
} change;

static void rewrite(change what)
{
    psgd_safetensors *file;
    char message[256];
    assert_int_equal(psgd_safetensors_open(&file, path, message, sizeof message), PSGD_OK);
    psgd_tensor tensors[16];
    uint32_t seeds[PSGD_SEED_WORDS];
    uint64_t buckets[4], matrices[8];
    size_t count = psgd_safetensors_count(file);
    assert_true(count < 16);
    for (size_t i = 0; i < count; i++) {
        tensors[i] = *psgd_safetensors_at(file, i);
        if (strcmp(tensors[i].name, "seeds") == 0) {
            memcpy(seeds, tensors[i].data, sizeof seeds);
            seeds[PSGD_SEED_WORDS - 1] = what == CHANGE_SEED_POSITION ? 625 : seeds[PSGD_SEED_WORDS - 1];
            tensors[i].data = seeds;
        } else if (strcmp(tensors[i].name, "buckets") == 0) {
            memcpy(buckets, tensors[i].data, sizeof buckets);
            buckets[1] = what == CHANGE_DTYPE ? 9 : what == CHANGE_DTYPE_OF_ANOTHER ? PSGD_F32 : buckets[1];
            buckets[2] = what == CHANGE_INDEX_TWICE ? buckets[0] : buckets[2];
            tensors[i].data = buckets;
        } else if (strcmp(tensors[i].name, "shapes/0") == 0) {
            memcpy(matrices, tensors[i].data, sizeof matrices);
            matrices[0] = what == CHANGE_SHAPE ? 5 : what == CHANGE_HUGE_SHAPE ? UINT64_MAX / 4 : matrices[0];
            tensors[i].data = matrices;
        }
    }
    psgd_text values[PSGD_KEY_COUNT];
    psgd_metadata metadata[PSGD_KEY_COUNT];
    for (int key = 0; key < PSGD_KEY_COUNT; key++) {
        snprintf(values[key], sizeof values[key], "%s", psgd_safetensors_metadata(file, psgd_checkpoint_keys[key]));
    }
    if (what == CHANGE_FORMAT) {
        snprintf(values[PSGD_KEY_FORMAT], sizeof(psgd_text), "psgd-checkpoint/2");
    } else if (what == CHANGE_ITERATION_TEXT) {
        snprintf(values[PSGD_KEY_ITERATION], sizeof(psgd_text), "-4");
    } else if (what == CHANGE_EXTRA_TENSOR) {
        tensors[count++] = (psgd_tensor){"extra", PSGD_ELEMENT_U8, 1, {0}, 0, NULL};
    } else if (what == CHANGE_LOST_TENSOR) {
        count--;
    }
    assert_int_equal(psgd_checkpoint_checksum(values, tensors, count, message, sizeof message), PSGD_OK);
    size_t kept = 0;
    for (int key = 0; key < PSGD_KEY_COUNT; key++) {
        if (what != CHANGE_NO_ITERATION || key != PSGD_KEY_ITERATION) {
            metadata[kept++] = (psgd_metadata){psgd_checkpoint_keys[key], values[key]};
        }
    }
    assert_int_equal(psgd_safetensors_write(other_path, tensors, count, metadata, kept, message, sizeof message),
                     PSGD_OK);
    psgd_safetensors_close(file);
}

static void foreign_and_forged_files_are_refused(void **unused)
{
    (void)unused;
    psgd_config config = make_config(2, 1);
    view seen = {0};
    psgd_state *state = new_state(&config);
    run(state, 0, 4, &seen);
    assert_int_equal(ref->save(state, path), PSGD_OK);
    static const struct {
        change what;
        const char *named;
    } changes[] = {
        {CHANGE_FORMAT, "psgd-checkpoint/2"},
        {CHANGE_NO_ITERATION, "iteration"},
        {CHANGE_ITERATION_TEXT, "iteration"},
        {CHANGE_EXTRA_TENSOR, "tensors"},
        {CHANGE_LOST_TENSOR, "error/7"},
        {CHANGE_SEED_POSITION, "seeds"},
        {CHANGE_DTYPE, "dtype"},
        {CHANGE_DTYPE_OF_ANOTHER, "p/0"},
        {CHANGE_INDEX_TWICE, "bucket 0"},
        {CHANGE_SHAPE, "/0"},
        {CHANGE_HUGE_SHAPE, "bucket 0"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        rewrite(changes[i].what);
        psgd_status status = ref->load(state, other_path);
        if (status != PSGD_ERR_FORMAT || !strstr(ref->last_error(state), changes[i].named)) {
            fail_msg("change %d: %s: %s", changes[i].what, psgd_status_name(status), ref->last_error(state));
        }
    }
    rewrite(CHANGE_NOTHING);
    assert_int_equal(ref->load(state, other_path), PSGD_OK);
    ref->destroy(state);
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
    snprintf(other_path, sizeof other_path, "%s/checkpoint-%ld-b.safetensors", folder, (long)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupted_equals_uninterrupted),
        cmocka_unit_test(half_types_too),
        cmocka_unit_test(every_flipped_bit_and_every_truncation_is_refused),
        cmocka_unit_test(other_states_are_refused),
        cmocka_unit_test(foreign_and_forged_files_are_refused),
        cmocka_unit_test(a_broken_state_is_mended_by_a_load),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    remove(other_path);
    return failed;
}
