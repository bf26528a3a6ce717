/* Tests of judge/verdict.c: what passes, what fails, what proves nothing, and which claims fail for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/limits.h"
#include "judge/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static check_place at_step(int64_t step)
{
    check_place place = CHECK_NOWHERE;
    place.step = step;
    return place;
}

static check_state state_of(double ratio, double limit, double power)
{
    verdict v = {0};
    check_place place = at_step(1);
    size_t i = verdict_open(&v, "PSGD-AGG-002", "case", "problem", "1b", limit);
    verdict_measure(&v, i, ratio, power, &place);
    check_state state = v.checks[i].state;
    verdict_free(&v);
    return state;
}

static void every_limit_has_an_inside_and_an_outside(void **state)
{
    (void)state;
    for (int row = 0; row < LIMIT_COUNT; row++) {
        double limit = limit_of((limit_row)row)->limit;
        assert_int_equal(state_of(limit, limit, 0), CHECK_PASS);
        assert_int_equal(state_of(limit * (1 - 1e-12), limit, 0), CHECK_PASS);
        assert_int_equal(state_of(nextafter(limit, INFINITY), limit, 0), CHECK_FAIL);
        assert_int_equal(state_of(NAN, limit, 0), CHECK_FAIL);
        assert_int_equal(state_of(INFINITY, limit, 0), CHECK_FAIL);
        assert_true(limit_of((limit_row)row)->measured <= limit);
        const limit_entry *entry = limit_of((limit_row)row);
        assert_true(entry->half_measured <= entry->half && entry->half <= limit); /* fewer roundings, none more */
        assert_true(limit_for((limit_row)row, PSGD_F32) == limit && limit_for((limit_row)row, PSGD_F64) == limit);
        assert_true(limit_for((limit_row)row, PSGD_F16) == entry->half);
        assert_true(limit_for((limit_row)row, PSGD_BF16) == entry->half);
    }
    assert_int_equal(state_of(1, NAN, 0), CHECK_FAIL);
}

static void power_decides_what_is_trusted(void **state)
{
    (void)state;
    assert_int_equal(state_of(1, 10, 0.1), CHECK_PASS);
    assert_int_equal(state_of(1, 10, 0.1000001), CHECK_UNTRUSTED);
    assert_int_equal(state_of(1, 10, NAN), CHECK_UNTRUSTED);
    assert_int_equal(state_of(1, 10, INFINITY), CHECK_UNTRUSTED);
    assert_int_equal(state_of(11, 10, 0.5), CHECK_FAIL); /* a failure needs no power */
}

static void first_failure_is_kept(void **state)
{
    (void)state;
    verdict v = {0};
    check_place one = at_step(1), two = at_step(2), three = at_step(3);
    size_t i = verdict_open(&v, "PSGD-AGG-002", "case", NULL, "1b", 10);
    assert_int_equal(v.checks[i].state, CHECK_UNOBSERVED);
    verdict_measure(&v, i, 3, 0.5, &one);
    verdict_measure(&v, i, 2, 0, &one); /* one trusted comparison is enough */
    assert_int_equal(v.checks[i].state, CHECK_PASS);
    assert_true(v.checks[i].ratio == 3);
    verdict_measure(&v, i, 11, 0, &two);
    verdict_measure(&v, i, 99, 0, &three);
    verdict_expect(&v, i, false, &three, "later");
    verdict_measure(&v, i, 1, 0, &three);
    assert_int_equal(v.checks[i].state, CHECK_FAIL);
    assert_true(v.checks[i].ratio == 11);
    assert_int_equal(v.checks[i].place.step, 2);
    assert_null(v.checks[i].message);
    assert_int_equal(v.checks[i].measured, 6);
    verdict_free(&v);
}

static void largest_ratio_is_of_its_own_limit(void **state)
{
    (void)state;
    verdict v = {0};
    check_place one = at_step(1), two = at_step(2);
    size_t i = verdict_open(&v, "PSGD-ITR-001", "case", NULL, "4", 4);
    verdict_measure_limit(&v, i, 3, 100, 0, &one);
    verdict_measure_limit(&v, i, 2, 4, 0, &two);
    assert_int_equal(v.checks[i].place.step, 2);
    verdict_measure_limit(&v, i, 101, 100, 0, &one);
    assert_int_equal(v.checks[i].state, CHECK_FAIL);
    assert_true(v.checks[i].limit == 100);
    verdict_free(&v);
}

static void expectation_says_what_failed(void **state)
{
    (void)state;
    verdict v = {0};
    check_place place = at_step(4);
    size_t i = verdict_open(&v, "PSGD-AGG-001", "case", "problem", "exact", 0);
    verdict_expect(&v, i, true, &place, "fine");
    assert_null(v.checks[i].message);
    assert_int_equal(v.checks[i].state, CHECK_PASS);
    verdict_expect(&v, i, false, &place, "rank %d differs", 3);
    assert_string_equal(v.checks[i].message, "rank 3 differs");
    assert_true(isinf(v.checks[i].ratio));
    size_t j = verdict_open(&v, "PSGD-AGG-001", "case", "problem", "exact", 0);
    verdict_set(&v, j, CHECK_SKIP, "W%d", 4);
    verdict_measure(&v, j, 99, 0, &place); /* a skipped check stays one */
    assert_int_equal(v.checks[j].state, CHECK_SKIP);
    assert_string_equal(v.checks[j].message, "W4");
    verdict_measure(&v, SIZE_MAX, 99, 0, &place); /* a check that could not be opened */
    verdict_counts counts = verdict_count(&v);
    assert_int_equal(counts.checks, 2);
    assert_int_equal(counts.by_state[CHECK_FAIL], 1);
    assert_int_equal(counts.by_state[CHECK_SKIP], 1);
    verdict_free(&v);
}

static void add(verdict *v, const char *id, check_state state)
{
    verdict_set(v, verdict_open(v, id, "case", NULL, "case", 0), state, "as the test says");
}

/* All MUSTs of these claims that have a check, passed. */
static void pass_all(verdict *v, uint64_t tested, const char *except)
{
    size_t count;
    const requirement *table = requirements(&count);
    for (size_t i = 0; i < count; i++) {
        bool wanted = (table[i].claims & ~tested) == 0 && table[i].has_check && table[i].level == LEVEL_MUST;
        if (wanted && (except == NULL || strcmp(table[i].id, except) != 0)) {
            add(v, table[i].id, CHECK_PASS);
        }
    }
}

static uint64_t failed_with(const char *id, check_state state, uint64_t tested, bool partial, char *text, size_t size)
{
    verdict v = {0};
    pass_all(&v, tested, id);
    if (state != CHECK_PASS || id == NULL) {
        add(&v, id == NULL ? "PSGD-AGG-002" : id, state);
    }
    uint64_t failed = verdict_failed_claims(&v, tested, partial, text, size);
    verdict_free(&v);
    return failed;
}

static void claims_fail_for_their_own_reasons(void **state)
{
    (void)state;
    const uint64_t core = PSGD_CLAIM_CORE, ef = PSGD_CLAIM_ERROR_FEEDBACK, torch = PSGD_CLAIM_TORCH,
                   usual = core | ef | PSGD_CLAIM_WARM_START;
    char text[1024];
    assert_int_equal(failed_with(NULL, CHECK_PASS, usual, false, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(failed_with("PSGD-EF-001", CHECK_FAIL, usual, false, text, sizeof text), ef);
    assert_string_equal(text, "ef: PSGD-EF-001 failed\n");
    assert_int_equal(failed_with("PSGD-EF-001", CHECK_NOT_RUN, usual, true, text, sizeof text), ef);
    assert_int_equal(failed_with("PSGD-EF-001", CHECK_UNTRUSTED, usual, false, text, sizeof text), ef);
    assert_int_equal(failed_with("PSGD-EF-001", CHECK_UNTRUSTED, usual, true, text, sizeof text), 0);
    assert_int_equal(failed_with("PSGD-EF-001", CHECK_PASS, usual, false, text, sizeof text), ef); /* no check at all */
    assert_int_equal(failed_with("PSGD-EF-001", CHECK_UNOBSERVED, usual, false, text, sizeof text), 0);
    assert_int_equal(failed_with("PSGD-EF-001", CHECK_SKIP, usual, false, text, sizeof text), 0);
    assert_int_equal(failed_with("PSGD-ORT-006", CHECK_FAIL, usual, false, text, sizeof text), 0); /* SHOULD */
    assert_int_equal(failed_with("PSGD-ROB-002", CHECK_PASS, usual, false, text, sizeof text), 0); /* C ABI only */
    assert_int_equal(failed_with("PSGD-EF-002", CHECK_UNOBSERVED, usual | torch, false, text, sizeof text), ef | torch);
    assert_int_equal(failed_with("PSGD-EF-002", CHECK_FAIL, usual, false, text, sizeof text), 0); /* torch not tested */
    char small[12];
    assert_int_equal(failed_with("PSGD-EF-001", CHECK_FAIL, usual, false, small, sizeof small), ef);
    assert_int_equal(strlen(small), sizeof small - 1);
}

static void claim_without_any_pass_fails(void **state)
{
    (void)state;
    verdict v = {0};
    char text[256];
    pass_all(&v, PSGD_CLAIM_CORE, NULL);
    size_t count;
    const requirement *table = requirements(&count);
    for (size_t i = 0; i < count; i++) {
        if (table[i].claims == PSGD_CLAIM_MULTIRANK) {
            add(&v, table[i].id, CHECK_SKIP);
        }
    }
    uint64_t tested = PSGD_CLAIM_CORE | PSGD_CLAIM_MULTIRANK;
    assert_int_equal(verdict_failed_claims(&v, tested, false, text, sizeof text), PSGD_CLAIM_MULTIRANK);
    assert_non_null(strstr(text, "no case"));
    assert_int_equal(verdict_failed_claims(&v, tested, true, text, sizeof text), 0);
    verdict_free(&v);
}

static void add_of_type(verdict *v, const char *id, const char *type, check_state state)
{
    char text[64];
    snprintf(text, sizeof text, "W1/r1/s2/i4/%s/-/rate2/eps0/[3x4]", type);
    const size_t index = verdict_open(v, id, "case", text, "case", 0);
    if (state == CHECK_SKIP) {
        verdict_skip(v, index, SKIP_UNSUPPORTED, "not today");
    } else {
        verdict_set(v, index, state, "as the test says");
    }
}

/* core passes; PSGD-EF-001 has these two checks. */
static uint64_t failed_types(const char *type, check_state state, const char *other, check_state other_state,
                             bool partial, char *text, size_t size)
{
    const uint64_t tested = PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_F16 | PSGD_CLAIM_F64;
    verdict v = {0};
    pass_all(&v, tested, "PSGD-EF-001");
    add_of_type(&v, "PSGD-EF-001", type, state);
    add_of_type(&v, "PSGD-EF-001", other, other_state);
    const uint64_t failed = verdict_failed_claims(&v, tested, partial, text, size);
    verdict_free(&v);
    return failed;
}

static void a_type_fails_by_what_only_it_shows(void **state)
{
    (void)state;
    const uint64_t ef = PSGD_CLAIM_ERROR_FEEDBACK, f16 = PSGD_CLAIM_F16, f64 = PSGD_CLAIM_F64;
    char text[512];
#define FAILED(...) failed_types(__VA_ARGS__, text, sizeof text)
    assert_int_equal(FAILED("f16", CHECK_FAIL, "f32", CHECK_PASS, false), ef | f16);
    assert_string_equal(text, "ef: PSGD-EF-001 failed\nf16: PSGD-EF-001 failed, and only in claimed types\n");
    assert_int_equal(FAILED("f16", CHECK_FAIL, "f32", CHECK_FAIL, false), ef);
    assert_int_equal(FAILED("f16", CHECK_FAIL, "f64", CHECK_FAIL, true), ef | f16 | f64);
    assert_int_equal(FAILED("f16", CHECK_FAIL, "f64", CHECK_PASS, true), ef | f16);
    assert_int_equal(FAILED("bf16", CHECK_FAIL, "f32", CHECK_PASS, false), ef); /* a type that is not tested */
    assert_int_equal(FAILED("f16", CHECK_WAIVED, "f32", CHECK_PASS, false), 0);

    /* Unsupported throughout a type, while it works in another. */
    assert_int_equal(FAILED("f16", CHECK_SKIP, "f32", CHECK_PASS, false), f16);
    assert_string_equal(text, "f16: PSGD-EF-001 is supported in no case of this type (the first of such)\n");
    assert_int_equal(FAILED("f16", CHECK_SKIP, "f32", CHECK_PASS, true), 0);
    assert_int_equal(FAILED("f16", CHECK_SKIP, "f16", CHECK_PASS, false), 0);
    assert_int_equal(FAILED("f16", CHECK_SKIP, "f16", CHECK_WAIVED, false), 0);
    assert_int_equal(FAILED("f16", CHECK_SKIP, "f32", CHECK_SKIP, false), 0); /* listed, as everywhere */
    assert_int_equal(FAILED("f16", CHECK_SKIP, "f64", CHECK_PASS, false), f16);
    assert_int_equal(FAILED("f16", CHECK_UNTRUSTED, "f32", CHECK_PASS, false), 0);
    assert_int_equal(FAILED("f16", CHECK_UNOBSERVED, "f32", CHECK_PASS, false), 0);
#undef FAILED
}

static void a_waived_failure_is_none(void **state)
{
    (void)state;
    const uint64_t ef = PSGD_CLAIM_ERROR_FEEDBACK, tested = PSGD_CLAIM_CORE | ef;
    char text[512];
    assert_int_equal(failed_with("PSGD-EF-001", CHECK_WAIVED, tested, false, text, sizeof text), 0);
    assert_string_equal(text, "");
    /* But a claim of which nothing passed has shown nothing. */
    verdict v = {0};
    pass_all(&v, PSGD_CLAIM_CORE, NULL);
    size_t count;
    const requirement *table = requirements(&count);
    for (size_t i = 0; i < count; i++) {
        if ((table[i].claims & ef) != 0) {
            add(&v, table[i].id, CHECK_WAIVED);
        }
    }
    assert_int_equal(verdict_failed_claims(&v, tested, false, text, sizeof text), ef);
    assert_non_null(strstr(text, "no case"));
    verdict_free(&v);
}

/* Files that are whole show nothing of what is in them; a run without files needs no check of them. */
static void files_show_no_claim(void **state)
{
    (void)state;
    const uint64_t core = PSGD_CLAIM_CORE;
    char text[4096];
    verdict v = {0};
    assert_true(requirement_find("PSGD-FIL-001")->files_only);
    add(&v, "PSGD-FIL-001", CHECK_PASS);
    assert_int_equal(verdict_shown_claims(&v), 0);
    verdict_free(&v);
    assert_int_equal(failed_with("PSGD-FIL-001", CHECK_FAIL, core, false, text, sizeof text), core);
    assert_non_null(strstr(text, "PSGD-FIL-001 failed"));
    v = (verdict){0};
    add(&v, "PSGD-AGG-002", CHECK_PASS);
    assert_int_equal(verdict_failed_claims(&v, core, false, text, sizeof text), core); /* for other reasons */
    assert_null(strstr(text, "PSGD-FIL"));
    assert_int_equal(verdict_shown_claims(&v), core);
    verdict_free(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_show_no_claim),
                                       cmocka_unit_test(every_limit_has_an_inside_and_an_outside),
                                       cmocka_unit_test(power_decides_what_is_trusted),
                                       cmocka_unit_test(first_failure_is_kept),
                                       cmocka_unit_test(largest_ratio_is_of_its_own_limit),
                                       cmocka_unit_test(expectation_says_what_failed),
                                       cmocka_unit_test(claims_fail_for_their_own_reasons),
                                       cmocka_unit_test(claim_without_any_pass_fails),
                                       cmocka_unit_test(a_type_fails_by_what_only_it_shows),
                                       cmocka_unit_test(a_waived_failure_is_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
