/* Tests of judge/judging.c: matrices held against each other. A ratio just inside and just outside of each limit, NaN,
 * Inf, nothing to expect, the place of the largest deviation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_trace.h"

#include "judge/judging.h"

#include <math.h>
#include <string.h>

typedef struct fixture {
    test_case c;
    verdict v;
    judging j;
} fixture;

static void set_up(fixture *f)
{
    memset(f, 0, sizeof *f);
    made_case(&f->c, "W2/r2/f32/[24x40]", "");
    f->j = (judging){.v = &f->v, .c = &f->c, .claims = PSGD_CLAIM_CORE};
}

static void take_down(fixture *f)
{
    verdict_free(&f->v);
    case_free(&f->c);
}

static check_state compare(const double *got, const double *expected, size_t n, size_t m, double unit, limit_row row,
                           check_place *place)
{
    fixture f;
    set_up(&f);
    probe p = probe_for("PSGD-AGG-002", row);
    check_place nowhere = CHECK_NOWHERE;
    bool ok = probe_compare(&f.j, &p, got, expected, n, m, unit, &nowhere);
    check_state state = f.v.checks[0].state;
    assert_int_equal(ok, state != CHECK_FAIL);
    if (place != NULL) {
        *place = f.v.checks[0].place;
    }
    take_down(&f);
    return state;
}

static void every_limit_is_where_it_says(void **state)
{
    (void)state;
    for (int row = 0; row < LIMIT_COUNT; row++) {
        double limit = limit_of((limit_row)row)->limit;
        if (limit == 0) {
            continue;
        }
        const double expected[4] = {3, 0, 0, 4}; /* norm 5 */
        double inside[4] = {3, 0, 0, 4}, outside[4] = {3, 0, 0, 4};
        double unit = 1e-3;
        inside[1] = limit * unit * (1 - 1e-9);
        outside[1] = limit * unit * (1 + 1e-9);
        assert_int_equal(compare(inside, expected, 2, 2, unit, (limit_row)row, NULL), CHECK_PASS);
        assert_int_equal(compare(outside, expected, 2, 2, unit, (limit_row)row, NULL), CHECK_FAIL);
    }
}

static void deviations_add_up_as_a_norm(void **state)
{
    (void)state;
    const double expected[4] = {1, 1, 1, 1};
    double got[4] = {1 + 3e-3, 1, 1 + 4e-3, 1}; /* 5e-3 */
    check_place place = CHECK_NOWHERE;
    double ratio = difference_ratio(got, expected, 2, 2, 1e-3, &place);
    assert_true(fabs(ratio - 5) < 1e-9);
    assert_int_equal(place.row, 1);
    assert_int_equal(place.column, 0);
    assert_true(place.got == got[2] && place.expected == 1);
    const double huge[2] = {1e300, -1e300}, more[2] = {2e300, -2e300}; /* squares would overflow */
    assert_true(fabs(difference_ratio(more, huge, 1, 2, 1e300, &place) - sqrt(2)) < 1e-12);
}

static void what_is_no_number_fails(void **state)
{
    (void)state;
    const double expected[2] = {1, 2}, zero[2] = {0, 0};
    const double nan_got[2] = {1, NAN}, inf_got[2] = {INFINITY, 2}, nan_expected[2] = {NAN, 2};
    check_place place;
    assert_int_equal(compare(nan_got, expected, 1, 2, 1, LIMIT_ONE_STEP, &place), CHECK_FAIL);
    assert_int_equal(place.column, 1);
    assert_int_equal(compare(inf_got, expected, 1, 2, 1, LIMIT_ONE_STEP, NULL), CHECK_FAIL);
    assert_int_equal(compare(expected, nan_expected, 1, 2, 1, LIMIT_ONE_STEP, NULL), CHECK_FAIL);
    assert_int_equal(compare(nan_got, nan_expected, 1, 2, 1, LIMIT_ONE_STEP, NULL), CHECK_FAIL);
    assert_int_equal(compare(expected, zero, 1, 2, 0, LIMIT_ONE_STEP, NULL), CHECK_FAIL); /* unit 0: must be equal */
    assert_int_equal(compare(expected, zero, 1, 2, NAN, LIMIT_ONE_STEP, NULL), CHECK_FAIL);
}

static void power_is_a_part_of_the_expected_norm(void **state)
{
    (void)state;
    const double expected[1] = {100}, zero[1] = {0};
    /* row 6's limit is 10: with unit 1 it is 0.1 of 100 */
    assert_int_equal(compare(expected, expected, 1, 1, 1, LIMIT_ONE_STEP, NULL), CHECK_PASS);
    assert_int_equal(compare(expected, expected, 1, 1, 1.0001, LIMIT_ONE_STEP, NULL), CHECK_UNTRUSTED);
    assert_int_equal(compare(zero, zero, 1, 1, 1, LIMIT_ONE_STEP, NULL), CHECK_UNTRUSTED);
    assert_int_equal(compare(zero, zero, 1, 1, 0, LIMIT_ONE_STEP, NULL), CHECK_UNTRUSTED);
    assert_int_equal(compare(zero, expected, 1, 1, 1, LIMIT_ONE_STEP, NULL), CHECK_FAIL); /* zeros never pass */
}

static void probes_open_once_and_only_if_tested(void **state)
{
    (void)state;
    fixture f;
    set_up(&f);
    check_place place = CHECK_NOWHERE;
    probe core = probe_for("PSGD-AGG-002", LIMIT_ONE_STEP), ef = probe_for("PSGD-EF-001", LIMIT_CONSERVATION);
    probe hidden = probe_for("PSGD-AGG-003", LIMIT_MEAN);
    assert_true(probe_measure(&f.j, &core, 1, 0, &place));
    assert_false(probe_measure(&f.j, &core, 11, 0, &place));
    assert_false(probe_measure(&f.j, &ef, NAN, 0, &place)); /* not tested, but others must know */
    assert_int_equal(f.v.count, 1);
    probe_unobserved(&f.j, &hidden, "not shown");
    assert_int_equal(f.v.checks[1].state, CHECK_UNOBSERVED);
    assert_string_equal(f.v.checks[1].message, "not shown");
    assert_true(probe_measure_limit(&f.j, &hidden, 5, 5, 0, &place));
    assert_int_equal(f.v.checks[1].state, CHECK_PASS); /* what is shown later counts */
    take_down(&f);
}

static void mean_grows_with_the_world(void **state)
{
    (void)state;
    assert_true(limit_mean(1, PSGD_F32) == 4 && limit_mean(4, PSGD_F64) == 4 && limit_mean(5, PSGD_F32) == 5);
    assert_true(limit_mean(1, PSGD_F16) == 2 && limit_mean(4, PSGD_BF16) == 2 && limit_mean(6, PSGD_F16) == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_limit_is_where_it_says),
                                       cmocka_unit_test(deviations_add_up_as_a_norm),
                                       cmocka_unit_test(what_is_no_number_fails),
                                       cmocka_unit_test(power_is_a_part_of_the_expected_norm),
                                       cmocka_unit_test(probes_open_once_and_only_if_tested),
                                       cmocka_unit_test(mean_grows_with_the_world)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
