/* Tests of cli/suggest.c. */
#include "unit.h"

#include "cli/suggest.h"

static void test_edit_distance(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        size_t distance;
    } known[] = {{"", "", 0},         {"", "abc", 3},  {"abc", "abc", 0},         {"kitten", "sitting", 3},
                 {"flaw", "lawn", 2}, {"ab", "ba", 2}, {"PSGD-EF", "psgd-ef", 0}, {"run", "runs", 1}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(edit_distance(known[i].a, known[i].b), known[i].distance);
        assert_int_equal(edit_distance(known[i].b, known[i].a), known[i].distance);
    }
    char longest[63], longer[64];
    memset(longest, 'a', sizeof longest);
    longest[62] = '\0';
    memset(longer, 'a', sizeof longer);
    longer[63] = '\0';
    assert_int_equal(edit_distance(longest, longest), 0);
    assert_int_equal(edit_distance(longer, longer), 63);
    assert_int_equal(edit_distance("a", longer), 63);
}

static void test_the_nearest_is_kept(void **state)
{
    (void)state;
    const char *best = NULL;
    suggest(&best, "quik", "quite");
    assert_string_equal(best, "quite");
    suggest(&best, "quik", "quick");
    assert_string_equal(best, "quick");
    suggest(&best, "quik", "quits");
    assert_string_equal(best, "quick");
}

static void test_the_far_is_not_offered(void **state)
{
    (void)state;
    const char *best = NULL;
    suggest(&best, "zzzz", "list");
    assert_null(best);
    suggest(&best, "", "list");
    assert_null(best);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edit_distance), cmocka_unit_test(test_the_nearest_is_kept),
                                       cmocka_unit_test(test_the_far_is_not_offered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
