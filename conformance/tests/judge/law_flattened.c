/* Tests of judge/law_flattened.c, judge/law_square.c and of what is judged of a square whose padding is not shown: an
 * honest port is accused of nothing, whatever it shows; each fault is found from what is shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_trace.h"

#include "judge/judge.h"
#include "judge/model.h"

#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <string.h>

#define CORE                                                                                                           \
    (PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_WARM_START | PSGD_CLAIM_MULTIRANK | PSGD_CLAIM_F64 |     \
     PSGD_CLAIM_FLATTENED)
#define TORCH (CORE | PSGD_CLAIM_TORCH)

/* What a port shows besides its outputs. */
enum { ERROR = 1, ERROR_CUT = 2, FACTORS = 4, GIVEN_Q = 8 };

typedef enum flat_fault {
    FLAT_RIGHT,
    FLAT_FORGETS,  /* the error of the padding is zero */
    FLAT_HIDES,    /* it is used, but zeros are shown for it */
    FLAT_SHIFTED,  /* cut back one element too late */
    FLAT_PASSES_ON /* not compressed: the mean */
} flat_fault;

static double *side_by_side(size_t count)
{
    double *a = calloc(count + 1, sizeof *a);
    assert_non_null(a);
    return a;
}

static void store(values *v, psgd_dtype dtype, const double *from, size_t count)
{
    assert_true(values_allocate(v, dtype, count));
    for (size_t i = 0; i < count; i++) {
        values_set(v, i, from[i]);
    }
}

/* One bucket, f64: outputs and factors are the model's, each rank's error is its own. */
static trace *flat_trace(const test_case *c, int shows, flat_fault fault)
{
    model_run run;
    assert_true(fault == FLAT_FORGETS ? model_run_forgetful(&run, c) : model_run_case(&run, c, 1));
    trace *t = trace_create(c->steps, 1, c->tensor_counts, c->world);
    assert_non_null(t);
    t->q_given = (shows & GIVEN_Q) != 0;
    size_t length = c->numel[0], side = case_square_side(length), area = side * side;
    size_t r = (size_t)c->config.matrix_approximation_rank;
    double *m = side_by_side(area), *memory = side_by_side(area * (size_t)c->world), *mean = side_by_side(area);
    for (int64_t step = 0; step < c->steps; step++) {
        bool compressed = step >= c->config.start_iter;
        const double *out = run.out[step];
        memset(mean, 0, area * sizeof *mean);
        for (int k = 0; k < c->world; k++) {
            for (size_t i = 0; i < length; i++) {
                mean[i] += (values_get(case_in(c, step, 0, k), i) + memory[(size_t)k * area + i]) / c->world;
            }
        }
        out = fault == FLAT_PASSES_ON ? mean : out;
        for (int k = 0; k < c->world; k++) {
            double *own = memory + (size_t)k * area;
            bool late = fault == FLAT_SHIFTED && compressed;
            store(trace_out(t, step, 0, k), c->dtype, out + (late ? 1 : 0), length);
            for (size_t i = 0; i < area && compressed && c->config.use_error_feedback; i++) {
                double g = i < length ? values_get(case_in(c, step, 0, k), i) : 0;
                own[i] = i >= length && fault == FLAT_FORGETS ? 0 : g + own[i] - out[i];
                m[i] = i >= length && fault == FLAT_HIDES ? 0 : own[i];
            }
            if (compressed && (shows & (ERROR | ERROR_CUT)) != 0) {
                store(trace_error(t, step, 0, k), c->dtype, m, (shows & ERROR) != 0 ? area : length);
            }
            t->ranks[k].outcome = RANK_OK;
            t->ranks[k].steps_done = c->steps;
        }
        if (compressed && (shows & FACTORS) != 0 && run.p != NULL && fault != FLAT_PASSES_ON) {
            size_t at = (size_t)step * c->tensor_counts[0];
            store(trace_p(t, step, 0, 0), c->dtype, run.p[at], side * r);
            store(trace_q(t, step, 0, 0), c->dtype, run.q[at], side * r);
        }
        for (int k = 0; k < c->world; k++) {
            t->wire[step * c->world + k] = -1;
        }
    }
    free(m);
    free(memory);
    free(mean);
    model_run_free(&run, c);
    return t;
}

static size_t count_of(const verdict *v, const char *id, check_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < v->count; i++) {
        count += (id == NULL || strcmp(v->checks[i].requirement->id, id) == 0) && v->checks[i].state == state;
    }
    return count;
}

static void judge_flat(verdict *v, const char *problem_text, uint64_t claims, int shows, flat_fault fault)
{
    test_case c;
    made_case(&c, problem_text, "");
    trace *t = flat_trace(&c, shows, fault);
    *v = (verdict){0};
    judge_case(v, &c, t, claims);
    assert_false(v->out_of_memory);
    trace_free(t);
    case_free(&c);
}

static void first_failure_is(const char *id, const char *problem_text, uint64_t claims, int shows, flat_fault fault)
{
    verdict v;
    judge_flat(&v, problem_text, claims, shows, fault);
    const char *first = "none";
    for (size_t i = v.count; i-- > 0;) {
        first = v.checks[i].state == CHECK_FAIL ? v.checks[i].requirement->id : first;
    }
    if (strcmp(first, id) != 0) {
        fail_msg("%s, shown %d, fault %d: %s failed first, not %s", problem_text, shows, (int)fault, first, id);
    }
    verdict_free(&v);
}

static const char padded[] = "W2/r2/f64/ef,ws,flat/[9x10,3]/grad=power/seed=3";

static void honest_ports_are_accused_of_nothing(void **state)
{
    (void)state;
    static const char *const problems[] = {
        padded,
        "W1/r1/f64/ef,ws,flat/[9x10,3]/seed=4",
        "W3/r3/f64/ef,ws,flat/eps1e-1rel/rate1000/[13x7,5]/grad=decay:0.8/seed=5",
        "W2/r2/f64/flat/[13x7,5]/seed=6",
        "W2/r3/f64/ws,flat/[13x7,5]/seed=7",
        "W2/r2/f64/ef,flat/[11]/seed=8",
        "W2/r2/f64/ef,ws,flat/[8x8]/seed=9",
    };
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; i++) {
        for (int shows = 0; shows < 16; shows++) {
            for (int torch = 0; torch < 2; torch++) {
                bool ef = strstr(problems[i], "ef,") != NULL;
                if ((shows & (ERROR | ERROR_CUT)) == (ERROR | ERROR_CUT) || (!ef && (shows & (ERROR | ERROR_CUT)))) {
                    continue;
                }
                verdict v;
                judge_flat(&v, problems[i], torch ? TORCH : CORE, shows, FLAT_RIGHT);
                for (size_t k = 0; k < v.count; k++) {
                    const check *c = &v.checks[k];
                    if (c->state == CHECK_FAIL) {
                        fail_msg("%s, shown %d: %s row %s failed, ratio %g", problems[i], shows, c->requirement->id,
                                 c->row, c->ratio);
                    }
                }
                bool known = torch || (shows & GIVEN_Q) != 0;
                assert_true(!known || count_of(&v, "PSGD-FLT-001", CHECK_PASS) > 0);
                verdict_free(&v);
            }
        }
    }
}

static void what_is_hidden_is_unobserved(void **state)
{
    (void)state;
    verdict v;
    /* Its own Q, and less of the cut row than the rank: nothing shows the padding. */
    judge_flat(&v, "W2/r3/f64/ef,ws,flat/[9x10,1]/grad=power/seed=3", CORE, ERROR_CUT, FLAT_RIGHT);
    assert_int_equal(count_of(&v, "PSGD-FLT-003", CHECK_PASS), 0);
    assert_true(count_of(&v, "PSGD-EF-001", CHECK_PASS) > 0); /* conservation holds without it */
    assert_int_equal(count_of(&v, "PSGD-AGG-002", CHECK_PASS), 0);
    assert_true(count_of(&v, "PSGD-FLT-001", CHECK_PASS) > 0); /* the whole rows have the rank of a square */
    verdict_free(&v);
    judge_flat(&v, padded, CORE, 0, FLAT_RIGHT); /* rank completes the square */
    assert_true(count_of(&v, "PSGD-FLT-001", CHECK_PASS) > 1);
    assert_true(count_of(&v, "PSGD-FLT-003", CHECK_PASS) > 0);
    assert_true(count_of(&v, "PSGD-EF-001", CHECK_PASS) > 0);
    verdict_free(&v);
    judge_flat(&v, padded, CORE, GIVEN_Q, FLAT_RIGHT);
    assert_true(count_of(&v, "PSGD-FLT-003", CHECK_PASS) > 0); /* row 8 */
    verdict_free(&v);
    judge_flat(&v, padded, CORE, ERROR, FLAT_RIGHT); /* E restores the square */
    assert_true(count_of(&v, "PSGD-AGG-002", CHECK_PASS) > 0);
    verdict_free(&v);
    judge_flat(&v, padded, TORCH, ERROR_CUT | FACTORS, FLAT_RIGHT);
    assert_true(count_of(&v, "PSGD-FLT-003", CHECK_UNOBSERVED) > 0);
    verdict_free(&v);
}

static void faults_are_named(void **state)
{
    (void)state;
    first_failure_is("PSGD-FLT-003", padded, CORE, 0, FLAT_FORGETS); /* of a port that shows nothing at all */
    first_failure_is("PSGD-FLT-001", padded, CORE, 0, FLAT_SHIFTED);
    for (int torch = 0; torch < 2; torch++) {
        uint64_t claims = torch ? TORCH : CORE;
        first_failure_is("PSGD-FLT-003", padded, claims, GIVEN_Q, FLAT_FORGETS);
        first_failure_is("PSGD-FLT-003", padded, claims, GIVEN_Q | ERROR, FLAT_FORGETS);
        first_failure_is("PSGD-FLT-003", padded, claims, GIVEN_Q | ERROR_CUT, FLAT_FORGETS);
        first_failure_is("PSGD-FLT-003", padded, claims, FACTORS | ERROR, FLAT_HIDES);
        first_failure_is("PSGD-FLT-003", padded, claims, FACTORS | ERROR | GIVEN_Q, FLAT_HIDES);
        first_failure_is("PSGD-FLT-001", padded, claims, GIVEN_Q, FLAT_SHIFTED);
        first_failure_is("PSGD-FLT-002", "W2/r2/f64/ef,ws,flat/rate1000/[9x10,3]/seed=3", claims, GIVEN_Q,
                         FLAT_PASSES_ON);
    }
}

/* Rank 8 of squares of side 8 and 7: the second must be refused at the first compressed step. */
static void a_rank_above_the_side_is_refused(void **state)
{
    (void)state;
    test_case c;
    made_case(&c, "W2/r8/f64/ef,ws,flat/[7x7]/seed=3", "PSGD-FLT-002");
    for (int how = 0; how < 4; how++) { /* refused; in the plain phase already; not at all; a crash */
        trace *t = flat_trace(&c, 0, FLAT_PASSES_ON);
        for (int k = 0; k < 2; k++) {
            t->ranks[k].outcome = how == 2 ? RANK_OK : how == 3 ? RANK_CRASHED : RANK_ERROR;
            t->ranks[k].status = PSGD_ERR_ARGUMENT;
            t->ranks[k].steps_done = how == 1 ? 1 : how == 2 ? c.steps : 2;
        }
        for (int64_t step = 2; how != 2 && step < c.steps; step++) {
            values_free(trace_out(t, step, 0, 0));
            values_free(trace_out(t, step, 0, 1));
        }
        verdict v = {0};
        judge_case(&v, &c, t, CORE);
        assert_int_equal(count_of(&v, "PSGD-FLT-002", CHECK_FAIL) > 0, how != 0);
        assert_int_equal(count_of(&v, NULL, CHECK_FAIL) > 0, how != 0);
        assert_int_equal(count_of(&v, "PSGD-FLT-002", CHECK_PASS) > 0, how == 0);
        verdict_free(&v);
        trace_free(t);
    }
    case_free(&c);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(honest_ports_are_accused_of_nothing),
        cmocka_unit_test(what_is_hidden_is_unobserved),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(a_rank_above_the_side_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
