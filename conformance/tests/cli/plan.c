/* Tests of cli/plan.c: what is chosen, in which order, and which mistakes are said. */
#include "unit.h"

#include "cli/plan.h"

#define ALL_CLAIMS (~UINT64_C(0))

static plan_result make(plan *p, options *o, const char *complaint)
{
    caught *c = catch_open();
    o->errors = c->stream;
    const plan_result result = plan_make(p, o, ALL_CLAIMS);
    catch_expect(c, complaint);
    o->errors = NULL;
    return result;
}

static const plan_item *find(const plan *p, const char *id)
{
    for (size_t i = 0; i < p->count; i++)
        if (strcmp(p->items[i].id, id) == 0)
            return &p->items[i];
    return NULL;
}

static void test_everything(void **state)
{
    (void)state;
    const size_t cases = suite_count();
    size_t played;
    scenarios(&played);
    plan p;
    options o = {.fuzz = 4, .seed = 9};
    assert_int_equal(make(&p, &o, ""), PLAN_OK);
    assert_int_equal(p.count, cases + played + 4);
    assert_false(p.partial);
    assert_non_null(find(&p, "fuzz-9-3"));
    for (size_t i = 0; i < p.count; i++) {
        assert_true(plan_keeps(&p, &p.items[i], "PSGD-EF-001"));
        assert_true(plan_item_ranks(&p.items[i]) >= 1);
    }
    plan_free(&p);
    o.quick = true;
    assert_int_equal(make(&p, &o, ""), PLAN_OK);
    assert_in_range(p.count, 20, cases + played);
    plan_free(&p);
}

static void test_only_names_a_case(void **state)
{
    (void)state;
    const char *globs[] = {"torch-long-?4"};
    options o = {.only = {globs, 1}, .fuzz = 2, .quick = true}; /* a name is run whatever the tier */
    plan p;
    assert_int_equal(make(&p, &o, ""), PLAN_OK);
    assert_int_equal(p.count, 1);
    assert_true(p.partial && p.items[0].golden && p.items[0].chosen_by_name);
    assert_true(plan_keeps(&p, &p.items[0], "PSGD-AGG-001"));
    plan_free(&p);
}

static void test_only_names_a_requirement(void **state)
{
    (void)state;
    const char *globs[] = {"PSGD-EF-*"};
    options o = {.only = {globs, 1}, .fuzz = 2};
    plan p;
    assert_int_equal(make(&p, &o, ""), PLAN_OK);
    assert_null(find(&p, "fuzz-0-0"));
    const plan_item *item = find(&p, "torch-long-w4");
    assert_non_null(item);
    assert_false(item->chosen_by_name);
    assert_true(plan_keeps(&p, item, "PSGD-EF-001"));
    assert_false(plan_keeps(&p, item, "PSGD-AGG-001"));
    for (size_t i = 0; i < p.count; i++)
        if (p.items[i].scenario != NULL)
            assert_int_equal(strncmp(p.items[i].scenario->requirement, "PSGD-EF-", 8), 0);
    plan_free(&p);
}

static void test_only_matches_nothing(void **state)
{
    (void)state;
    const char *globs[] = {"PSGD-EF-001", "torch-lnog-w4"};
    options o = {.only = {globs, 2}};
    plan p;
    assert_int_equal(
        make(&p, &o, "'torch-lnog-w4' matches no requirement, case or scenario; did you mean 'torch-long-w4'?"),
        PLAN_USAGE);
    plan_free(&p);
}

static void test_problems_by_name(void **state)
{
    (void)state;
    const char *texts[] = {"W2/r2/f32/[24x40]", "W3/r2/f64/[9x9]/ckpt=2"};
    options o = {.cases = {texts, 2}};
    plan p;
    assert_int_equal(make(&p, &o, ""), PLAN_OK);
    assert_int_equal(p.count, 2);
    assert_true(p.partial);
    assert_string_equal(p.items[1].id, "case-2");
    assert_int_equal(p.items[1].companion, COMPANION_UNINTERRUPTED);
    assert_int_equal(plan_item_ranks(&p.items[1]), 3);
    plan_free(&p);
}

static void test_a_bad_problem_has_a_caret(void **state)
{
    (void)state;
    const char *texts[] = {"W2/r2/f32/[24x40]", "W3/r2/f32/[24x40]/grd=gauss"};
    options o = {.cases = {texts, 2}};
    plan p;
    assert_int_equal(make(&p, &o, "\n  W3/r2/f32/[24x40]/grd=gauss\n                    ^ at 18\n"), PLAN_USAGE);
    plan_free(&p);
    const char *not_allowed[] = {"W2/r2/s1/f32/[24x40]"};
    o.cases = (word_list){not_allowed, 1};
    assert_int_equal(make(&p, &o, "start s1 must be above 1"), PLAN_USAGE);
    plan_free(&p);
}

static void test_out_of_reach(void **state)
{
    (void)state;
    const char *texts[] = {"W2of4/group=1,3/r2/f32/[24x40]", "W2/r2/f32/[24x40]", "W1/r2/f64/[24x40]"};
    options o = {.cases = {texts, 3}};
    plan p;
    assert_int_equal(make(&p, &o, ""), PLAN_OK);
    assert_true(plan_out_of_reach(&p, ALL_CLAIMS, 4) == 0);
    assert_true(plan_out_of_reach(&p, ALL_CLAIMS, 3) == PSGD_CLAIM_SUBGROUP);
    assert_true(plan_out_of_reach(&p, ALL_CLAIMS, 1) == (PSGD_CLAIM_SUBGROUP | PSGD_CLAIM_MULTIRANK));
    assert_true(plan_out_of_reach(&p, PSGD_CLAIM_CORE, 1) == 0);
    plan_free(&p);
}

static void test_claims_without_a_case(void **state)
{
    (void)state;
    const char *texts[] = {"W2/r2/f32/[24x40]", "W2/r2/f64/[24x40]"};
    options o = {.cases = {texts, 2}};
    plan p;
    assert_int_equal(make(&p, &o, ""), PLAN_OK);
    const uint64_t types = PSGD_CLAIM_F64 | PSGD_CLAIM_F16;
    assert_true((plan_without_case(&p, ALL_CLAIMS, 2) & types) == PSGD_CLAIM_F16);
    assert_true((plan_without_case(&p, ALL_CLAIMS, 1) & types) == types);
    assert_true((plan_without_case(&p, ALL_CLAIMS, 2) & PSGD_CLAIM_DETERMINISM) == 0); /* shown by requirements */
    plan_free(&p);
}

static void test_has_word(void **state)
{
    (void)state;
    assert_true(has_word("ab abc b", "ab"));
    assert_true(has_word("ab abc b", "abc"));
    assert_true(has_word("ab abc b", "b"));
    assert_false(has_word("ab abc b", "bc"));
    assert_false(has_word("ab abc b", "a"));
    assert_false(has_word("ab abc b", ""));
    assert_false(has_word("", "a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything),
        cmocka_unit_test(test_only_names_a_case),
        cmocka_unit_test(test_only_names_a_requirement),
        cmocka_unit_test(test_only_matches_nothing),
        cmocka_unit_test(test_problems_by_name),
        cmocka_unit_test(test_a_bad_problem_has_a_caret),
        cmocka_unit_test(test_out_of_reach),
        cmocka_unit_test(test_claims_without_a_case),
        cmocka_unit_test(test_has_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
