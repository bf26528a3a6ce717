/* suite.c: the table's cases can be made, are named apart, carry known requirements' form, and keep their promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures.h"
#include "harness/file_parts.h"
#include "harness/suite.h"

#include <stdlib.h>
#include <string.h>

/* "PSGD-ABC-001 PSGD-..." */
static bool requirements_well_formed(const char *text)
{
    for (;;) {
        static const char pattern[] = "PSGD-AAA-000";
        size_t area = 0;
        if (strncmp(text, "PSGD-", 5) != 0)
            return false;
        text += 5;
        while (text[area] >= 'A' && text[area] <= 'Z')
            area++;
        if (area < 2 || area > 3 || text[area] != '-' || strspn(text + area + 1, "0123456789") != 3)
            return false;
        text += area + 4;
        if (*text == '\0')
            return true;
        if (*text++ != ' ' || strlen(text) < sizeof pattern - 2)
            return false;
    }
}

static void test_table(void **unused)
{
    (void)unused;
    const size_t count = suite_count();
    size_t golden = 0, quick = 0;
    for (size_t i = 0; i < count; i++) {
        problem p;
        problem_error error;
        if (!problem_parse(&p, suite_at(i)->problem, &error))
            fail_msg("%s, at %zu: %s", suite_at(i)->id, error.position, error.message);
        if (!id_is_safe(suite_at(i)->id) || !requirements_well_formed(suite_at(i)->requirements))
            fail_msg("%s", suite_at(i)->id);
        for (size_t j = 0; j < i; j++)
            if (strcmp(suite_at(i)->id, suite_at(j)->id) == 0)
                fail_msg("%s is there twice", suite_at(i)->id);
        golden += suite_at(i)->golden;
        quick += suite_at(i)->quick;
        const bool torch = (suite_at(i)->claims & PSGD_CLAIM_TORCH) != 0;
        /* Of the half types some are judged by the model alone. */
        const bool half = dtype_is_half(p.dtype);
        if (suite_at(i)->golden ? !torch : torch && !half)
            fail_msg("%s: golden and torch go together", suite_at(i)->id);
        /* The hook's own restriction. */
        if (torch && (p.error_feedback || p.warm_start) && p.start <= 1)
            fail_msg("%s: the hook refuses this start", suite_at(i)->id);
        /* Except where the case is about just that. */
        if (!torch && !p.flattened && strstr(suite_at(i)->requirements, "SEL-006") == NULL &&
            !problem_is_unambiguous(&p))
            fail_msg("%s: its shapes are not treated alike by all ports", suite_at(i)->id);
        if (!torch && p.epsilon > 0 && strstr(suite_at(i)->requirements, "ORT-005") == NULL && !p.flattened)
            fail_msg("%s: epsilon is a matter of torch", suite_at(i)->id);
        if (p.recording == NULL) {
            test_case c;
            build_case(&c, suite_at(i)->problem);
            case_free(&c);
        }
        problem_free(&p);
    }
    assert_true(golden >= 55);
    assert_true(quick >= 40 && quick < count);
}

/* A requirement that the full suite has a case for has one among the quick ones. */
static void test_quick_covers(void **unused)
{
    (void)unused;
    const size_t count = suite_count();
    for (size_t i = 0; i < count; i++)
        for (const char *at = suite_at(i)->requirements; *at != '\0';) {
            char id[16];
            const size_t length = strcspn(at, " ");
            assert_true(length < sizeof id);
            memcpy(id, at, length);
            id[length] = '\0';
            bool found = false;
            for (size_t j = 0; j < count && !found; j++)
                found = suite_at(j)->quick && strstr(suite_at(j)->requirements, id) != NULL;
            if (!found)
                fail_msg("%s has no quick case", id);
            at += length + (at[length] == ' ' ? 1 : 0);
        }
}

static void test_companions(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *companion;
        companion kind;
    } table[] = {
        {"W1/r1/f32/[5]", "W1/r1/s2/i6/f32/ef,ws/rate2/eps0/[5]/grad=gauss/seed=0", COMPANION_NONE},
        {"W1/r1/f32/[5]/scale=-30", "W1/r1/s2/i6/f32/ef,ws/rate2/eps0/[5]/grad=gauss/seed=0", COMPANION_UNSCALED},
        {"W1/r1/f32/[5]/scale=83", "W1/r1/s2/i6/f32/ef,ws/rate2/eps0/[5]/grad=gauss/scale=83/seed=0", COMPANION_NONE},
        {"W2/r1/f32/[5]/rev", "W2/r1/s2/i6/f32/ef,ws/rate2/eps0/[5]/grad=gauss/seed=0", COMPANION_UNREVERSED},
        {"W2/r1/f32/[5]/ckpt=3", "W2/r1/s2/i6/f32/ef,ws/rate2/eps0/[5]/grad=gauss/seed=0", COMPANION_UNINTERRUPTED},
        {"W2/r1/f32/ef,async/[5]", "W2/r1/s2/i6/f32/ef/rate2/eps0/[5]/grad=gauss/seed=0", COMPANION_BLOCKING},
        {"W2/r1/f32/[5,6]/grad=zero|inf@2", "W2/r1/s2/i6/f32/ef,ws/rate2/eps0/[5,6]/grad=zero|gauss/seed=0",
         COMPANION_CLEAN},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        problem p, second;
        assert_true(problem_parse(&p, table[i].text, NULL));
        assert_int_equal(suite_companion_of(&p), table[i].kind);
        assert_true(suite_companion_problem(&second, &p, table[i].kind));
        char *text = problem_print(&second);
        assert_string_equal(text, table[i].companion);
        free(text);
        problem_free(&p);
        problem_free(&second);
    }
}

/* Its square's side is below the rank. */
static bool has_bucket_below_rank(const problem *p)
{
    for (size_t b = 0; b < p->bucket_count; b++) {
        size_t length = 0;
        for (size_t i = 0; i < p->buckets[b].tensor_count; i++) {
            size_t numel = 1;
            for (size_t d = 0; d < p->buckets[b].shapes[i].ndim; d++)
                numel *= p->buckets[b].shapes[i].dims[d];
            length += numel;
        }
        if (length <= (size_t)((p->r - 1) * (p->r - 1)))
            return true;
    }
    return false;
}

/* The same for the same arguments, within what is claimed, and at the edges that it is biased to. */
static void test_random(void **unused)
{
    (void)unused;
    const uint64_t basic = PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK;
    const uint64_t all = ~(uint64_t)0;
    size_t ties = 0, edges = 0, async = 0, flattened = 0, batched = 0, above = 0;
    for (uint64_t i = 0; i < 2000; i++) {
        problem p, again;
        assert_true(suite_random_problem(&p, 3, i, basic));
        assert_int_equal(problem_claims(&p) & ~basic, 0);
        assert_true(problem_is_unambiguous(&p));
        assert_true(p.epsilon == 0);
        problem_free(&p);
        assert_true(suite_random_problem(&p, 3, i, all));
        assert_true(suite_random_problem(&again, 3, i, all));
        char *text = problem_print(&p), *text_again = problem_print(&again);
        assert_string_equal(text, text_again);
        free(text);
        free(text_again);
        problem_free(&again);
        async += p.async;
        batched += p.same_shape_batching;
        flattened += p.flattened;
        above += p.flattened && has_bucket_below_rank(&p);
        assert_true(p.start > 1 || !(p.error_feedback || p.warm_start));
        for (size_t b = 0; b < p.bucket_count; b++)
            for (size_t j = 0; j < p.buckets[b].tensor_count; j++) {
                const psgd_shape *s = &p.buckets[b].shapes[j];
                if (s->ndim != 2)
                    continue;
                const size_t n = s->dims[0], m = s->dims[1], r = (size_t)p.r, least = n < m ? n : m;
                ties += (double)((n + m) * (least < r ? least : r)) * p.rate == (double)(n * m);
                edges += n == r - 1 || n == r || n == r + 1 || m == 1;
            }
        problem_free(&p);
    }
    assert_true(ties > 100);
    assert_true(edges > 300);
    assert_true(async > 100 && async < 1000);
    assert_true(batched > 300 && batched < 1000);
    assert_true(flattened > 100 && flattened < 1000);
    assert_true(above > 10 && above < flattened / 2); /* refused: most are not */
}

/* A seed names the same problems whatever compiled the kit. */
static void test_random_is_frozen(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "W1/r2/s0/i3/bf16/-/rate8/eps0/[1x15,32x31;32x33,1x1,1x5x1x4x5]/grad=gap/seed=188241/rs=904",
        "W3/r2/s2/i8/f64/ws/rate2/eps0/[2x5x1x5,3x5x5x4,8x8,10x4;4x13,6x2]/grad=decay:0.7/seed=252540/rs=161",
        "W2/r2/s0/i5/f32/flat,async/rate2/eps0/[5x2x5x4,5x1]/grad=decay:0.7/seed=307440/rs=596",
    };
    for (uint64_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        problem p;
        assert_true(suite_random_problem(&p, 1, i, ~(uint64_t)0));
        char *text = problem_print(&p);
        assert_string_equal(text, texts[i]);
        free(text);
        problem_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_quick_covers),
                                       cmocka_unit_test(test_companions), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_random_is_frozen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
