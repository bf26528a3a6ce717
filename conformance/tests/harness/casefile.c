/* casefile.c: cases and results come back from their files as they were, and a damaged file is refused or still holds
 * together.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures.h"
#include "harness/casefile.h"
#include "harness/file_parts.h"
#include "harness/tensor_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char message[600];

static char *path_in(const char *folder, const char *name)
{
    char *path = malloc(strlen(folder) + strlen(name) + 2);
    assert_non_null(path);
    (void)sprintf(path, "%s/%s", folder, name);
    return path;
}

static void must(bool ok)
{
    if (!ok)
        fail_msg("%s", message);
}

static void test_case_round_trip(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "W3of5/group=4,2,0/r2/f32/[24x40,20x30;scalar,24x5x8]/eps1e-2rel/ckpt=3/-",
        "W1/r3/f64/ef,bs/[9x8,9x8,5]/rate1/seed=5/rs=9",
        "W1/r1/f16/ws,flat/[3x3,5]/grad=nan",
        "W2/r1/bf16/[3x0,0x4,6x7]/scale=-3",
        "W1/r1/s9/i3/f32/[4x5]",
    };
    char *folder = make_folder();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (int with_q0 = 0; with_q0 < 2; with_q0++) {
            test_case c, back;
            void *bytes, *bytes_back;
            size_t count, count_back;
            build_case(&c, texts[i]);
            must(casefile_write(&c, folder, with_q0, message, sizeof message));
            char *path = path_in(folder, "fixture.safetensors");
            must(casefile_read(&back, path, message, sizeof message));
            assert_string_equal(back.problem_text, c.problem_text);
            assert_string_equal(back.id, "fixture");
            assert_string_equal(back.requirements, "PSGD-EF-001");
            assert_int_equal(back.claims, c.claims);
            assert_true(config_equal(&back.config, &c.config, true));
            assert_null(back.expected);
            must(casefile_serialize(&c, with_q0, &bytes, &count, message, sizeof message));
            must(casefile_serialize(&back, true, &bytes_back, &count_back, message, sizeof message));
            assert_int_equal(count, count_back);
            assert_memory_equal(bytes, bytes_back, count);
            free(bytes);
            free(bytes_back);
            free(path);
            case_free(&c);
            case_free(&back);
        }
    remove_folder(folder);
}

/* Reads damaged bytes; what is taken must hold together well enough to be written again. */
static bool read_damaged(const unsigned char *bytes, size_t count)
{
    test_case c;
    void *again;
    size_t count_again;
    message[0] = '\0';
    if (!casefile_parse(&c, bytes, count, message, sizeof message)) {
        assert_true(message[0] != '\0');
        return false;
    }
    char *text = problem_print(&c.problem);
    assert_string_equal(text, c.problem_text);
    free(text);
    for (int64_t step = 0; step < c.steps; step++)
        for (size_t b = 0; b < c.bucket_count; b++)
            for (int k = 0; k < c.world; k++)
                assert_int_equal(case_in(&c, step, b, k)->count, c.numel[b]);
    must(casefile_serialize(&c, true, &again, &count_again, message, sizeof message));
    free(again);
    case_free(&c);
    return true;
}

static void test_damaged_case(void **unused)
{
    (void)unused;
    test_case c;
    void *bytes;
    size_t count, header, data_flips_taken = 0;
    build_case(&c, "W1/r1/s0/i1/f32/-/rate1/[3x7;2]/seed=5");
    must(casefile_serialize(&c, true, &bytes, &count, message, sizeof message));
    uint64_t length;
    memcpy(&length, bytes, sizeof length);
    header = 8 + (size_t)length;
    for (size_t cut = 0; cut < count; cut++)
        assert_false(read_damaged(bytes, cut));
    for (size_t at = 0; at < count; at++)
        for (int bit = 0; bit < 8; bit++) {
            ((unsigned char *)bytes)[at] ^= (unsigned char)(1 << bit);
            data_flips_taken += read_damaged(bytes, count) && at >= header;
            ((unsigned char *)bytes)[at] ^= (unsigned char)(1 << bit);
        }
    assert_int_equal(data_flips_taken, 8 * (count - header)); /* inputs are taken as they are */
    free(bytes);
    case_free(&c);
}

/* A file with some metadata or tensors changed by name: each change alone is refused, with a word that says why. */
typedef struct change {
    const char *key, *value; /* metadata; value null: left out */
    const char *tensor, *renamed;
    const char *said;
} change;

static void write_changed(const char *path, const void *bytes, size_t count, const change *wanted)
{
    static const char *const keys[] = {"format", "id",    "problem", "claims", "requirements", "generator", "config",
                                       "world",  "group", "steps",   "dtype",  "buckets",      "checkpoint"};
    psgd_safetensors *file;
    psgd_metadata metadata[16];
    psgd_tensor tensors[64];
    size_t key_count = 0, tensor_count = 0;
    assert_int_equal(psgd_safetensors_parse(&file, bytes, count, message, sizeof message), PSGD_OK);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *value = psgd_safetensors_metadata(file, keys[i]);
        if (wanted->key != NULL && strcmp(wanted->key, keys[i]) == 0)
            value = wanted->value;
        if (value != NULL)
            metadata[key_count++] = (psgd_metadata){keys[i], value};
    }
    for (size_t i = 0; i < psgd_safetensors_count(file); i++) {
        psgd_tensor tensor = *psgd_safetensors_at(file, i);
        if (wanted->tensor != NULL && strcmp(wanted->tensor, tensor.name) == 0)
            tensor.name = wanted->renamed;
        if (tensor.name != NULL)
            tensors[tensor_count++] = tensor;
    }
    if (psgd_safetensors_write(path, tensors, tensor_count, metadata, key_count, message, sizeof message) != PSGD_OK)
        fail_msg("%s", message);
    psgd_safetensors_close(file);
}

static void test_contradictions(void **unused)
{
    (void)unused;
    static const change changes[] = {
        {.key = "format", .value = "psgd-case/2", .said = "format"},
        {.key = "format", .said = "format"},
        {.key = "id", .value = "../x", .said = "id"},
        {.key = "claims", .value = "core everything", .said = "everything"},
        {.key = "problem", .value = "W2/r1/f32/nonsense", .said = "nonsense"},
        {.key = "world", .value = "3", .said = "ranks"},
        {.key = "group", .value = "[0]", .said = "ranks"},
        {.key = "steps", .value = "4", .said = "steps"},
        {.key = "steps", .value = "03", .said = "steps"},
        {.key = "dtype", .value = "f64", .said = "dtype"},
        {.key = "buckets", .value = "[{\"index\":0,\"is_last\":true,\"shapes\":[[8,9]]}]", .said = "buckets"},
        {.key = "buckets", .value = "[{\"index\":0,\"is_last\":false,\"shapes\":[[8,9],[5]]}]", .said = "is_last"},
        {.key = "buckets", .value = "[{\"index\":1,\"is_last\":true,\"shapes\":[[8,9],[5]]}]", .said = "numbered"},
        {.key = "buckets", .value = "[{\"index\":0,\"is_last\":true,\"shapes\":[[8,-9],[5]]}]", .said = "dimension"},
        {.key = "buckets", .value = "[]", .said = "buckets"},
        {.key = "config", .value = "{}", .said = "config"},
        {.key = "config", .value = "[", .said = "config"},
        {.tensor = "in/t1/b0/k1", .said = "in/t1/b0/k1 is missing"},
        {.tensor = "q0/t2/b0/i0", .renamed = "q0/t1/b0/i0", .said = "no Q is drawn"},
        {.tensor = "q0/t2/b0/i0", .renamed = "q0/t2/b0/i1", .said = "no Q is drawn"},
        {.tensor = "q0/t2/b0/i0", .renamed = "p/t2/b0/i0", .said = "none of this case's"},
        {.tensor = "q0/t2/b0/i0", .renamed = "in/t2/b0/k2", .said = "none of this case's"},
        {.tensor = "in/t1/b0/k1", .renamed = "in/t01/b0/k1", .said = "none of this case's"},
        {.tensor = "in/t1/b0/k1", .renamed = "in/t1/b0/k18446744073709551617", .said = "none of this case's"},
        {.tensor = "in/t1/b0/k1", .renamed = "in/t1/b1/k1", .said = "none of this case's"},
        {.tensor = "in/t1/b0/k1", .renamed = "out/t1/b0/k1", .said = "none of this case's"},
    };
    test_case c;
    void *bytes;
    size_t count;
    build_case(&c, "W2/r1/i3/f32/[8x9,5]");
    must(casefile_serialize(&c, true, &bytes, &count, message, sizeof message));
    case_free(&c);
    char *folder = make_folder(), *path = path_in(folder, "changed.safetensors");
    write_changed(path, bytes, count, &(change){.said = ""});
    must(casefile_read(&c, path, message, sizeof message));
    case_free(&c);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        write_changed(path, bytes, count, &changes[i]);
        if (casefile_read(&c, path, message, sizeof message))
            fail_msg("change %zu was taken", i);
        if (strstr(message, changes[i].said) == NULL)
            fail_msg("change %zu: '%s' does not say '%s'", i, message, changes[i].said);
    }
    free(bytes);
    free(path);
    remove_folder(folder);
}

static void expect_equal_traces(const trace *a, const trace *b, bool with_rank_1)
{
    for (int64_t step = 0; step < a->steps; step++) {
        assert_int_equal(a->statistics[step].shown, b->statistics[step].shown);
        for (size_t bucket = 0; bucket < a->bucket_count; bucket++) {
            for (int k = 0; k < (with_rank_1 ? a->world : 1); k++) {
                assert_true(values_equal_bits(trace_out(a, step, bucket, k), trace_out(b, step, bucket, k)));
                assert_true(values_equal_bits(trace_error(a, step, bucket, k), trace_error(b, step, bucket, k)));
            }
            for (size_t i = 0; i < a->tensor_counts[bucket]; i++) {
                assert_true(values_equal_bits(trace_p(a, step, bucket, i), trace_p(b, step, bucket, i)));
                assert_true(values_equal_bits(trace_q(a, step, bucket, i), trace_q(b, step, bucket, i)));
            }
        }
    }
}

/* What a port shows that has its flattened error without the padding. */
static void hide_padding(trace *t, const test_case *c)
{
    for (int64_t step = 0; step < t->steps; step++)
        for (size_t bucket = 0; bucket < t->bucket_count; bucket++)
            for (int k = 0; k < t->world; k++) {
                values *error = trace_error(t, step, bucket, k);
                error->count = error->count > c->numel[bucket] ? c->numel[bucket] : error->count;
            }
}

static void test_result_round_trip(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"W2/r2/f32/[8x9,5,8x9;3x7]/rate1", "W2/r2/f64/flat,ef/[8x9,5]",
                                        "W2/r2/f32/flat,ef/[8x9,5]"};
    for (size_t i = 0; i < 3; i++) {
        test_case c;
        void *bytes;
        size_t count;
        build_case(&c, texts[i]);
        trace *t = full_trace(&c), *whole = NULL, *parts = NULL;
        if (i == 2)
            hide_padding(t, &c);
        must(resultfile_serialize(&c, t, -1, &bytes, &count, message, sizeof message));
        must(resultfile_parse(&c, &whole, -1, bytes, count, message, sizeof message));
        free(bytes);
        expect_equal_traces(t, whole, true);
        assert_string_equal(whole->producer, "a port");
        assert_string_equal(whole->version, "0.3");
        assert_int_equal(whole->claims, t->claims);
        assert_true(whole->q_given);
        for (int k = 1; k >= 0; k--) {
            must(resultfile_serialize(&c, t, k, &bytes, &count, message, sizeof message));
            must(resultfile_parse(&c, &parts, k, bytes, count, message, sizeof message));
            trace *wrong = NULL;
            assert_false(resultfile_parse(&c, &wrong, 1 - k, bytes, count, message, sizeof message));
            assert_null(wrong);
            free(bytes);
        }
        expect_equal_traces(t, parts, true);
        assert_int_equal(parts->ranks[1].outcome, RANK_OK);
        trace_free(whole);
        trace_free(parts);
        trace_free(t);
        case_free(&c);
    }
}

/* A run that failed at step 4 keeps the steps before it, and its reason, whatever bytes that has. */
static void test_failed_run(void **unused)
{
    (void)unused;
    test_case c;
    void *bytes;
    size_t count;
    build_case(&c, "W2/r2/f32/[8x9,5]/rate1");
    trace *t = full_trace(&c), *back = NULL;
    for (int k = 0; k < 2; k++) {
        free(t->ranks[k].message);
        t->ranks[k].outcome = k == 0 ? RANK_ERROR : RANK_UNSUPPORTED;
        t->ranks[k].steps_done = k == 0 ? 4 : 0;
        t->ranks[k].message = strdup("bad \xff \"thing\"\n");
    }
    must(resultfile_serialize(&c, t, -1, &bytes, &count, message, sizeof message));
    must(resultfile_parse(&c, &back, -1, bytes, count, message, sizeof message));
    assert_int_equal(back->ranks[0].outcome, RANK_ERROR);
    assert_int_equal(back->ranks[0].steps_done, 4);
    assert_string_equal(back->ranks[0].message, "bad ? \"thing\"\n");
    assert_int_equal(back->ranks[1].outcome, RANK_UNSUPPORTED);
    assert_non_null(trace_out(back, 3, 0, 0)->data);
    assert_null(trace_out(back, 4, 0, 0)->data);
    assert_null(trace_out(back, 0, 0, 1)->data);
    assert_non_null(trace_p(back, 3, 0, 0)->data);
    assert_null(trace_p(back, 4, 0, 0)->data);
    free(bytes);
    trace_free(back);
    trace_free(t);
    case_free(&c);
}

/* A file that holds more than its status says was done. */
static void test_lying_status(void **unused)
{
    (void)unused;
    static const char said[] = "steps_done\\\":6";
    test_case c;
    void *bytes;
    size_t count, at = 0;
    build_case(&c, "W1/r1/f32/[8x9,5]");
    trace *t = full_trace(&c), *back = NULL;
    t->ranks[0].outcome = RANK_ERROR;
    must(resultfile_serialize(&c, t, 0, &bytes, &count, message, sizeof message));
    must(resultfile_parse(&c, &back, 0, bytes, count, message, sizeof message));
    trace_free(back);
    back = NULL;
    while (at + sizeof said < count && memcmp((char *)bytes + at, said, sizeof said - 1) != 0)
        at++;
    assert_true(at + sizeof said < count);
    ((char *)bytes)[at + sizeof said - 2] = '5';
    assert_false(resultfile_parse(&c, &back, 0, bytes, count, message, sizeof message));
    assert_non_null(strstr(message, "out/t5/b0/k0 is of a step that rank 0 did not finish"));
    free(bytes);
    trace_free(t);
    case_free(&c);
}

static void test_damaged_result(void **unused)
{
    (void)unused;
    test_case c, other;
    void *bytes;
    size_t count;
    build_case(&c, "W1/r1/s0/i1/f32/ef/rate1/[3x7,2]");
    build_case(&other, "W1/r1/s0/i1/f32/ef/rate1/[3x8,2]");
    trace *t = full_trace(&c), *back = NULL;
    must(resultfile_serialize(&c, t, 0, &bytes, &count, message, sizeof message));
    assert_false(resultfile_parse(&other, &back, 0, bytes, count, message, sizeof message));
    assert_non_null(strstr(message, "expected"));
    for (size_t cut = 0; cut < count; cut++)
        assert_false(resultfile_parse(&c, &back, 0, bytes, cut, message, sizeof message));
    for (size_t at = 0; at < count; at++)
        for (int bit = 0; bit < 8; bit++) {
            ((unsigned char *)bytes)[at] ^= (unsigned char)(1 << bit);
            (void)resultfile_parse(&c, &back, 0, bytes, count, message, sizeof message);
            trace_free(back);
            back = NULL;
            ((unsigned char *)bytes)[at] ^= (unsigned char)(1 << bit);
        }
    free(bytes);
    trace_free(t);
    case_free(&c);
    case_free(&other);
}

/* A golden file: case and results in one, an output that all ranks share without its k. */
static void test_golden(void **unused)
{
    (void)unused;
    test_case c, back;
    tensor_list list = {0};
    build_case(&c, "W2/r1/i4/f32/[8x9,5]");
    trace *t = full_trace(&c);
    char name[TENSOR_NAME_SIZE], *folder = make_folder(), *path = path_in(folder, "golden.safetensors");
    char *config = config_to_json(&c.config);
    for (int64_t step = 0; step < c.steps; step++) {
        for (int k = 0; k < 2; k++) {
            tensor_name_rank(name, "in", step, 0, k);
            tensor_list_add(&list, name, case_in(&c, step, 0, k), &c.numel[0], 1);
        }
        (void)snprintf(name, sizeof name, "out/t%d/b0", (int)step);
        tensor_list_add(&list, name, trace_out(t, step, 0, 0), &c.numel[0], 1);
    }
    const psgd_metadata metadata[] = {{"format", "psgd-case/1"},
                                      {"id", "golden"},
                                      {"problem", c.problem_text},
                                      {"claims", "core torch"},
                                      {"config", config},
                                      {"world", "2"},
                                      {"steps", "4"},
                                      {"dtype", "f32"},
                                      {"buckets", "[{\"index\": 0, \"is_last\": true, \"shapes\": [[8, 9], [5]]}]"},
                                      {"producer", "PyTorch powerSGD_hook"},
                                      {"version", "1.13.1"},
                                      {"made_by", "golden/generate.py 1"},
                                      {"status", "[{\"rank\":0,\"status\":\"ok\",\"message\":\"\",\"steps_done\":4},"
                                                 "{\"rank\":1,\"status\":\"ok\",\"steps_done\":4}]"},
                                      {"statistics",
                                       "[{\"step\":2,\"numel_before_compression\":77,\"numel_after_compression\":22,"
                                       "\"compression_rate\":3.5}]"}};
    const size_t keys = sizeof metadata / sizeof metadata[0];
    assert_int_equal(psgd_safetensors_write(path, list.tensors, list.count, metadata, keys, message, sizeof message),
                     PSGD_OK);
    must(casefile_read(&back, path, message, sizeof message));
    assert_non_null(back.expected);
    assert_int_equal(back.claims, PSGD_CLAIM_CORE | PSGD_CLAIM_TORCH);
    for (int k = 0; k < 2; k++)
        assert_true(values_equal_bits(trace_out(back.expected, 3, 0, k), trace_out(t, 3, 0, 0)));
    assert_int_equal(back.expected->statistics[2].value.numel_after_compression, 22);
    case_free(&back);
    assert_int_equal(
        psgd_safetensors_write(path, list.tensors, list.count - 1, metadata, keys, message, sizeof message), PSGD_OK);
    assert_false(casefile_read(&back, path, message, sizeof message));
    assert_non_null(strstr(message, "out/t3/b0/k0 is missing"));
    free(config);
    free(path);
    remove_folder(folder);
    tensor_list_free(&list);
    trace_free(t);
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_case_round_trip), cmocka_unit_test(test_damaged_case),
        cmocka_unit_test(test_contradictions),  cmocka_unit_test(test_result_round_trip),
        cmocka_unit_test(test_failed_run),      cmocka_unit_test(test_lying_status),
        cmocka_unit_test(test_damaged_result),  cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
