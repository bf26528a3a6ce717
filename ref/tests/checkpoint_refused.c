/* checkpoint_refused.c: a file that is not whole, not ours or not this state's is refused, and leaves the state as it
 * was. What is accepted: checkpoint.c. */
#include "support.h"

#include "core/checkpoint_metadata.h"
#include "core/safetensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const psgd_implementation *ref;
static char path[80], other_path[80];

static psgd_state *new_state(const psgd_config *config)
{
    static lone_rank lone;
    psgd_comm comm = lone_rank_comm(&lone);
    return make_state(config, &comm);
}

/* A checkpoint at path of a state after so many steps, with two buckets of different types, and that state. */
static psgd_state *save_after(const psgd_config *config, uint64_t steps)
{
    static const size_t shapes[2][4][2] = {{{6, 5}, {3, 0}, {4, 7}, {6, 5}}, {{8, 4}, {2, 0}}};
    psgd_state *state = new_state(config);
    for (uint64_t t = 0; t < steps; t++) {
        for (size_t i = 0; i < 2; i++) {
            double data[91];
            test_bucket b;
            make_bucket(&b, i == 0 ? PSGD_F64 : PSGD_F32, data, i == 0 ? 4 : 2, shapes[i]);
            b.bucket.index = 7 * i;
            b.bucket.is_last = i == 1;
            fill(data, (psgd_dtype)b.bucket.dtype, b.numel, t);
            assert_int_equal(ref->step(state, &b.bucket), PSGD_OK);
        }
    }
    assert_int_equal(ref->save(state, path), PSGD_OK);
    return state;
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
    psgd_state *state = save_after(&config, 3);
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
    psgd_state *state = save_after(&config, 4);
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
    CHANGE_EXTRA_KEY,
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
    psgd_metadata metadata[PSGD_KEY_COUNT + 1];
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
    if (what == CHANGE_EXTRA_KEY) {
        metadata[kept++] = (psgd_metadata){"note", "of which the checksum that was taken knows nothing"};
    }
    assert_int_equal(psgd_safetensors_write(other_path, tensors, count, metadata, kept, message, sizeof message),
                     PSGD_OK);
    psgd_safetensors_close(file);
}

static void foreign_and_forged_files_are_refused(void **unused)
{
    (void)unused;
    psgd_config config = make_config(2, 1);
    psgd_state *state = save_after(&config, 4);
    static const struct {
        change what;
        const char *named;
    } changes[] = {
        {CHANGE_FORMAT, "psgd-checkpoint/2"},
        {CHANGE_NO_ITERATION, "iteration"},
        {CHANGE_EXTRA_KEY, "19 metadata keys"},
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

int main(void)
{
    ref = psgd_ref();
    /* Saves are flushed to the disk, which takes long where there is one. */
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ".";
    snprintf(path, sizeof path, "%s/checkpoint-refused-%ld.safetensors", folder, (long)getpid());
    snprintf(other_path, sizeof other_path, "%s/checkpoint-refused-%ld-b.safetensors", folder, (long)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_flipped_bit_and_every_truncation_is_refused),
        cmocka_unit_test(other_states_are_refused),
        cmocka_unit_test(foreign_and_forged_files_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    remove(other_path);
    return failed;
}
