/* Tests of judge/law_alternating.c: a small alternating PowerSGD (one matrix, error feedback, outputs only) is accepted
 * whichever side comes first, and each way of not alternating fails ALT-001. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_trace.h"

#include "judge/judge.h"
#include "judge/linalg.h"

#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <string.h>

typedef enum alternating_fault {
    RIGHT,
    ONE_SIDE,    /* left at every step */
    TURNS_TWICE, /* left, left, right, right */
    REDRAWN,     /* another basis at each step */
    FIRST_KEPT,  /* the first basis of each side for ever */
    SCALED       /* twice the projection */
} alternating_fault;

typedef struct side { /* what one run remembers: row spaces and column spaces as spanning matrices */
    size_t n, m, r;
    double *rows, *columns; /* [m r], [n r]: orthonormal */
    bool has_rows, has_columns;
} side;

static double *doubles(size_t count)
{
    double *a = calloc(count, sizeof *a);
    assert_non_null(a);
    return a;
}

static void draw(double *basis, size_t n, size_t r, uint64_t seed)
{
    double *raw = doubles(n * r);
    for (size_t i = 0; i < n * r; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        raw[i] = (double)(seed >> 11) * 0x1p-52 - 1;
    }
    assert_true(householder_q(basis, raw, n, r));
    free(raw);
}

/* out[n m] = mean projected; what the other side will start from is left in s. */
static void half_step(double *out, side *s, const double *mean, bool left, alternating_fault fault, int64_t step)
{
    double *factor = doubles((s->n + s->m) * s->r);
    if (left) {
        if (!s->has_columns || fault == REDRAWN) {
            draw(s->columns, s->n, s->r, (uint64_t)step + 1);
        }
        matmul_tn(factor, mean, s->columns, s->n, s->m, s->r); /* [m r] */
        matmul_nt(out, s->columns, factor, s->n, s->m, s->r);
        if (fault != FIRST_KEPT || !s->has_rows) {
            assert_true(householder_q(s->rows, factor, s->m, s->r));
            s->has_rows = true;
        }
    } else {
        if (!s->has_rows || fault == REDRAWN) {
            draw(s->rows, s->m, s->r, (uint64_t)step + 1);
        }
        matmul(factor, mean, s->rows, s->n, s->m, s->r); /* [n r] */
        matmul_nt(out, factor, s->rows, s->n, s->m, s->r);
        if (fault != FIRST_KEPT || !s->has_columns) {
            assert_true(householder_q(s->columns, factor, s->n, s->r));
            s->has_columns = true;
        }
    }
    for (size_t i = 0; fault == SCALED && i < s->n * s->m; i++) {
        out[i] *= 2;
    }
    free(factor);
}

static bool is_left(int64_t turn, bool left_first, alternating_fault fault)
{
    bool even = fault == ONE_SIDE || (fault == TURNS_TWICE ? turn / 2 : turn) % 2 == 0;
    return even == left_first;
}

/* One bucket with one matrix. */
static trace *run(const test_case *c, bool left_first, alternating_fault fault)
{
    const size_t *dims = c->buckets[0].shapes[0].dims;
    const size_t count = dims[0] * dims[1], world = (size_t)c->world;
    side s = {.n = dims[0], .m = dims[1], .r = (size_t)c->config.matrix_approximation_rank};
    s.rows = doubles(s.m * s.r), s.columns = doubles(s.n * s.r);
    double *memory = doubles(world * count), *mean = doubles(count), *out = doubles(count);
    trace *t = trace_create(c->steps, 1, c->tensor_counts, c->world);
    assert_non_null(t);
    for (int64_t step = 0; step < c->steps; step++) {
        const bool plain = step < c->config.start_iter;
        memset(mean, 0, count * sizeof *mean);
        for (size_t k = 0; k < world; k++) {
            for (size_t i = 0; i < count; i++) {
                mean[i] += (values_get(case_in(c, step, 0, (int)k), i) + memory[k * count + i]) / (double)world;
            }
        }
        if (!plain) {
            half_step(out, &s, mean, is_left(step - c->config.start_iter, left_first, fault), fault, step);
        }
        for (size_t k = 0; k < world; k++) {
            values *shown = trace_out(t, step, 0, (int)k);
            assert_true(values_allocate(shown, c->dtype, count));
            for (size_t i = 0; i < count; i++) {
                values_set(shown, i, plain ? mean[i] : out[i]);
                if (!plain) {
                    memory[k * count + i] += values_get(case_in(c, step, 0, (int)k), i) - values_get(shown, i);
                }
            }
        }
    }
    for (int k = 0; k < c->world; k++) {
        t->ranks[k].outcome = RANK_OK;
        t->ranks[k].steps_done = c->steps;
    }
    free(s.rows);
    free(s.columns);
    free(memory);
    free(mean);
    free(out);
    return t;
}

static const char *const problems[] = {
    "W1/r1/i9/f32/ef/[24x40]/seed=1",
    "W3/r2/i9/f32/ef/[24x40]/grad=power/seed=2",
    "W2/r4/i9/f64/ef/[40x24]/grad=decay:0.8/seed=3",
    "W2/r2/i9/f32/ef/[16x24]/grad=gap/const/seed=4",
};

enum { PROBLEMS = sizeof problems / sizeof problems[0] };

/* Is ALT-001 failed, and passed by trusted checks? The largest ratio is printed. */
static void judge(bool *failed, bool *passed, bool *others_failed, const char *problem_text, bool left_first,
                  alternating_fault fault)
{
    test_case c;
    verdict v = {0};
    made_case(&c, problem_text, "PSGD-ALT-001");
    trace *t = run(&c, left_first, fault);
    judge_case(&v, &c, t,
               PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_MULTIRANK | PSGD_CLAIM_F64 |
                   PSGD_CLAIM_ALTERNATING);
    assert_false(v.out_of_memory);
    *failed = *passed = *others_failed = false;
    for (size_t i = 0; i < v.count; i++) {
        const check *k = &v.checks[i];
        const bool is_it = strcmp(k->requirement->id, "PSGD-ALT-001") == 0;
        *failed = *failed || (is_it && k->state == CHECK_FAIL);
        *passed = *passed || (is_it && k->state == CHECK_PASS);
        *others_failed = *others_failed || (!is_it && k->state == CHECK_FAIL);
        if (is_it || k->state == CHECK_FAIL) {
            print_message("%s fault %d: %s row %s %s ratio %.3g\n", problem_text, (int)fault, k->requirement->id,
                          k->row, check_state_name(k->state), k->ratio);
        }
    }
    trace_free(t);
    verdict_free(&v);
    case_free(&c);
}

static void right_runs_are_accepted(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < PROBLEMS; i++) {
        for (int left_first = 0; left_first < 2; left_first++) {
            bool failed, passed, others_failed;
            judge(&failed, &passed, &others_failed, problems[i], left_first != 0, RIGHT);
            assert_true(passed);
            assert_false(failed);
            assert_false(others_failed);
        }
    }
}

static void faults_are_found(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < PROBLEMS; i++) {
        for (int fault = ONE_SIDE; fault <= SCALED; fault++) {
            for (int left_first = 0; left_first < 2; left_first++) {
                bool failed, passed, others_failed;
                judge(&failed, &passed, &others_failed, problems[i], left_first != 0, (alternating_fault)fault);
                assert_true(failed);
                assert_false(others_failed);
            }
        }
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_runs_are_accepted),
        cmocka_unit_test(faults_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
