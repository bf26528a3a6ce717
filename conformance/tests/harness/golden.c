/* golden.c: every golden file that the suite names is there, is read whole, and holds the very inputs that the kit
 * makes from its problem string, and the very Q: the hook drew its own, so this holds the kit's draws against
 * PyTorch's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/casefile.h"
#include "harness/suite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* f64 draws go through libm's logarithm, sine and cosine, which may differ by a few units elsewhere. */
static bool equal_draws(const values *a, const values *b)
{
    if (a->dtype != PSGD_F64 || a->count != b->count || a->data == NULL || b->data == NULL)
        return values_equal_bits(a, b);
    for (size_t i = 0; i < a->count; i++)
        if (!(fabs(values_get(a, i) - values_get(b, i)) <= 4e-15))
            return false;
    return true;
}

static void compare(const test_case *file, const test_case *made, const char *id)
{
    bool same = strcmp(file->problem_text, made->problem_text) == 0 && file->expected != NULL;
    for (int64_t step = 0; same && step < file->steps; step++)
        for (size_t b = 0; same && b < file->bucket_count; b++) {
            for (int k = 0; k < file->world; k++)
                same = same && values_equal_bits(case_in(file, step, b, k), case_in(made, step, b, k));
            for (size_t i = 0; i < file->tensor_counts[b]; i++)
                same = same && equal_draws(case_q0(file, step, b, i), case_q0(made, step, b, i));
        }
    if (!same)
        fail_msg("golden file %s is not what its problem string makes", id);
}

static void test_golden_files(void **unused)
{
    (void)unused;
    const size_t count = suite_count();
    size_t compared = 0;
    for (size_t i = 0; i < count; i++) {
        char path[1024], message[400];
        problem p;
        test_case file, made;
        if (!suite_at(i)->golden)
            continue;
        (void)snprintf(path, sizeof path, "%s/%s.safetensors", GOLDEN_FOLDER, suite_at(i)->id);
        assert_true(problem_parse(&p, suite_at(i)->problem, NULL));
        if (!casefile_read(&file, path, message, sizeof message))
            fail_msg("%s", message);
        if (!case_build(&made, &p, suite_at(i)->id, suite_at(i)->requirements, file.claims, GOLDEN_FOLDER, message,
                        sizeof message))
            fail_msg("%s", message);
        compare(&file, &made, suite_at(i)->id);
        assert_int_equal(file.claims, suite_at(i)->claims | problem_claims(&p));
        case_free(&file);
        case_free(&made);
        problem_free(&p);
        compared++;
    }
    assert_true(compared >= 55);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
