/* Tests of core/layout.h: sizes, selection, grouping. The flattened variant's: layout_flattened.c. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "layout_made.h"

/* ---- sizes ---- */

static void size_arithmetic_is_checked(void **state)
{
    (void)state;
    size_t result = 5;
    assert_true(psgd_size_multiply(0, SIZE_MAX, &result) && result == 0);
    assert_true(psgd_size_multiply(SIZE_MAX, 1, &result) && result == SIZE_MAX);
    assert_true(psgd_size_multiply(SIZE_MAX / 2, 2, &result) && result == SIZE_MAX - 1);
    assert_false(psgd_size_multiply(SIZE_MAX / 2 + 1, 2, &result));
    assert_false(psgd_size_multiply(2, SIZE_MAX / 2 + 1, &result));
    assert_true(result == SIZE_MAX - 1);
    assert_true(psgd_size_add(SIZE_MAX, 0, &result) && result == SIZE_MAX);
    assert_false(psgd_size_add(SIZE_MAX, 1, &result));
    assert_true(result == SIZE_MAX);
    assert_true(psgd_size_add(2, 3, &result) && result == 5);
}

/* ---- selection ---- */

/* Ties, and cases whose answer depends on the order of operations: (n + m) r rate is 125.99999999999999 in the first,
 * where r rate (n + m) is 126.0, and the other way round in the next two. Answers by PyTorch's hook. */
static void selection_is_strict_and_in_order(void **state)
{
    (void)state;
    static const struct {
        size_t n, m, r;
        double rate;
        bool compressed;
    } cases[] = {
        {3, 42, 2, 1.4, true}, {18, 22, 3, 3.3, false}, {3, 7, 3, 0.7, false}, {4, 4, 1, 2, false},
        {8, 8, 2, 2, false},   {8, 8, 1, 4, false},     {5, 4, 1, 2, true},    {1, 1, 1, 0, true},
        {1, 1, 1, 0.5, false}, {2, 1, 1, 0.5, true},    {7, 1, 1, 2, false},   {0, 5, 0, 0, false},
        {5, 0, 0, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(psgd_is_compressed(cases[i].n, cases[i].m, cases[i].r, cases[i].rate), cases[i].compressed);
    }
}

/* 73 964 answers of PyTorch's hook for small matrices: how many are yes, and a hash (FNV-1a) of all in order. */
static void selection_equals_the_hooks(void **state)
{
    (void)state;
    static const size_t ranks[] = {1, 2, 3, 5};
    static const double rates[] = {0, .3, .5, .7, 1, 1.1, 1.4, 2, 3.3, 4, 8};
    uint64_t hash = 0xcbf29ce484222325u;
    size_t yes = 0;
    for (size_t n = 0; n <= 40; n++) {
        for (size_t m = 0; m <= 40; m++) {
            for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
                const size_t side = n < m ? n : m, r = ranks[i] < side ? ranks[i] : side;
                for (size_t j = 0; j < sizeof rates / sizeof rates[0]; j++) {
                    const bool compressed = psgd_is_compressed(n, m, r, rates[j]);
                    yes += compressed;
                    hash = (hash ^ compressed) * 0x100000001b3u;
                }
            }
        }
    }
    assert_int_equal(yes, 52046);
    assert_true(hash == 0xda720a6a27890c4fu);
}

/* Python's integers are exact, and so is its comparison of a double with one: (2^27 + 1)^2 is odd and no double, and
 * the double just below it is smaller. */
static void selection_is_exact_above_two_to_the_53(void **state)
{
    (void)state;
    const size_t side = ((size_t)1 << 27) + 1;
    assert_true(psgd_is_compressed(side, side, 1, 67108864.5));
    assert_false(psgd_is_compressed(side, side, 1, 67108864.75));
}

static void selection_refuses_what_no_memory_holds(void **state)
{
    (void)state;
    assert_false(psgd_is_compressed(SIZE_MAX, SIZE_MAX, 1, 0));
    assert_false(psgd_is_compressed(SIZE_MAX, 1, 1, 0));
    assert_false(psgd_is_compressed(SIZE_MAX / 2, 2, 2, 0));
    assert_false(psgd_is_compressed(8, 8, 1, (double)NAN));
    assert_false(psgd_is_compressed(8, 8, 1, (double)INFINITY));
    assert_false(psgd_is_compressed(8, 8, 1, 1e300));
}

/* ---- buckets ---- */

static void tensors_become_matrices(void **state)
{
    (void)state;
    const psgd_shape shapes[] = {SHAPE(24, 40),     SHAPE(3, 2, 5), SHAPE(7),
                                 SHAPE(2, 3, 4, 5), {0, NULL},      SHAPE(6, 1, 2, 2, 3)};
    static const size_t n[] = {24, 3, 7, 2, 1, 6}, m[] = {40, 10, 1, 60, 1, 12};
    static const size_t r[] = {4, 3, 1, 2, 1, 4}, offset[] = {0, 960, 990, 997, 1117, 1118};
    psgd_bucket_layout layout = made(shapes, 6, 4, 2);
    assert_int_equal(layout.index, 3);
    assert_int_equal(layout.dtype, PSGD_F64);
    assert_int_equal(layout.tensor_count, 6);
    for (size_t i = 0; i < 6; i++) {
        const psgd_matrix_layout *t = &layout.tensors[i];
        assert_int_equal(t->n, n[i]);
        assert_int_equal(t->m, m[i]);
        assert_int_equal(t->r, r[i]);
        assert_int_equal(t->offset, offset[i]);
        assert_int_equal(t->compressed, i == 0); /* 512 < 960; 78 > 30, 16 > 7, 248 > 120, 4 > 1, 144 > 72 */
    }
    assert_int_equal(layout.numel, 1190);
    assert_int_equal(layout.uncompressed_numel, 230);
    assert_int_equal(layout.compressed_count, 1);
    assert_int_equal(layout.p_numel, 24 * 4);
    assert_int_equal(layout.q_numel, 40 * 4);
    psgd_bucket_layout_free(&layout);
}

/* The rank is cut to min(n, m) before the test, so a matrix with fewer columns than the rank can pass it. */
static void rank_is_clipped_in_the_test(void **state)
{
    (void)state;
    const psgd_shape shapes[] = {SHAPE(30, 2)};
    psgd_bucket_layout layout = made(shapes, 1, 8, 0.9);
    assert_int_equal(layout.tensors[0].r, 2);
    assert_true(layout.tensors[0].compressed); /* 64 0.9 = 57.6 < 60; unclipped 230.4 */
    psgd_bucket_layout_free(&layout);
}

static void factors_are_grouped_by_matricised_shape(void **state)
{
    (void)state;
    /* A, B, short, A as 3-D, C, B: factors in the order A A B B C */
    const psgd_shape shapes[] = {SHAPE(24, 40), SHAPE(20, 30), SHAPE(9), SHAPE(24, 5, 8), SHAPE(40, 24), SHAPE(20, 30)};
    static const size_t order[] = {0, 3, 1, 5, 4}, run[] = {2, 1, 2, 1, 1}; /* run: of one shape from here on */
    psgd_bucket_layout layout = made(shapes, 6, 2, 2);
    assert_int_equal(layout.compressed_count, 5);
    size_t p = 0, q = 0;
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(layout.factor_order[i], order[i]);
        assert_int_equal(psgd_bucket_layout_run(&layout, i), run[i]);
        const psgd_matrix_layout *t = &layout.tensors[order[i]];
        assert_true(t->compressed);
        assert_int_equal(t->p_offset, p);
        assert_int_equal(t->q_offset, q);
        p += t->n * t->r;
        q += t->m * t->r;
    }
    assert_int_equal(layout.p_numel, p);
    assert_int_equal(layout.q_numel, q);
    assert_false(layout.tensors[2].compressed);
    assert_int_equal(layout.uncompressed_numel, 9);
    psgd_bucket_layout_free(&layout);
}

static void empty_tensors_pass(void **state)
{
    (void)state;
    const psgd_shape shapes[] = {SHAPE(0), SHAPE(0, 5), SHAPE(5, 0), SHAPE(4, 4), SHAPE(3, 0, SIZE_MAX)};
    psgd_bucket_layout layout = made(shapes, 5, 2, 0);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(layout.tensors[i].compressed, i == 3);
    }
    assert_int_equal(layout.tensors[2].n, 5);
    assert_int_equal(layout.tensors[2].m, 0);
    assert_int_equal(layout.numel, 16);
    psgd_bucket_layout_free(&layout);
    layout = made(NULL, 0, 1, 2);
    assert_int_equal(layout.numel, 0);
    assert_int_equal(layout.compressed_count, 0);
    psgd_bucket_layout_free(&layout);
    psgd_bucket_layout_free(&layout); /* an empty one, and null, are allowed */
    psgd_bucket_layout_free(NULL);
}

static void huge_rank_is_clipped(void **state)
{
    (void)state;
    const psgd_shape shapes[] = {SHAPE(5, 3)};
    psgd_bucket_layout layout = made(shapes, 1, INT64_MAX, 0);
    assert_int_equal(layout.tensors[0].r, 3);
    psgd_bucket_layout_free(&layout);
}

static void refused(const psgd_bucket *bucket, int64_t rank, double rate, const char *message_part)
{
    psgd_bucket_layout layout;
    memset(&layout, 0x5a, sizeof layout);
    char message[message_size] = "";
    assert_int_equal(psgd_bucket_layout_make(&layout, bucket, rank, rate, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_non_null(strstr(message, message_part));
    assert_null(layout.tensors);
    assert_null(layout.factor_order);
}

static void bad_buckets_are_refused(void **state)
{
    (void)state;
    const psgd_shape shapes[] = {SHAPE(4, 4), {2, NULL}};
    psgd_bucket b = bucket_of(shapes, 1);
    refused(NULL, 1, 2, "bucket is null");
    b.struct_size = 0;
    refused(&b, 1, 2, "bucket.struct_size is 0");
    b = bucket_of(shapes, 1);
    b.struct_size = offsetof(psgd_bucket, shapes);
    refused(&b, 1, 2, "bucket.struct_size is ");
    b = bucket_of(shapes, 1);
    b.dtype = 0;
    refused(&b, 1, 2, "bucket.dtype is 0");
    b.dtype = 5;
    refused(&b, 1, 2, "bucket.dtype is 5");
    b = bucket_of(NULL, 1);
    refused(&b, 1, 2, "bucket.shapes is null");
    b = bucket_of(shapes, 2);
    refused(&b, 1, 2, "bucket.shapes[1].dims is null");
    b = bucket_of(shapes, SIZE_MAX / 4);
    refused(&b, 1, 2, "bucket.tensor_count is ");
    b = bucket_of(shapes, 1);
    b.data = NULL;
    refused(&b, 1, 2, "bucket.data is null");
    b = bucket_of(shapes, 1);
    refused(&b, 0, 2, "matrix_approximation_rank is 0");
    refused(&b, -7, 2, "matrix_approximation_rank is -7");
    refused(&b, 1, -1, "min_compression_rate is -1");
    refused(&b, 1, (double)NAN, "min_compression_rate is ");
    assert_int_equal(psgd_bucket_layout_make(NULL, &b, 1, 2, NULL, 0), PSGD_ERR_ARGUMENT);
}

static void overflow_is_refused(void **state)
{
    (void)state;
    const psgd_shape columns[] = {SHAPE(1, SIZE_MAX / 2, 3)}, rows[] = {SHAPE(SIZE_MAX / 2, 3)};
    const psgd_shape sum[] = {SHAPE(SIZE_MAX / 2), SHAPE(SIZE_MAX / 2), SHAPE(2)}, bytes[] = {SHAPE(SIZE_MAX / 8)};
    const psgd_shape signed_bytes[] = {SHAPE(PTRDIFF_MAX / 8 + 1)};
    psgd_bucket b = bucket_of(columns, 1);
    refused(&b, 1, 2, "bucket.shapes[0] has more elements");
    b = bucket_of(rows, 1);
    refused(&b, 1, 2, "bucket.shapes[0] has more elements");
    b = bucket_of(sum, 3);
    refused(&b, 1, 2, "bucket.shapes[2] has more elements");
    b = bucket_of(bytes, 1);
    refused(&b, 1, 2, "bucket.shapes have more elements");
    b = bucket_of(signed_bytes, 1);
    refused(&b, 1, 2, "bucket.shapes have more elements");
}

static void layouts_are_compared_as_matrices(void **state)
{
    (void)state;
    const psgd_shape plain[] = {SHAPE(24, 40), SHAPE(9)}, folded[] = {SHAPE(24, 5, 8), SHAPE(9, 1)};
    const psgd_shape swapped[] = {SHAPE(40, 24), SHAPE(9)}, shorter[] = {SHAPE(24, 40)};
    psgd_bucket_layout a = made(plain, 2, 2, 2), b = made(folded, 2, 2, 2), c = made(swapped, 2, 2, 2);
    psgd_bucket_layout d = made(shorter, 1, 2, 2), e = made(plain, 2, 3, 2), f = made(plain, 2, 2, 50);
    psgd_bucket single = bucket_of(plain, 2);
    single.dtype = PSGD_F32;
    psgd_bucket_layout g;
    assert_int_equal(psgd_bucket_layout_make(&g, &single, 2, 2, NULL, 0), PSGD_OK);
    assert_true(psgd_bucket_layout_equal(&a, &a));
    assert_true(psgd_bucket_layout_equal(&a, &b));
    assert_false(psgd_bucket_layout_equal(&a, &c));
    assert_false(psgd_bucket_layout_equal(&a, &d));
    assert_false(psgd_bucket_layout_equal(&a, &e));
    assert_false(psgd_bucket_layout_equal(&a, &f));
    assert_false(psgd_bucket_layout_equal(&a, &g));
    psgd_bucket_layout *all[] = {&a, &b, &c, &d, &e, &f, &g};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        psgd_bucket_layout_free(all[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(size_arithmetic_is_checked),
        cmocka_unit_test(selection_is_strict_and_in_order),
        cmocka_unit_test(selection_equals_the_hooks),
        cmocka_unit_test(selection_is_exact_above_two_to_the_53),
        cmocka_unit_test(selection_refuses_what_no_memory_holds),
        cmocka_unit_test(tensors_become_matrices),
        cmocka_unit_test(rank_is_clipped_in_the_test),
        cmocka_unit_test(factors_are_grouped_by_matricised_shape),
        cmocka_unit_test(empty_tensors_pass),
        cmocka_unit_test(huge_rank_is_clipped),
        cmocka_unit_test(bad_buckets_are_refused),
        cmocka_unit_test(overflow_is_refused),
        cmocka_unit_test(layouts_are_compared_as_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
