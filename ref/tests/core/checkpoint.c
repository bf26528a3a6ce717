/* checkpoint.c: what is written is read again, to the bit, whatever the element type and the variant. That what is
 * damaged or of another configuration is refused is tested through the reference (ref/tests/checkpoint_refused.c). */
#include "core/checkpoint_metadata.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BUCKETS = 3, NUMEL = 6 * 5 + 3 + 4 * 7, SQUARE = 8 * 8 };

static char path[80];

static const psgd_dtype dtypes[BUCKETS] = {PSGD_F16, PSGD_F64, PSGD_F32};
static const size_t dims[3][2] = {{6, 5}, {3, 1}, {4, 7}};
static const psgd_shape shapes[3] = {{2, dims[0]}, {1, dims[1]}, {2, dims[2]}};

/* Bytes of every tensor: different everywhere, any bits do. */
static uint8_t bytes[BUCKETS][3][SQUARE * 8];
static psgd_checkpoint_bucket buckets[BUCKETS];

static psgd_checkpoint make(bool error_feedback, psgd_variant variant)
{
    psgd_checkpoint c = {.rank = 2, .size = 5, .iteration = UINT64_MAX, .next_report = 7, .numel_before = 11};
    c.config = psgd_config_default();
    c.config.variant = variant;
    c.config.matrix_approximation_rank = 2;
    c.config.min_compression_rate = 1.1;
    c.config.use_error_feedback = error_feedback;
    psgd_mt19937_seed(&c.seeds, 4);
    c.bucket_count = BUCKETS;
    c.buckets = buckets;
    for (size_t b = 0; b < BUCKETS; b++) {
        for (size_t part = 0; part < 3; part++) {
            for (size_t i = 0; i < sizeof bytes[b][part]; i++) {
                bytes[b][part][i] = (uint8_t)(b + 3 * part + 31 * i);
            }
        }
        const psgd_bucket bucket = {(uint32_t)sizeof bucket, dtypes[b], 9 - b, b == 2, bytes[b], 3, shapes};
        assert_int_equal(psgd_bucket_layout_make(&buckets[b].layout, &bucket, 2, 1.1, NULL, 0), PSGD_OK);
        assert_int_equal(buckets[b].layout.compressed_count, 2);
        if (variant == PSGD_FLATTENED) { /* 61 elements, a square of side 8 */
            assert_int_equal(psgd_bucket_layout_flatten(&buckets[b].layout, 2, NULL, 0), PSGD_OK);
            assert_int_equal(buckets[b].layout.error_numel, SQUARE);
        }
        buckets[b].p = bytes[b][0];
        buckets[b].q = bytes[b][1];
        buckets[b].error = error_feedback ? bytes[b][2] : NULL;
    }
    return c;
}

static void free_layouts(void)
{
    for (size_t b = 0; b < BUCKETS; b++) {
        psgd_bucket_layout_free(&buckets[b].layout);
    }
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        const bool error_feedback = which & 1;
        psgd_checkpoint written = make(error_feedback, which & 2 ? PSGD_FLATTENED : PSGD_LAYERWISE);
        psgd_checkpoint c = {.config = written.config, .rank = 2, .size = 5};
        char message[256] = "";
        assert_int_equal(psgd_checkpoint_write(path, &written, message, sizeof message), PSGD_OK);
        assert_int_equal(psgd_checkpoint_read(&c, path, message, sizeof message), PSGD_OK);
        assert_true(c.iteration == written.iteration && c.next_report == 7);
        assert_true(c.numel_before == 11 && c.numel_after == 0);
        assert_memory_equal(&c.seeds, &written.seeds, sizeof c.seeds);
        assert_int_equal(c.bucket_count, BUCKETS);
        for (size_t b = 0; b < BUCKETS; b++) {
            const psgd_bucket_layout *layout = &buckets[b].layout;
            const size_t size = psgd_dtype_size(dtypes[b]);
            assert_int_equal(c.buckets[b].layout.index, 9 - b);
            assert_true(psgd_bucket_layout_equal(&c.buckets[b].layout, layout));
            assert_memory_equal(c.buckets[b].p, bytes[b][0], layout->p_numel * size);
            assert_memory_equal(c.buckets[b].q, bytes[b][1], layout->q_numel * size);
            if (error_feedback) {
                assert_memory_equal(c.buckets[b].error, bytes[b][2], layout->error_numel * size);
            } else {
                assert_null(c.buckets[b].error);
            }
        }
        psgd_checkpoint_free(&c);
        free_layouts();
    }
}

static void no_bucket_at_all(void **state)
{
    (void)state;
    psgd_checkpoint written = {.config = psgd_config_default(), .size = 1}, c = written;
    assert_int_equal(psgd_checkpoint_write(path, &written, NULL, 0), PSGD_OK);
    c.iteration = 3;
    assert_int_equal(psgd_checkpoint_read(&c, path, NULL, 0), PSGD_OK);
    assert_true(c.iteration == 0 && c.bucket_count == 0);
    psgd_checkpoint_free(&c);
}

static void a_refused_file_changes_nothing(void **state)
{
    (void)state;
    psgd_checkpoint written = make(true, PSGD_LAYERWISE),
                    c = {.config = written.config, .rank = 3, .size = 5, .iteration = 42};
    char message[256] = "";
    assert_int_equal(psgd_checkpoint_write(path, &written, NULL, 0), PSGD_OK);
    assert_int_equal(psgd_checkpoint_read(&c, path, message, sizeof message), PSGD_ERR_FORMAT);
    assert_non_null(strstr(message, "rank is 2 in the file, 3"));
    assert_true(c.iteration == 42 && c.buckets == NULL && c.file == NULL);
    assert_int_equal(psgd_checkpoint_read(&c, "no/such/file", NULL, 0), PSGD_ERR_IO);
    free_layouts();
}

/* Right in itself, but no flattened variant can have left it: a bucket whose square is smaller than the rank. */
static void a_flattened_bucket_below_the_rank_is_refused(void **state)
{
    (void)state;
    static const size_t four[] = {4};
    static const psgd_shape small = {1, four};
    psgd_checkpoint_bucket bucket = {.p = bytes[0][0], .q = bytes[0][1], .error = bytes[0][2]};
    const psgd_bucket described = {(uint32_t)sizeof described, PSGD_F32, 0, true, bytes, 1, &small};
    assert_int_equal(psgd_bucket_layout_make(&bucket.layout, &described, 2, 2, NULL, 0), PSGD_OK);
    assert_int_equal(psgd_bucket_layout_flatten(&bucket.layout, 2, NULL, 0), PSGD_OK);
    psgd_checkpoint written = {.config = psgd_config_default(), .size = 1, .bucket_count = 1, .buckets = &bucket};
    written.config.variant = PSGD_FLATTENED;
    written.config.matrix_approximation_rank = 3; /* the layout was made with 2 */
    psgd_checkpoint c = {.config = written.config, .size = 1};
    char message[256] = "";
    assert_int_equal(psgd_checkpoint_write(path, &written, NULL, 0), PSGD_OK);
    assert_int_equal(psgd_checkpoint_read(&c, path, message, sizeof message), PSGD_ERR_FORMAT);
    assert_non_null(strstr(message, "side 2"));
    psgd_bucket_layout_free(&bucket.layout);
}

/* CHECKPOINT.md's own way: sixteen bytes of the file replaced by zeros, nothing parsed. */
static void the_checksum_is_that_of_the_files_bytes(void **state)
{
    (void)state;
    enum { LARGEST = 20000 };
    static char content[LARGEST];
    static const char key[] = "\"checksum\":\"";
    for (int which = 0; which < 2; which++) {
        psgd_checkpoint written = make(true, which ? PSGD_FLATTENED : PSGD_LAYERWISE);
        assert_int_equal(psgd_checkpoint_write(path, &written, NULL, 0), PSGD_OK);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        const size_t count = fread(content, 1, LARGEST, file);
        fclose(file);
        assert_true(count < LARGEST);
        /* Behind the eight bytes of the length, in which there are zeros, the header is text. */
        char *at = strstr(content + 8, key), said[17] = "", computed[17];
        assert_non_null(at);
        at += strlen(key);
        memcpy(said, at, 16);
        memset(at, '0', 16);
        snprintf(computed, sizeof computed, "%016llx", (unsigned long long)psgd_crc64(content, count));
        assert_string_equal(said, computed);
        free_layouts();
    }
}

static void crc_is_the_known_one(void **state)
{
    (void)state;
    assert_true(psgd_crc64("123456789", 9) == UINT64_C(0x995DC9BBDF1939FA));
    assert_true(psgd_crc64("", 0) == 0);
}

int main(void)
{
    snprintf(path, sizeof path, "core-checkpoint-%ld.safetensors", (long)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(no_bucket_at_all),
        cmocka_unit_test(a_refused_file_changes_nothing),
        cmocka_unit_test(a_flattened_bucket_below_the_rank_is_refused),
        cmocka_unit_test(the_checksum_is_that_of_the_files_bytes),
        cmocka_unit_test(crc_is_the_known_one),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
