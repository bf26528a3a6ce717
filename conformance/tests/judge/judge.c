/* Tests of judge/judge.c and the laws and comparisons behind it: runs that are right pass everything, and each fault is
 * laid at the door of the requirement that it breaks, whether the port shows its state or only its outputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_trace.h"

#include "judge/judge.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL                                                                                                          \
    (PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_WARM_START | PSGD_CLAIM_MULTIRANK | PSGD_CLAIM_F64)
#define TORCH (USUAL | PSGD_CLAIM_TORCH)

static const char usual_case[] = "W3/r2/s2/i6/f32/ef,ws/rate2/eps0/[24x40,17,24x40]/grad=decay:0.5/seed=7";

static bool has(const verdict *v, const char *id, check_state state)
{
    for (size_t i = 0; i < v->count; i++) {
        if (strcmp(v->checks[i].requirement->id, id) == 0 && v->checks[i].state == state) {
            return true;
        }
    }
    return false;
}

static void show(const verdict *v)
{
    for (size_t i = 0; i < v->count; i++) {
        const check *c = &v->checks[i];
        print_message("%s %s row %s ratio %g limit %g step %d tensor %d %s\n", check_state_name(c->state),
                      c->requirement->id, c->row, c->ratio, c->limit, (int)c->place.step, (int)c->place.tensor,
                      c->message == NULL ? "" : c->message);
    }
}

static void expect_no_failure(const char *problem_text, uint64_t claims, bool hide, bool given)
{
    test_case c;
    verdict v = {0};
    made_case(&c, problem_text, "");
    made_options o = {.hide_state = hide, .q_given = given};
    trace *t = made_trace(&c, &o);
    judge_case(&v, &c, t, claims);
    verdict_counts counts = verdict_count(&v);
    /* Of shapes that ports select differently little is judged without claim torch. */
    bool little = (claims & PSGD_CLAIM_TORCH) == 0 && !problem_is_unambiguous(&c.problem);
    if (counts.by_state[CHECK_FAIL] > 0 || v.out_of_memory || counts.by_state[CHECK_PASS] < (little ? 1u : 3u)) {
        show(&v);
        fail_msg("%s: a right run is not accepted", problem_text);
    }
    verdict_free(&v);
    trace_free(t);
    case_free(&c);
}

/* Has ORT-005 failed where a port returned nothing but NaN? */
static bool refuses_nan(const char *problem_text, uint64_t claims)
{
    test_case c;
    verdict v = {0};
    made_case(&c, problem_text, "");
    made_options o = {.fault = FAULT_NAN, .q_given = true};
    trace *t = made_trace(&c, &o);
    judge_case(&v, &c, t, claims);
    bool refused = has(&v, "PSGD-ORT-005", CHECK_FAIL);
    verdict_free(&v);
    trace_free(t);
    case_free(&c);
    return refused;
}

/* Gram-Schmidt divides zero by zero at any rank; only torch says that it is not used above rank 2. */
static void nan_from_zeros_is_gram_schmidts(void **state)
{
    (void)state;
    assert_false(refuses_nan("W1/r4/s0/f32/-/[24x40]/grad=zero", USUAL));
    assert_true(refuses_nan("W1/r4/s0/f32/-/[24x40]/grad=zero", TORCH));
    assert_false(refuses_nan("W1/r2/s0/f32/-/[24x40]/grad=zero", TORCH));
    assert_true(refuses_nan("W1/r4/s0/f32/-/eps1e-8/[24x40]/grad=zero", USUAL));
}

/* What overflowed is ORT-006's; the NaN that error feedback makes of it says nothing about dependent columns. */
static void nan_that_was_remembered_is_no_dependent_column(void **state)
{
    (void)state;
    assert_false(refuses_nan("W1/r4/s0/f32/[24x40]/scale=83", USUAL));
    assert_false(refuses_nan("W1/r4/s0/f32/[24x40]/scale=83", TORCH));
}

static void right_runs_pass(void **state)
{
    (void)state;
    static const char *const problems[] = {
        usual_case,
        "W1/r1/f32/[20x30]",
        "W2/r3/f32/[20x30,8,20x30,30x20]",
        "W4/r4/f64/[20x30;16x24,5]/grad=power",
        "W3/r2/f32/-/[20x30,4]/const",
        "W3/r2/f32/ws/[20x30,4]/const/i10/grad=gap",
        "W2/r5/f32/rate0/[4x30,3x3,1x7,9]",
        "W2/r2/f32/[30x30,20x20]/grad=dead|gauss/eps1e-2rel",
        "W2/r2/f32/[30x30,20x20]/grad=dead|gauss",
        "W2/r2/f32/[30x30,20x20]/grad=nan|gauss",
        "W2/r2/f32/-/[30x30,20x20,5]/grad=gauss|nan|inf",
        "W2/r4/f32/[30x30,20x20]/grad=zero|dupcol",
        "W2/r4/f32/[30x30,20x20]/grad=rank:4",
        "W2/r2/f32/[30x30,20x20]/grad=deficient",
        "W4/r2/f32/-/[30x30,20]/grad=ints",
        "W2/r1/i102/f32/[12x9]/const",
        "W2/r5/i102/f32/rate0/[4x30,9]/const",
        "W1/r2/s3/i9/f64/ws,bs/rate0/eps0/[1x1x5x1x1,4x4,1;23,2,1x1]/grad=rank:2/seed=861580/rs=793",
        "W1/r3/s3/i6/f32/ws,bs/rate4/eps0.01rel/[4x5x7,24x24;24x23,24x25]/grad=dead/const/seed=240739/rs=521",
        "W2/r2/f32/[24x40,17]/grad=ints/scale=-145",
        "W2/r4/f32/[16x24]/grad=onerow",
        "W3/r2/f32/[30x30,20x20]/eps1e-2rel",
    };
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        expect_no_failure(problems[i], TORCH, false, false);
        expect_no_failure(problems[i], USUAL, true, true);
        expect_no_failure(problems[i], USUAL, true, false);
    }
}

typedef struct fault_case {
    made_fault fault;
    const char *problem;
    bool hide;           /* outputs only, Q given; else state shown and claim torch */
    const char *breaks;  /* must fail */
    const char *not_too; /* must not fail: another's fault */
} fault_case;

static void faults_break_their_requirement(void **state)
{
    (void)state;
    static const char off[] = "W3/r2/f32/-/[24x40,17]", off_warm[] = "W3/r2/f32/ws/[24x40,17]";
    static const char epsilon[] = "W3/r1/f32/[24x40,17]/eps1e-1rel", wide[] = "W3/r2/f64/[24x40,17]";
    static const char poison[] = "W2/r1/f32/[24x40,5x4]/grad=nan", ties[] = "W1/r1/f32/[8x8,5x4,4x4]";
    static const char fixed[] = "W3/r2/f32/-/[24x40,17]/const";
    static const fault_case cases[] = {
        {FAULT_SCALE, usual_case, true, "PSGD-AGG-002", "PSGD-EF-001"},
        {FAULT_BASIS, usual_case, true, "PSGD-AGG-002", "PSGD-EF-001"},
        {FAULT_ZERO, usual_case, true, "PSGD-AGG-002", "PSGD-EF-001"},
        {FAULT_RANK, usual_case, true, "PSGD-AGG-004", "PSGD-EF-001"},
        {FAULT_NOT_MEAN, usual_case, true, "PSGD-AGG-003", "PSGD-AGG-002"},
        {FAULT_PLAIN_SUM, usual_case, true, "PSGD-ITR-001", "PSGD-AGG-003"},
        {FAULT_START_LATE, usual_case, true, "PSGD-ITR-001", "PSGD-AGG-002"},
        {FAULT_START_LATE, usual_case, false, "PSGD-ITR-001", "PSGD-SEL-001"},
        {FAULT_START_EARLY, usual_case, true, "PSGD-ITR-001", "PSGD-AGG-002"},
        {FAULT_NAN, usual_case, true, "PSGD-ITR-001", NULL},
        {FAULT_NAN, "W3/r2/s0/f32/-/[24x40,17]", true, "PSGD-AGG-002", NULL},
        {FAULT_TIES, ties, false, "PSGD-SEL-001", "PSGD-AGG-003"},
        {FAULT_ERROR_RAW, usual_case, true, "PSGD-EF-001", "PSGD-AGG-002"},
        {FAULT_ERROR_RAW, usual_case, false, "PSGD-EF-002", "PSGD-AGG-002"},
        {FAULT_ERROR_RAW, usual_case, false, "PSGD-EF-001", "PSGD-EF-004"},
        {FAULT_ERROR_LOCAL, usual_case, false, "PSGD-EF-002", "PSGD-EF-001"},
        {FAULT_ERROR_DECAYS, usual_case, true, "PSGD-EF-001", "PSGD-AGG-002"},
        {FAULT_ERROR_DECAYS, usual_case, true, "PSGD-EF-005", "PSGD-WRM-001"},
        {FAULT_ERROR_DECAYS, "W2/r1/i102/f32/[12x9]/const", true, "PSGD-EF-008", "PSGD-AGG-002"},
        {FAULT_ERROR_PLAIN, usual_case, false, "PSGD-ITR-003", "PSGD-EF-002"},
        {FAULT_ERROR_PLAIN_SUM, usual_case, true, "PSGD-ITR-003", "PSGD-AGG-002"},
        {FAULT_ERROR_UNCOMPRESSED, usual_case, false, "PSGD-EF-003", "PSGD-EF-001"},
        {FAULT_ERROR_NARROW, wide, true, "PSGD-EF-001", "PSGD-AGG-002"},
        {FAULT_MEMORY_WITHOUT_SWITCH, off, true, "PSGD-EF-007", "PSGD-AGG-002"},
        {FAULT_MEMORY_WITHOUT_SWITCH, off_warm, true, "PSGD-EF-007", "PSGD-WRM-001"},
        {FAULT_Q_REDRAWN, usual_case, true, "PSGD-WRM-001", "PSGD-AGG-002"},
        {FAULT_Q_REDRAWN, usual_case, false, "PSGD-WRM-001", "PSGD-RND-002"},
        {FAULT_Q_SEED, usual_case, true, "PSGD-RND-001", "PSGD-WRM-001"},
        {FAULT_Q_SEED, usual_case, false, "PSGD-RND-002", "PSGD-WRM-001"},
        {FAULT_Q_SEED, "W3/r1/f32/[24x40,17]/eps1e-2rel", false, "PSGD-RND-002", "PSGD-ORT-002"},
        {FAULT_Q_SAME, off, true, "PSGD-WRM-003", "PSGD-AGG-002"},
        {FAULT_Q_SAME, fixed, true, "PSGD-WRM-003", "PSGD-AGG-002"},
        {FAULT_Q_SUMMED, usual_case, false, "PSGD-WRM-002", "PSGD-WRM-001"},
        {FAULT_EPSILON_MAX, epsilon, false, "PSGD-ORT-002", "PSGD-RND-002"},
        {FAULT_SIGNS, usual_case, false, "PSGD-ORT-002", "PSGD-AGG-002"},
        {FAULT_SIGNS, "W3/r3/f32/[24x40,17]", false, "PSGD-ORT-003", "PSGD-AGG-002"},
        {FAULT_PLACES, usual_case, false, "PSGD-SEL-007", "PSGD-AGG-002"},
        {FAULT_STATISTICS, usual_case, false, "PSGD-STA-001", "PSGD-AGG-002"},
        {FAULT_RANK_DIFFERS, usual_case, true, "PSGD-AGG-001", "PSGD-AGG-002"},
        {FAULT_HIDES_NAN, poison, true, "PSGD-NUM-001", "PSGD-AGG-002"},
        {FAULT_HIDES_NAN, poison, false, "PSGD-NUM-001", "PSGD-AGG-002"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_case c;
        verdict v = {0};
        made_case(&c, cases[i].problem, "PSGD-BAT-001");
        made_options o = {.fault = cases[i].fault, .hide_state = cases[i].hide, .q_given = cases[i].hide};
        trace *t = made_trace(&c, &o);
        judge_case(&v, &c, t, cases[i].hide ? USUAL : TORCH);
        bool found = has(&v, cases[i].breaks, CHECK_FAIL);
        bool wrong = cases[i].not_too != NULL && has(&v, cases[i].not_too, CHECK_FAIL);
        if (!found || wrong || !has(&v, "PSGD-BAT-001", CHECK_FAIL)) { /* the case's own requirement falls with it */
            show(&v);
            fail_msg("fault %d on %s: %s %s", (int)cases[i].fault, cases[i].problem,
                     found ? "also blamed:" : "not blamed:", found ? cases[i].not_too : cases[i].breaks);
        }
        verdict_free(&v);
        trace_free(t);
        case_free(&c);
    }
}

/* What another check would find as well must be found without it. */
static void faults_are_seen_from_outputs_alone(void **state)
{
    (void)state;
    static const struct {
        made_fault fault;
        const char *problem;
        uint64_t claims;
        const char *breaks;
    } cases[] = {{FAULT_ZERO, "W3/r2/f32/[24x40,17]", USUAL, "PSGD-AGG-002"},
                 {FAULT_TIES, "W1/r1/f32/[8x8,5x4,4x4]", TORCH, "PSGD-SEL-001"},
                 {FAULT_RANK, "W2/r1/f64/[24x40]", USUAL, "PSGD-AGG-004"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        test_case c;
        verdict v = {0};
        made_case(&c, cases[i].problem, "");
        made_options o = {.fault = cases[i].fault, .hide_state = true}; /* and from a Q of its own */
        trace *t = made_trace(&c, &o);
        judge_case(&v, &c, t, cases[i].claims);
        if (!has(&v, cases[i].breaks, CHECK_FAIL)) {
            show(&v);
            fail_msg("%s is not blamed for fault %d", cases[i].breaks, (int)cases[i].fault);
        }
        verdict_free(&v);
        trace_free(t);
        case_free(&c);
    }
}

/* cond_r(out) is in the unit of row 1b: an output that is nearly of lower rank must not buy itself a limit with it. */
static void near_singular_outputs_are_not_trusted(void **state)
{
    (void)state;
    static const char *const problems[] = {"W3/r2/f32/[24x40,17]", "W2/r3/f32/-/[40x24]", "W2/r4/f64/ws/[30x36]/const"};
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        test_case c;
        verdict v = {0};
        made_case(&c, problems[i], "");
        made_options o = {.fault = FAULT_RANK_LOW, .hide_state = true};
        trace *t = made_trace(&c, &o);
        judge_case(&v, &c, t, USUAL);
        if (!has(&v, "PSGD-AGG-002", CHECK_FAIL) || has(&v, "PSGD-AGG-002", CHECK_PASS)) {
            show(&v);
            fail_msg("%s: a column fewer than asked for is not noticed", problems[i]);
        }
        verdict_free(&v);
        trace_free(t);
        case_free(&c);
    }
}

/* A right run with one thing of it changed by `change`, judged under `claims`. */
static void judge_changed(verdict *v, uint64_t claims, const char *made_for, void (*change)(trace *))
{
    test_case c;
    made_case(&c, usual_case, made_for);
    made_options o = {.q_given = true};
    trace *t = made_trace(&c, &o);
    change(t);
    judge_case(v, &c, t, claims);
    trace_free(t);
    case_free(&c);
}

static void crash(trace *t)
{
    t->ranks[1].outcome = RANK_CRASHED;
    t->ranks[1].steps_done = 3;
    t->ranks[0].outcome = t->ranks[2].outcome = RANK_TIMED_OUT;
    for (int64_t step = 3; step < t->steps; step++) {
        values_free(trace_out(t, step, 0, 1));
    }
}

static void refuse_after(trace *t, int64_t steps)
{
    for (int k = 0; k < t->world; k++) {
        t->ranks[k].outcome = RANK_UNSUPPORTED;
        t->ranks[k].steps_done = steps;
    }
}

static void refuse(trace *t)
{
    refuse_after(t, 0);
}

static void refuse_to_compress(trace *t)
{
    refuse_after(t, 2);
}

static void refuse_to_go_on(trace *t)
{
    refuse_after(t, 3);
}

static void refuse_alone(trace *t)
{
    refuse(t);
    t->ranks[0].outcome = RANK_TIMED_OUT; /* it waits for the others */
}

static void say_no(trace *t)
{
    for (int k = 0; k < t->world; k++) {
        t->ranks[k].outcome = RANK_ERROR;
        t->ranks[k].status = PSGD_ERR_ARGUMENT;
        t->ranks[k].message = strdup("a tensor without elements");
        t->ranks[k].steps_done = 3;
    }
}

static void lose_tensor(trace *t)
{
    values_free(trace_out(t, 4, 0, 2));
}

static void shrink_tensor(trace *t)
{
    trace_out(t, 4, 0, 2)->count--;
}

static void shrink_factor(trace *t)
{
    trace_p(t, 3, 0, 0)->count--;
}

static void hide_error(trace *t)
{
    for (int64_t step = 0; step < t->steps; step++) {
        values_free(trace_error(t, step, 0, 1));
    }
}

static void overrun(trace *t)
{
    t->ranks[2].reports_guard = true;
    t->ranks[2].guard_bytes_intact = false;
}

static void poke_infinity(trace *t)
{
    for (int k = 0; k < t->world; k++) {
        values_set(trace_out(t, 3, 0, k), 5, INFINITY);
    }
}

static void how_a_run_ends_is_judged(void **state)
{
    (void)state;
    verdict v = {0};
    judge_changed(&v, USUAL, "PSGD-BAT-001 PSGD-EF-002", crash);
    assert_true(has(&v, "PSGD-BAT-001", CHECK_FAIL));
    assert_false(has(&v, "PSGD-EF-002", CHECK_FAIL)); /* not tested */
    assert_non_null(strstr(v.checks[0].message, "rank 1 crashed in step 3"));
    assert_true(has(&v, "PSGD-AGG-002", CHECK_PASS)); /* what was done is judged all the same */
    verdict_free(&v);
    judge_changed(&v, USUAL, "", crash);
    assert_true(has(&v, "PSGD-AGG-002", CHECK_FAIL));
    verdict_free(&v);
    judge_changed(&v, USUAL, "", say_no);
    assert_true(has(&v, "PSGD-AGG-002", CHECK_FAIL));
    verdict_free(&v);
    judge_changed(&v, USUAL, "PSGD-SEL-006", crash); /* a SHOULD; but a crash is no answer, */
    assert_true(has(&v, "PSGD-SEL-006", CHECK_FAIL) && has(&v, "PSGD-AGG-002", CHECK_FAIL));
    verdict_free(&v);
    judge_changed(&v, USUAL, "PSGD-SEL-006", say_no); /* and an error in words is one */
    assert_true(has(&v, "PSGD-SEL-006", CHECK_FAIL));
    assert_false(has(&v, "PSGD-AGG-002", CHECK_FAIL));
    verdict_free(&v);
    judge_changed(&v, USUAL, "PSGD-BAT-001", refuse);
    assert_int_equal(v.count, 1);
    assert_true(has(&v, "PSGD-BAT-001", CHECK_SKIP));
    assert_int_equal(v.checks[0].skipped, SKIP_UNSUPPORTED);
    verdict_free(&v);
    judge_changed(&v, USUAL, "PSGD-BAT-001", refuse_to_compress);
    assert_true(has(&v, "PSGD-BAT-001", CHECK_SKIP));
    verdict_free(&v);
    judge_changed(&v, USUAL, "PSGD-BAT-001", refuse_to_go_on); /* what it had compressed once is offered */
    assert_true(has(&v, "PSGD-BAT-001", CHECK_FAIL));
    verdict_free(&v);
    judge_changed(&v, USUAL, "PSGD-BAT-001", refuse_alone); /* what one rank offers, all do */
    assert_true(has(&v, "PSGD-BAT-001", CHECK_FAIL));
    verdict_free(&v);
    judge_changed(&v, TORCH, "PSGD-BAT-001", refuse);
    assert_true(has(&v, "PSGD-BAT-001", CHECK_FAIL));
    verdict_free(&v);
    judge_changed(&v, USUAL, "PSGD-BAT-001", lose_tensor);
    assert_true(has(&v, "PSGD-BAT-001", CHECK_FAIL));
    verdict_free(&v);
    judge_changed(&v, USUAL, "PSGD-BAT-001", shrink_tensor);
    assert_true(has(&v, "PSGD-BAT-001", CHECK_FAIL));
    verdict_free(&v);
    judge_changed(&v, USUAL, "PSGD-BAT-001", overrun);
    assert_true(has(&v, "PSGD-ROB-002", CHECK_FAIL));
    verdict_free(&v);
}

static void what_is_not_shown_is_unobserved(void **state)
{
    (void)state;
    verdict v = {0};
    judge_changed(&v, TORCH, "", hide_error);
    assert_true(has(&v, "PSGD-EF-002", CHECK_UNOBSERVED));
    assert_false(has(&v, "PSGD-EF-002", CHECK_PASS));
    assert_true(has(&v, "PSGD-EF-001", CHECK_PASS)); /* by what the memory does to outputs */
    verdict_free(&v);
    judge_changed(&v, TORCH, "", shrink_factor);
    assert_int_equal(verdict_count(&v).by_state[CHECK_FAIL], 0); /* counts as hidden at that step */
    verdict_free(&v);
}

/* Whether all ranks start from one Q: where the judge does not know it, and where the hook's chain says it. */
static void own_q_of_a_port(void **state)
{
    (void)state;
    test_case c;
    made_case(&c, usual_case, "PSGD-RND-001");
    made_options o = {.q_given = false};
    trace *t = made_trace(&c, &o);
    verdict v = {0};
    judge_case(&v, &c, t, USUAL);
    assert_true(has(&v, "PSGD-RND-001", CHECK_UNOBSERVED));
    assert_false(has(&v, "PSGD-RND-001", CHECK_UNTRUSTED));
    verdict_free(&v);
    judge_case(&v, &c, t, TORCH);
    assert_true(has(&v, "PSGD-RND-001", CHECK_PASS) && has(&v, "PSGD-RND-002", CHECK_PASS));
    verdict_free(&v);
    trace_free(t);
    case_free(&c);
}

static void infinity_fails(void **state)
{
    (void)state;
    verdict v = {0};
    judge_changed(&v, USUAL, "", poke_infinity);
    assert_true(has(&v, "PSGD-AGG-002", CHECK_FAIL));
    verdict_free(&v);
}

static void case_without_trust_is_untrusted(void **state)
{
    (void)state;
    test_case c;
    verdict v = {0};
    made_case(&c, "W2/r2/s2/i3/f32/[30x30]/grad=zero", "PSGD-BAT-001");
    made_options o = {.hide_state = true};
    trace *t = made_trace(&c, &o);
    judge_case(&v, &c, t, PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK);
    assert_false(has(&v, "PSGD-AGG-002", CHECK_PASS));
    assert_false(has(&v, "PSGD-EF-001", CHECK_PASS));
    verdict_free(&v);
    trace_free(t);
    case_free(&c);
}

static void only_tested_claims_are_judged(void **state)
{
    (void)state;
    test_case c;
    verdict v = {0};
    made_case(&c, usual_case, "PSGD-SEL-007 PSGD-CFG-004");
    made_options o = {.q_given = true};
    trace *t = made_trace(&c, &o);
    judge_case(&v, &c, t, PSGD_CLAIM_CORE);
    for (size_t i = 0; i < v.count; i++) {
        assert_int_equal(v.checks[i].requirement->claims, PSGD_CLAIM_CORE);
    }
    verdict_free(&v);
    judge_case(&v, &c, t, TORCH);
    assert_true(has(&v, "PSGD-SEL-007", CHECK_PASS) && has(&v, "PSGD-CFG-004", CHECK_PASS));
    verdict_free(&v);
    trace_free(t);
    case_free(&c);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {cmocka_unit_test(right_runs_pass),
                                       cmocka_unit_test(nan_from_zeros_is_gram_schmidts),
                                       cmocka_unit_test(nan_that_was_remembered_is_no_dependent_column),
                                       cmocka_unit_test(faults_break_their_requirement),
                                       cmocka_unit_test(faults_are_seen_from_outputs_alone),
                                       cmocka_unit_test(near_singular_outputs_are_not_trusted),
                                       cmocka_unit_test(how_a_run_ends_is_judged),
                                       cmocka_unit_test(what_is_not_shown_is_unobserved),
                                       cmocka_unit_test(own_q_of_a_port),
                                       cmocka_unit_test(infinity_fails),
                                       cmocka_unit_test(case_without_trust_is_untrusted),
                                       cmocka_unit_test(only_tested_claims_are_judged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
