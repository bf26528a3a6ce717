/* Tests of cli/exit_code.c: which code wins. */
#include "unit.h"

#include "cli/exit_code.h"

/* A run of one check in this state, which executed a case that compressed. */
static int code_with_check(const char *id, check_state state, void (*change)(run_report *r, verdict *v))
{
    verdict v = {0};
    verdict_set(&v, verdict_open(&v, id, "case", "problem", "1b", 1), state, "%s", "");
    run_report r = {.verdict = &v, .cases_run = 1, .cases_compressed = 1};
    if (change != NULL)
        change(&r, &v);
    const int code = (int)exit_code_of(&r);
    verdict_free(&v);
    return code;
}

static int code_with(check_state state, void (*change)(run_report *r, verdict *v))
{
    return code_with_check("PSGD-AGG-002", state, change);
}

static void a_must_passed(run_report *r, verdict *v)
{
    (void)r;
    verdict_set(v, verdict_open(v, "PSGD-AGG-002", "case", "problem", "1b", 1), CHECK_PASS, "%s", "");
}

static void test_a_should_fails_nothing(void **state)
{
    (void)state;
    assert_int_equal(code_with_check("PSGD-ORT-006", CHECK_FAIL, a_must_passed), EXIT_CONFORMING);
    assert_int_equal(code_with_check("PSGD-ORT-006", CHECK_NOT_RUN, a_must_passed), EXIT_NOT_CONFORMING);
}

static void claim_failed(run_report *r, verdict *v)
{
    (void)v;
    r->failed = PSGD_CLAIM_CORE;
}

static void no_memory(run_report *r, verdict *v)
{
    r->failed = PSGD_CLAIM_CORE;
    v->out_of_memory = true;
}

static void nothing_compressed(run_report *r, verdict *v)
{
    (void)v;
    r->cases_compressed = 0;
}

static void nothing_compressed_and_claim_failed(run_report *r, verdict *v)
{
    nothing_compressed(r, v);
    claim_failed(r, v);
}

static void scenarios_alone(run_report *r, verdict *v)
{
    (void)v;
    r->cases_run = r->cases_compressed = 0;
    r->scenarios_run = 1;
}

static void scenarios_chosen(run_report *r, verdict *v)
{
    scenarios_alone(r, v);
    r->partial = true;
}

static void test_precedence(void **state)
{
    (void)state;
    assert_int_equal(code_with(CHECK_PASS, NULL), EXIT_CONFORMING);
    assert_int_equal(code_with(CHECK_FAIL, NULL), EXIT_NOT_CONFORMING);
    assert_int_equal(code_with(CHECK_NOT_RUN, NULL), EXIT_NOT_CONFORMING);
    assert_int_equal(code_with(CHECK_SKIP, NULL), EXIT_NOTHING_TESTED);
    assert_int_equal(code_with(CHECK_UNTRUSTED, NULL), EXIT_NOTHING_TESTED);
    assert_int_equal(code_with(CHECK_UNOBSERVED, NULL), EXIT_NOTHING_TESTED);

    assert_int_equal(code_with(CHECK_PASS, claim_failed), EXIT_NOT_CONFORMING);
    assert_int_equal(code_with(CHECK_FAIL, no_memory), EXIT_KIT_FAILED);
    assert_int_equal(code_with(CHECK_PASS, nothing_compressed), EXIT_NOTHING_TESTED);
    assert_int_equal(code_with(CHECK_FAIL, nothing_compressed), EXIT_NOT_CONFORMING);
    assert_int_equal(code_with(CHECK_SKIP, nothing_compressed_and_claim_failed), EXIT_NOTHING_TESTED);
    assert_int_equal(code_with(CHECK_PASS, scenarios_alone), EXIT_NOTHING_TESTED);
    assert_int_equal(code_with(CHECK_PASS, scenarios_chosen), EXIT_CONFORMING);
}

static const report_waiver needless = {.state = WAIVER_NEEDLESS};
static const report_waiver used = {.state = WAIVER_USED};

static void stale_waiver(run_report *r, verdict *v)
{
    a_must_passed(r, v);
    r->waivers = &needless;
    r->waiver_count = 1;
}

static void useful_waiver(run_report *r, verdict *v)
{
    a_must_passed(r, v);
    r->waivers = &used;
    r->waiver_count = 1;
}

static void test_waivers(void **state)
{
    (void)state;
    assert_int_equal(code_with(CHECK_WAIVED, a_must_passed), EXIT_CONFORMING);
    assert_int_equal(code_with(CHECK_WAIVED, NULL), EXIT_NOTHING_TESTED);
    assert_int_equal(code_with(CHECK_WAIVED, useful_waiver), EXIT_CONFORMING);
    assert_int_equal(code_with(CHECK_PASS, stale_waiver), EXIT_NOT_CONFORMING);
    assert_int_equal(code_with(CHECK_SKIP, stale_waiver), EXIT_NOT_CONFORMING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_precedence), cmocka_unit_test(test_waivers),
                                       cmocka_unit_test(test_a_should_fails_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
