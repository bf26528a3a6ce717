/* Tests of report/json.c: it parses, has every key, and no number in it is NaN. */
#include "tests/cli/unit.h"

#include "report/report.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

static const check_place NOWHERE = CHECK_NOWHERE;

static json_t *written(const run_report *r)
{
    json_error_t error;
    char *text = report_json(r);
    assert_non_null(text);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    assert_non_null(root);
    free(text);
    return root;
}

static void expect_keys(const json_t *object, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (json_object_get(object, keys[i]) == NULL)
            print_error("key '%s' is missing\n", keys[i]);
        assert_non_null(json_object_get(object, keys[i]));
    }
    assert_int_equal(json_object_size(object), count);
}
#define EXPECT_KEYS(object, ...)                                                                                       \
    expect_keys(object, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static run_report a_report(const verdict *v)
{
    run_report r = {.implementation = "./port \033.so",
                    .port = {.name = "p\xff", .version = "1", .claims = PSGD_CLAIM_CORE | PSGD_CLAIM_F64},
                    .vectors_version = 1,
                    .vectors_sha256 = "00",
                    .tested = PSGD_CLAIM_CORE,
                    .failed = PSGD_CLAIM_CORE,
                    .out_of_reach = PSGD_CLAIM_SUBGROUP,
                    .seed = 3,
                    .timeout = 60,
                    .ranks = 4,
                    .mpi = true,
                    .golden_run = 2,
                    .seconds = 1.5,
                    .exit_code = 1,
                    .verdict = v};
    return r;
}

static void test_every_key(void **state)
{
    (void)state;
    verdict v = {0};
    verdict_measure(&v, verdict_open(&v, "PSGD-AGG-002", "case", "W1/r1/f32/[9x9]", "1b", 4), 2, 0, &NOWHERE);
    const run_report r = a_report(&v);
    json_t *root = written(&r);
    EXPECT_KEYS(root, "format", "kit", "port", "way", "command", "options", "tested", "out_of_reach", "failed",
                "reasons", "stopped", "seconds", "exit_code", "counts", "rows", "rows_by_type", "trusted",
                "musts_without_check", "waivers", "environment", "checks");
    EXPECT_KEYS(json_object_get(root, "kit"), "version", "suite", "vectors", "vectors_sha256");
    EXPECT_KEYS(json_object_get(root, "port"), "implementation", "name", "version", "claims");
    EXPECT_KEYS(json_object_get(root, "options"), "seed", "fuzz", "timeout", "quick", "partial", "only", "cases");
    EXPECT_KEYS(json_object_get(root, "counts"), "pass", "fail", "skip", "unobserved", "untrusted", "not run", "waived",
                "checks", "cases", "cases that compressed", "golden cases", "scenarios");
    EXPECT_KEYS(json_object_get(root, "environment"), "processor", "processors", "system", "variables", "blas",
                "mpi_library", "mpi", "ranks", "ranks_as");
    EXPECT_KEYS(json_object_get(json_object_get(root, "rows"), "1b"), "ratio", "limit", "case", "checks");
    EXPECT_KEYS(json_object_get(root, "rows_by_type"), "f32", "f64", "f16", "bf16");
    EXPECT_KEYS(json_object_get(json_object_get(root, "rows_by_type"), "f32"), "1b");
    EXPECT_KEYS(json_object_get(json_object_get(root, "trusted"), "PSGD-AGG-002"), "f32", "f64", "f16", "bf16");
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(json_object_get(root, "trusted"), "PSGD-AGG-002"), "f32")),
        1);
    const json_t *first = json_array_get(json_object_get(root, "checks"), 0);
    EXPECT_KEYS(first, "requirement", "level", "case", "problem", "type", "row", "state", "skipped", "ratio", "limit",
                "measured", "place", "message", "waiver");
    EXPECT_KEYS(json_object_get(first, "place"), "step", "rank", "bucket", "tensor", "stage", "row", "column", "got",
                "expected");

    assert_string_equal(json_string_value(json_object_get(root, "format")), "psgd-report/1");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "counts"), "golden cases")), 2);
    const json_t *port = json_object_get(root, "port");
    assert_string_equal(json_string_value(json_object_get(port, "implementation")), "./port ?.so");
    assert_string_equal(json_string_value(json_object_get(port, "name")), "p?");
    assert_string_equal(json_string_value(json_array_get(json_object_get(port, "claims"), 1)), "f64");
    json_decref(root);
    verdict_free(&v);
}

static void test_not_finite_is_null(void **state)
{
    (void)state;
    verdict v = {0};
    check_place place = NOWHERE;
    place.got = INFINITY;
    place.expected = 1;
    verdict_measure(&v, verdict_open(&v, "PSGD-AGG-002", "case", "problem", "1b", 4), NAN, 0, &place);
    const run_report r = a_report(&v);
    json_t *root = written(&r);
    const json_t *first = json_array_get(json_object_get(root, "checks"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "state")), "fail");
    assert_true(json_is_null(json_object_get(first, "ratio")));
    assert_true(json_is_null(json_object_get(json_object_get(first, "place"), "got")));
    assert_true(json_real_value(json_object_get(json_object_get(first, "place"), "expected")) == 1);
    assert_true(json_is_null(json_object_get(json_object_get(json_object_get(root, "rows"), "1b"), "ratio")));
    json_decref(root);
    verdict_free(&v);
}

static void test_long_problems_are_whole(void **state)
{
    (void)state;
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    verdict v = {0};
    verdict_measure(&v, verdict_open(&v, "PSGD-AGG-002", "case", text, "1b", 4), 1, 0, &NOWHERE);
    const run_report r = a_report(&v);
    json_t *root = written(&r);
    const json_t *first = json_array_get(json_object_get(root, "checks"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "problem")), text);
    json_decref(root);
    verdict_free(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_key), cmocka_unit_test(test_not_finite_is_null),
                                       cmocka_unit_test(test_long_problems_are_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
