/* trace.c: the merging of ranks' traces, and values compared by their bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What rank k alone would have. */
static trace *rank_trace(const test_case *c, int rank)
{
    trace *t = full_trace(c);
    for (int k = 0; k < c->world; k++) {
        if (k == rank)
            continue;
        t->ranks[k].outcome = RANK_ABSENT;
        for (int64_t step = 0; step < c->steps; step++)
            for (size_t b = 0; b < c->bucket_count; b++) {
                values_free(trace_out(t, step, b, k));
                values_free(trace_error(t, step, b, k));
            }
    }
    for (int64_t step = 0; step < c->steps; step++)
        t->wire[step * c->world + rank] = 1000 * rank + step;
    if (rank == 0) {
        t->has_log = true;
        t->log = calloc(1, sizeof *t->log);
        t->log[0] = strdup("0\tstatistics");
        t->log_count = 1;
    }
    return t;
}

static void test_merge(void **unused)
{
    (void)unused;
    test_case c;
    char message[300] = "";
    build_case(&c, "W3/r1/f32/[8x9,5;3x7]");
    trace *whole = trace_create(c.steps, c.bucket_count, c.tensor_counts, c.world), *all = full_trace(&c);
    for (int k = 2; k >= 0; k--) {
        trace *part = rank_trace(&c, k);
        if (!trace_merge(whole, part, k, message, sizeof message))
            fail_msg("%s", message);
        trace_free(part);
    }
    assert_string_equal(whole->producer, "a port");
    assert_true(whole->q_given);
    assert_true(whole->has_log && whole->log_count == 1);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(whole->ranks[k].outcome, RANK_OK);
        assert_int_equal(whole->wire[4 * 3 + k], 1000 * k + 4);
        for (size_t b = 0; b < 2; b++) {
            assert_true(values_equal_bits(trace_out(whole, 3, b, k), trace_out(all, 3, b, k)));
            assert_true(values_equal_bits(trace_error(whole, 3, b, k), trace_error(all, 3, b, k)));
        }
    }
    assert_true(values_equal_bits(trace_p(whole, 3, 0, 0), trace_p(all, 3, 0, 0)));
    assert_true(whole->statistics[5].shown);
    trace_free(whole);
    trace_free(all);
    case_free(&c);
}

/* A factor that differs in one bit is found; what the rank says of itself is there all the same. */
static void test_merge_refuses(void **unused)
{
    (void)unused;
    test_case c, other;
    char message[300] = "";
    build_case(&c, "W2/r1/f32/[8x9,5]");
    build_case(&other, "W2/r1/f32/[8x9]");
    trace *whole = rank_trace(&c, 0), *part = rank_trace(&c, 1), *foreign = rank_trace(&other, 1);
    ((uint32_t *)trace_q(part, 3, 0, 0)->data)[2] ^= 1;
    assert_false(trace_merge(whole, part, 1, message, sizeof message));
    assert_non_null(strstr(message, "Q of tensor 0 in bucket 0 after step 3 differs"));
    assert_non_null(trace_out(whole, 3, 0, 1)->data);
    assert_int_equal(whole->ranks[1].outcome, RANK_OK);
    assert_false(trace_merge(whole, foreign, 1, message, sizeof message));
    assert_non_null(strstr(message, "another run"));
    trace_free(part);
    part = rank_trace(&c, 1);
    part->statistics[3].value.numel_after_compression++;
    assert_false(trace_merge(whole, part, 1, message, sizeof message));
    assert_non_null(strstr(message, "statistics"));
    trace_free(part);
    part = rank_trace(&c, 1);
    part->q_given = false;
    assert_false(trace_merge(whole, part, 1, message, sizeof message));
    trace_free(part);
    trace_free(foreign);
    trace_free(whole);
    case_free(&c);
    case_free(&other);
}

static void test_equal_bits(void **unused)
{
    (void)unused;
    values a, b;
    assert_true(values_allocate(&a, PSGD_F32, 2));
    assert_true(values_allocate(&b, PSGD_F32, 2));
    values_set(&a, 0, (double)NAN);
    assert_false(values_equal_bits(&a, &b));
    values_set(&b, 0, (double)NAN);
    assert_true(values_equal_bits(&a, &b)); /* bits, not numbers */
    values_set(&a, 1, 0.0);
    values_set(&b, 1, -0.0);
    assert_false(values_equal_bits(&a, &b));
    b.count = 1;
    assert_false(values_equal_bits(&a, &b));
    values_free(&a);
    values_free(&b);
    assert_true(values_equal_bits(&a, &b));
    assert_false(values_allocate(&a, PSGD_F64, SIZE_MAX / 4));
}

static void test_create_refuses(void **unused)
{
    (void)unused;
    const size_t many[] = {SIZE_MAX / 2, SIZE_MAX / 2, 2};
    const size_t one = 1;
    assert_null(trace_create(-1, 1, &one, 1));
    assert_null(trace_create(1, 1, &one, 0));
    assert_null(trace_create(1, 3, many, 1));
    assert_null(trace_create(INT64_MAX, 1, &one, 8));
    trace *t = trace_create(0, 1, &one, 1);
    assert_non_null(t);
    trace_free(t);
    trace_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_merge), cmocka_unit_test(test_merge_refuses),
                                       cmocka_unit_test(test_equal_bits), cmocka_unit_test(test_create_refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
