/* Tests of judge/compare_golden.c. With made golden results: equal ones pass, and each difference from them is laid at
 * the right door. With PyTorch's own results (GOLDEN_FOLDER): the hook, judged as a port, passes everything, with its
 * state shown and hidden. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_trace.h"

#include "harness/casefile.h"
#include "judge/judge.h"

#include <dirent.h>
#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USUAL                                                                                                          \
    (PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_WARM_START | PSGD_CLAIM_MULTIRANK | PSGD_CLAIM_F64 |     \
     PSGD_CLAIM_SUBGROUP)
#define TORCH (USUAL | PSGD_CLAIM_TORCH)

static bool fails(const verdict *v, const char *id)
{
    for (size_t i = 0; i < v->count; i++) {
        if (v->checks[i].state == CHECK_FAIL && strcmp(v->checks[i].requirement->id, id) == 0) {
            return true;
        }
    }
    return false;
}

/* A right run against golden results with a fault; also: of a golden file whose q0 is another. */
static void judge_against(verdict *v, made_fault fault, bool other_q)
{
    test_case c;
    made_case(&c, "W2/r2/s2/i5/f32/ef,ws/[24x40,17]/grad=decay:0.5", "");
    c.claims |= PSGD_CLAIM_TORCH; /* as golden cases are: the port draws its own Q */
    made_options right = {.fault = FAULT_NONE}, wrong = {.fault = fault};
    trace *t = made_trace(&c, &right);
    c.expected = made_trace(&c, &wrong);
    if (other_q) {
        values *q0 = (values *)case_q0(&c, 2, 0, 0);
        values_set(q0, 3, values_get(q0, 3) * 2);
    }
    judge_case(v, &c, t, TORCH);
    trace_free(t);
    case_free(&c);
}

static void differences_are_found(void **state)
{
    (void)state;
    static const struct {
        made_fault fault;
        const char *breaks;
    } cases[] = {{FAULT_Q_SEED, "PSGD-RND-002"}, {FAULT_Q_REDRAWN, "PSGD-EF-004"}, {FAULT_ERROR_LOCAL, "PSGD-EF-002"},
                 {FAULT_SIGNS, "PSGD-ORT-002"},  {FAULT_Q_SUMMED, "PSGD-WRM-002"}, {FAULT_STATISTICS, "PSGD-STA-001"},
                 {FAULT_NAN, "PSGD-RND-002"}};
    verdict v = {0};
    judge_against(&v, FAULT_NONE, false);
    assert_int_equal(verdict_count(&v).by_state[CHECK_FAIL], 0);
    verdict_free(&v);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        judge_against(&v, cases[i].fault, false);
        if (!fails(&v, cases[i].breaks)) {
            fail_msg("golden results with fault %d: %s does not fail", (int)cases[i].fault, cases[i].breaks);
        }
        verdict_free(&v);
    }
}

static void other_seed_is_found(void **state)
{
    (void)state;
    verdict v = {0};
    judge_against(&v, FAULT_NONE, true);
    assert_true(fails(&v, "PSGD-RND-002"));
    bool exact = false;
    for (size_t i = 0; i < v.count; i++) {
        exact = exact || (strcmp(v.checks[i].row, "10") == 0 && v.checks[i].state == CHECK_FAIL);
    }
    assert_true(exact);
    verdict_free(&v);
}

static void hide_state(trace *t)
{
    size_t tensors = 0, ranks = t->bucket_count * (size_t)t->world;
    for (size_t b = 0; b < t->bucket_count; b++) {
        tensors += t->tensor_counts[b];
    }
    for (size_t step = 0; step < (size_t)t->steps; step++) {
        for (size_t i = 0; i < tensors; i++) {
            values_free(&t->p[step * tensors + i]);
            values_free(&t->q[step * tensors + i]);
        }
        for (size_t i = 0; i < ranks; i++) {
            values_free(&t->error[step * ranks + i]);
        }
        t->statistics[step].shown = false;
    }
}

static size_t judge_file(const char *path, uint64_t claims, bool hidden)
{
    test_case c;
    char message[256];
    verdict v = {0};
    if (!casefile_read(&c, path, message, sizeof message)) {
        fail_msg("%s: %s", path, message);
    }
    if (c.expected == NULL) {
        fail_msg("%s holds no results", path);
    }
    if (hidden) {
        hide_state(c.expected);
        c.expected->q_given = true;
    }
    judge_case(&v, &c, c.expected, claims);
    for (size_t i = 0; i < v.count; i++) {
        if (v.checks[i].state == CHECK_FAIL) {
            fail_msg("%s: PyTorch's hook fails %s row %s, ratio %g, step %d, tensor %d: %s", c.id,
                     v.checks[i].requirement->id, v.checks[i].row, v.checks[i].ratio, (int)v.checks[i].place.step,
                     (int)v.checks[i].place.tensor, v.checks[i].message == NULL ? "" : v.checks[i].message);
        }
    }
    assert_false(v.out_of_memory);
    size_t passed = verdict_count(&v).by_state[CHECK_PASS];
    verdict_free(&v);
    case_free(&c);
    return passed;
}

static void hook_itself_passes(void **state)
{
    (void)state;
    DIR *folder = opendir(GOLDEN_FOLDER);
    assert_non_null(folder);
    size_t files = 0, passed = 0;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        const char *ending = strrchr(entry->d_name, '.');
        bool is_case = strncmp(entry->d_name, "draws-", 6) != 0 && strncmp(entry->d_name, "rec-", 4) != 0;
        if (!is_case || ending == NULL || strcmp(ending, ".safetensors") != 0) {
            continue;
        }
        char path[1024];
        int length = snprintf(path, sizeof path, "%s/%s", GOLDEN_FOLDER, entry->d_name);
        assert_true(length > 0 && (size_t)length < sizeof path);
        passed += judge_file(path, TORCH, false);
        passed += judge_file(path, USUAL, true);
        files++;
    }
    closedir(folder);
    assert_true(files >= 50 && passed > 10 * files);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {cmocka_unit_test(differences_are_found), cmocka_unit_test(other_seed_is_found),
                                       cmocka_unit_test(hook_itself_passes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
