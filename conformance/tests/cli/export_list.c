/* Tests of cli/export_list.c: what is listed of a plan, and that a list that was written is read as it was. */
#include "unit.h"

#include "cli/export_list.h"
#include "harness/temp_folder.h"

static const export_entry *find(const export_list *l, const char *id)
{
    for (size_t i = 0; i < l->count; i++)
        if (strcmp(l->entries[i].id, id) == 0)
            return &l->entries[i];
    return NULL;
}

static void test_what_is_listed(void **state)
{
    (void)state;
    options o = {.fuzz = 2, .seed = 1, .errors = stderr};
    plan p;
    export_list all, few;
    assert_int_equal(plan_make(&p, &o, export_plan_claims(&o)), PLAN_OK);
    assert_true(export_list_make(&all, &o, &p));
    size_t cases = 0, seconds = 0, hidden = 0;
    for (size_t i = 0; i < p.count; i++) {
        const bool is_case = p.items[i].scenario == NULL, is_async = (p.items[i].claims & PSGD_CLAIM_ASYNC) != 0;
        cases += is_case && !is_async;
        seconds += is_case && !is_async && p.items[i].companion != COMPANION_NONE;
        hidden += is_case && is_async;
        assert_true((find(&all, p.items[i].id) != NULL) == (is_case && !is_async));
    }
    assert_true(hidden > 0 && seconds > 20);
    assert_int_equal(all.count, cases + seconds);
    const export_entry *first = find(&all, "torch-checkpoint"), *second = find(&all, "torch-checkpoint+again");
    assert_non_null(first);
    assert_non_null(second);
    assert_true(second->second && !first->second);
    assert_non_null(strstr(first->problem, "/ckpt=3"));
    assert_null(strstr(second->problem, "ckpt"));

    /* The random problems of a port that says nothing of itself can be run by every port. */
    assert_non_null(find(&all, "fuzz-1-1"));
    assert_int_equal(find(&all, "fuzz-1-1")->item->claims & ~CLAIMS_UNSTATED, 0);

    o.claims_given = true;
    o.claims = PSGD_CLAIM_CORE | PSGD_CLAIM_ASYNC;
    assert_true(export_list_make(&few, &o, &p));
    assert_in_range(few.count, 1, all.count - 1);
    for (size_t i = 0; i < few.count; i++)
        assert_int_equal(few.entries[i].item->claims, PSGD_CLAIM_CORE);
    export_list_free(&few);
    export_list_free(&all);
    plan_free(&p);
}

static void test_round_trip(void **state)
{
    (void)state;
    const char *globs[] = {"torch-r1-w1", "core-\"*\\"}, *problems[] = {"W2/r2/f32/[24x40]"};
    options o = {.claims_given = true,
                 .claims = PSGD_CLAIM_CORE | PSGD_CLAIM_TORCH,
                 .seed = INT64_MAX,
                 .fuzz = 7,
                 .quick = true,
                 .with_q0 = true,
                 .only = {globs, 2},
                 .cases = {problems, 1},
                 .errors = stderr};
    options chooses = {.only = {globs, 1}, .errors = stderr};
    plan p;
    export_list written, l;
    char message[400], *folder = temp_folder_make(message, sizeof message);
    assert_non_null(folder);
    assert_false(export_list_read(&l, folder, message, sizeof message));
    assert_non_null(strstr(message, "is one that psgd-conform export wrote"));
    export_list_free(&l);

    assert_int_equal(plan_make(&p, &chooses, UINT64_MAX), PLAN_OK);
    assert_true(export_list_make(&written, &chooses, &p));
    assert_true(written.count > 0);
    for (size_t i = 0; i < written.count; i++)
        memset(written.entries[i].sha256, 'a', 64);
    assert_true(export_list_write(&written, &o, folder, message, sizeof message));
    assert_true(export_list_read(&l, folder, message, sizeof message));
    assert_int_equal(l.count, written.count);
    for (size_t i = 0; i < l.count; i++) {
        assert_string_equal(l.entries[i].id, written.entries[i].id);
        assert_string_equal(l.entries[i].problem, written.entries[i].problem);
        assert_string_equal(l.entries[i].sha256, written.entries[i].sha256);
    }
    assert_true(l.chosen.claims_given && l.chosen.claims == o.claims && l.chosen.seed == o.seed);
    assert_true(l.chosen.fuzz == 7 && l.chosen.quick && l.chosen.with_q0);
    assert_int_equal(l.chosen.only.count, 2);
    assert_string_equal(l.chosen.only.words[1], globs[1]);
    assert_int_equal(l.chosen.cases.count, 1);
    assert_string_equal(l.chosen.cases.words[0], problems[0]);
    export_list_free(&l);
    export_list_free(&written);
    plan_free(&p);
    temp_folder_remove(folder);
    free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_is_listed), cmocka_unit_test(test_round_trip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
