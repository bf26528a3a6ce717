/* checkpoint_first.c: the checkpoints that the first version of the format's first writer left, for ever readable.
 *
 * data/checkpoint-1/ holds them as that version wrote them. Each must load, hold what it held, lead on as if the run
 * had never stopped, and be written again byte by byte. With a folder as its argument this program writes the two files
 * there instead; data/checkpoint-1/README.md says of which version it did that.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_BYTES = 10000, MAX_NUMEL = 128, BUCKETS = 2 };

/* A run whose checkpoint after `stop` steps is kept. */
typedef struct kept_run {
    const char *file;
    psgd_dtype dtype;
    bool memories; /* error feedback and warm start */
    int32_t rank, size;
    int stop;
    size_t bucket_count;
    size_t indices[BUCKETS];
    size_t shapes[BUCKETS][3][2];
    size_t tensor_counts[BUCKETS];
} kept_run;

/* Matrices large enough that f32 draws 16 normals or more at once: those are exact, with any mathematical library. */
static const kept_run runs[] = {
    {"f32-memories-rank-1-of-2.safetensors",
     PSGD_F32,
     true,
     1,
     2,
     4,
     2,
     {0, 7},
     {{{9, 8}, {3, 0}}, {{12, 10}}},
     {2, 1}},
    {"f64-no-memories.safetensors", PSGD_F64, false, 0, 1, 3, 1, {5}, {{{8, 9}, {4, 0}, {6, 5}}}, {3}},
};

/* The rank's peers have what it has. */
static psgd_status sum_of_twins(void *context, void *data, size_t count, psgd_dtype dtype)
{
    int32_t size = ((const kept_run *)context)->size;
    for (size_t i = 0; i < count; i++) {
        if (dtype == PSGD_F64) {
            ((double *)data)[i] *= size;
        } else {
            ((float *)data)[i] *= (float)size;
        }
    }
    return PSGD_OK;
}

static psgd_config config_of(const kept_run *run)
{
    psgd_config config = make_config(2, 1);
    config.use_error_feedback = config.warm_start = run->memories;
    config.random_seed = 42;
    config.orthogonalization_epsilon = run->memories ? 0 : 1e-8;
    return config;
}

static psgd_state *new_state(const kept_run *run)
{
    psgd_config config = config_of(run);
    psgd_comm comm = {.struct_size = (uint32_t)sizeof comm,
                      .context = (void *)run,
                      .rank = run->rank,
                      .size = run->size,
                      .allreduce_sum = sum_of_twins};
    return make_state(&config, &comm);
}

/* out: of the last step, as elements */
static void run_steps(unsigned char out[BUCKETS][MAX_NUMEL * 8], psgd_state *state, const kept_run *run, int from,
                      int to)
{
    for (int t = from; t < to; t++) {
        for (size_t i = 0; i < run->bucket_count; i++) {
            test_bucket b;
            static double room[MAX_NUMEL];
            make_bucket(&b, run->dtype, room, run->tensor_counts[i], run->shapes[i]);
            b.bucket.index = run->indices[i];
            b.bucket.is_last = i + 1 == run->bucket_count;
            assert_true(b.numel <= MAX_NUMEL);
            if (run->dtype == PSGD_F64) {
                fill_f64(room, b.numel, (uint64_t)t * 10 + i);
            } else {
                fill_f32((float *)room, b.numel, (uint64_t)t * 10 + i);
            }
            assert_int_equal(psgd_ref()->step(state, &b.bucket), PSGD_OK);
            memcpy(out[i], room, b.numel * psgd_dtype_size((uint32_t)run->dtype));
        }
    }
}

static void write_files(const char *folder)
{
    for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++) {
        unsigned char out[BUCKETS][MAX_NUMEL * 8];
        char path[1000];
        psgd_state *state = new_state(&runs[r]);
        run_steps(out, state, &runs[r], 0, runs[r].stop);
        snprintf(path, sizeof path, "%s/%s", folder, runs[r].file);
        assert_int_equal(psgd_ref()->save(state, path), PSGD_OK);
        psgd_ref()->destroy(state);
    }
}

/* ---- What today's version does with them ---- */

#ifndef CHECKPOINT_FOLDER /* said by CMakeLists.txt */
#define CHECKPOINT_FOLDER "."
#endif

static char path_written[80];

static void load(psgd_state *state, const kept_run *run)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", CHECKPOINT_FOLDER, run->file);
    psgd_status status = psgd_ref()->load(state, path);
    if (status != PSGD_OK) {
        fail_msg("%s", psgd_ref()->last_error(state));
    }
}

static size_t read_bytes(unsigned char *bytes, const char *folder, const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, MAX_BYTES, file);
    fclose(file);
    assert_true(count < MAX_BYTES);
    return count;
}

/* Saves, and holds the file against the one that was kept. */
static void assert_saves_the_kept_bytes(psgd_state *state, const kept_run *run)
{
    static unsigned char kept[MAX_BYTES], written[MAX_BYTES];
    assert_int_equal(psgd_ref()->save(state, path_written), PSGD_OK);
    size_t count = read_bytes(kept, CHECKPOINT_FOLDER, run->file);
    assert_int_equal(read_bytes(written, "", path_written), count);
    assert_memory_equal(written, kept, count);
}

static void a_run_goes_on_from_it(void **unused)
{
    (void)unused;
    for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++) {
        static unsigned char whole[BUCKETS][MAX_NUMEL * 8], parts[BUCKETS][MAX_NUMEL * 8];
        psgd_state *uninterrupted = new_state(&runs[r]), *loaded = new_state(&runs[r]);
        run_steps(whole, uninterrupted, &runs[r], 0, runs[r].stop);
        load(loaded, &runs[r]);
        psgd_statistics a, b;
        assert_int_equal(psgd_ref()->statistics(uninterrupted, &a), PSGD_OK);
        assert_int_equal(psgd_ref()->statistics(loaded, &b), PSGD_OK);
        assert_memory_equal(&a, &b, sizeof a);
        for (int t = runs[r].stop; t < runs[r].stop + 2; t++) {
            run_steps(whole, uninterrupted, &runs[r], t, t + 1);
            run_steps(parts, loaded, &runs[r], t, t + 1);
            assert_memory_equal(parts, whole, sizeof whole);
        }
        psgd_ref()->destroy(uninterrupted);
        psgd_ref()->destroy(loaded);
    }
}

static void what_was_loaded_is_written_again(void **unused)
{
    (void)unused;
    for (size_t r = 0; r < sizeof runs / sizeof runs[0]; r++) {
        psgd_state *state = new_state(&runs[r]);
        load(state, &runs[r]);
        assert_saves_the_kept_bytes(state, &runs[r]);
        psgd_ref()->destroy(state);
    }
}

/* From the gradients on. f32 only: f64 draws by the mathematical library's log, sin and cos. */
static void the_same_run_writes_the_same_file(void **unused)
{
    (void)unused;
    unsigned char out[BUCKETS][MAX_NUMEL * 8];
    psgd_state *state = new_state(&runs[0]);
    run_steps(out, state, &runs[0], 0, runs[0].stop);
    assert_saves_the_kept_bytes(state, &runs[0]);
    psgd_ref()->destroy(state);
}

/* Numbers that the first version printed. */
static void values_are_what_they_were(void **unused)
{
    (void)unused;
    float error[75], q[20];
    double p[16];
    psgd_statistics statistics;
    psgd_state *state = new_state(&runs[0]);
    load(state, &runs[0]);
    assert_int_equal(psgd_ref()->peek(state, PSGD_PART_ERROR, 0, 0, error, sizeof error), PSGD_OK);
    assert_int_equal(psgd_ref()->peek(state, PSGD_PART_Q, 7, 0, q, sizeof q), PSGD_OK);
    assert_int_equal(psgd_ref()->statistics(state, &statistics), PSGD_OK);
    assert_true(error[0] == -0x1.5ff19p-3f && error[71] == -0x1.686cf2p-1f && q[19] == -0x1.0c4b34p+1f);
    assert_true(statistics.numel_before_compression == 390 && statistics.numel_after_compression == 162);
    psgd_ref()->destroy(state);
    state = new_state(&runs[1]);
    load(state, &runs[1]);
    assert_int_equal(psgd_ref()->peek(state, PSGD_PART_P, 5, 0, p, sizeof p), PSGD_OK);
    assert_int_equal(psgd_ref()->statistics(state, &statistics), PSGD_OK);
    assert_true(p[0] == 0x1.f01e6b7a067fep-3 && p[15] == 0x1.1189bf6876684p-1);
    assert_true(statistics.numel_before_compression == 106 && statistics.numel_after_compression == 60);
    psgd_ref()->destroy(state);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        write_files(argv[1]);
        return 0;
    }
    snprintf(path_written, sizeof path_written, "checkpoint-first-%ld.safetensors", (long)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_goes_on_from_it),
        cmocka_unit_test(what_was_loaded_is_written_again),
        cmocka_unit_test(the_same_run_writes_the_same_file),
        cmocka_unit_test(values_are_what_they_were),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path_written);
    return failed;
}
