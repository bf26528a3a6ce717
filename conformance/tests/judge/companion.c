/* Tests of judge/companion.c: pairs of runs that must agree, and pairs with one difference. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_trace.h"

#include "judge/judge.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define USUAL                                                                                                          \
    (PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_WARM_START | PSGD_CLAIM_MULTIRANK |                      \
     PSGD_CLAIM_CHECKPOINT | PSGD_CLAIM_F64)
#define EXACT (USUAL | PSGD_CLAIM_DETERMINISM)

typedef struct pair_case {
    companion kind;
    const char *a, *b;
    made_fault fault_b;
    uint64_t claims;
    const char *requirement;
    check_state state;
} pair_case;

static check_state worst(const verdict *v, const char *id)
{
    check_state state = CHECK_UNOBSERVED;
    for (size_t i = 0; i < v->count; i++) {
        if (strcmp(v->checks[i].requirement->id, id) != 0) {
            fail_msg("a check of %s", v->checks[i].requirement->id);
        }
        state = state == CHECK_FAIL ? state : v->checks[i].state;
    }
    return state;
}

static void pairs(void **state)
{
    (void)state;
    static const char plain[] = "W2/r2/s2/i5/f32/ef,ws/[24x40,17]",
                      scaled[] = "W2/r2/s2/i5/f32/ef,ws/[24x40,17]/scale=-30";
    static const char reversed[] = "W2/r2/s2/i5/f32/ef,ws/[24x40,17]/rev",
                      nan[] = "W2/r2/s2/i5/f32/ef,ws/[24x40,17]/grad=nan|gauss";
    static const char saved[] = "W2/r2/s2/i5/f32/ef,ws/[24x40,17]/ckpt=3";
    static const pair_case cases[] = {
        {COMPANION_REPEAT, plain, plain, FAULT_NONE, EXACT, "PSGD-NUM-003", CHECK_PASS},
        {COMPANION_REPEAT, plain, plain, FAULT_SIGNS, EXACT, "PSGD-NUM-003", CHECK_FAIL},
        {COMPANION_REPEAT, plain, plain, FAULT_ERROR_LOCAL, EXACT, "PSGD-NUM-003", CHECK_FAIL},
        {COMPANION_REPEAT, plain, plain, FAULT_STATISTICS, EXACT, "PSGD-NUM-003", CHECK_FAIL},
        {COMPANION_REPEAT, plain, plain, FAULT_NONE, USUAL, "PSGD-NUM-003", CHECK_UNOBSERVED},
        {COMPANION_UNSCALED, scaled, plain, FAULT_NONE, EXACT, "PSGD-AGG-008", CHECK_PASS},
        {COMPANION_UNSCALED, scaled, plain, FAULT_NONE, USUAL, "PSGD-AGG-008", CHECK_PASS},
        {COMPANION_UNSCALED, scaled, plain, FAULT_ERROR_DECAYS, EXACT, "PSGD-AGG-008", CHECK_FAIL},
        {COMPANION_UNSCALED, scaled, plain, FAULT_ERROR_DECAYS, USUAL, "PSGD-AGG-008", CHECK_FAIL},
        {COMPANION_UNSCALED, scaled, plain, FAULT_NAN, USUAL, "PSGD-AGG-008", CHECK_FAIL},
        {COMPANION_UNREVERSED, reversed, plain, FAULT_NONE, EXACT, "PSGD-AGG-007", CHECK_PASS},
        {COMPANION_UNREVERSED, reversed, plain, FAULT_Q_SEED, EXACT, "PSGD-AGG-007", CHECK_FAIL},
        {COMPANION_UNREVERSED, reversed, plain, FAULT_NOT_MEAN, EXACT, "PSGD-AGG-007", CHECK_FAIL},
        {COMPANION_UNINTERRUPTED, saved, plain, FAULT_NONE, EXACT, "PSGD-CKP-001", CHECK_PASS},
        {COMPANION_UNINTERRUPTED, saved, plain, FAULT_ERROR_DECAYS, EXACT, "PSGD-CKP-001", CHECK_FAIL},
        {COMPANION_UNINTERRUPTED, saved, plain, FAULT_Q_REDRAWN, USUAL, "PSGD-CKP-001", CHECK_FAIL},
        {COMPANION_CLEAN, nan, plain, FAULT_NONE, EXACT, "PSGD-NUM-001", CHECK_PASS},
        {COMPANION_CLEAN, nan, plain, FAULT_NONE, USUAL, "PSGD-NUM-001", CHECK_PASS},
        {COMPANION_CLEAN, nan, plain, FAULT_NOT_MEAN, EXACT, "PSGD-NUM-001", CHECK_FAIL},
        {COMPANION_CLEAN, nan, plain, FAULT_NOT_MEAN, USUAL, "PSGD-NUM-001", CHECK_FAIL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_case a, b;
        verdict v = {0};
        made_case(&a, cases[i].a, "");
        made_case(&b, cases[i].b, "");
        made_options right = {.q_given = true}, other = {.fault = cases[i].fault_b, .q_given = true};
        trace *ta = made_trace(&a, &right), *tb = made_trace(&b, &other);
        judge_companion(&v, cases[i].kind, &a, ta, &b, tb, cases[i].claims);
        check_state got = worst(&v, cases[i].requirement);
        if (got != cases[i].state) {
            fail_msg("pair %zu (%s): %s, not %s", i, cases[i].requirement, check_state_name(got),
                     check_state_name(cases[i].state));
        }
        verdict_free(&v);
        trace_free(ta);
        trace_free(tb);
        case_free(&a);
        case_free(&b);
    }
}

static void a_run_cut_short_is_no_equal(void **state)
{
    (void)state;
    test_case c;
    verdict v = {0};
    made_case(&c, "W2/r2/s2/i5/f32/ef,ws/[24x40,17]", "");
    made_options right = {.q_given = true};
    trace *a = made_trace(&c, &right), *b = made_trace(&c, &right);
    values_free(trace_out(b, 3, 0, 1));
    b->ranks[1].outcome = RANK_CRASHED;
    judge_companion(&v, COMPANION_REPEAT, &c, a, &c, b, EXACT);
    assert_int_equal(worst(&v, "PSGD-NUM-003"), CHECK_FAIL);
    verdict_free(&v);
    judge_companion(&v, COMPANION_REPEAT, &c, b, &c, a, EXACT); /* the run itself: its own checks say so */
    assert_int_equal(worst(&v, "PSGD-NUM-003"), CHECK_UNTRUSTED);
    verdict_free(&v);
    b->ranks[1].outcome = RANK_UNSUPPORTED;
    judge_companion(&v, COMPANION_REPEAT, &c, a, &c, b, EXACT);
    assert_int_equal(worst(&v, "PSGD-NUM-003"), CHECK_SKIP);
    verdict_free(&v);
    trace_free(a);
    trace_free(b);
    case_free(&c);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {cmocka_unit_test(pairs), cmocka_unit_test(a_run_cut_short_is_no_equal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
