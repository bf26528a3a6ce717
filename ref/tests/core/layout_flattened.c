/* Tests of core/layout.h: the flattened variant: the square, its rank, what makes two of them equal. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <string.h>

#include "layout_made.h"

static psgd_bucket_layout flattened(const psgd_shape *shapes, size_t count, int64_t rank)
{
    psgd_bucket_layout layout = made(shapes, count, rank, 2);
    assert_int_equal(psgd_bucket_layout_flatten(&layout, rank, NULL, 0), PSGD_OK);
    return layout;
}

static void side_is_the_smallest_that_holds_the_bucket(void **state)
{
    (void)state;
    const size_t cases[][2] = {{1, 1},
                               {2, 2},
                               {4, 2},
                               {5, 3},
                               {9, 3},
                               {10, 4},
                               {1000000, 1000},
                               {1000001, 1001},
                               {((size_t)1 << 52) - 1, (size_t)1 << 26},
                               {((size_t)1 << 52) + 1, ((size_t)1 << 26) + 1},
                               /* a double's square root is 2^28 + 1 for both */
                               {(((size_t)1 << 28) + 1) * (((size_t)1 << 28) + 1), ((size_t)1 << 28) + 1},
                               {(((size_t)1 << 28) + 1) * (((size_t)1 << 28) + 1) + 1, ((size_t)1 << 28) + 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const psgd_shape shapes[] = {SHAPE(cases[i][0])};
        psgd_bucket_layout layout = flattened(shapes, 1, 1);
        assert_int_equal(layout.side, cases[i][1]);
        assert_int_equal(layout.error_numel, cases[i][1] * cases[i][1]);
        psgd_bucket_layout_free(&layout);
    }
}

static void a_flattened_bucket_is_one_matrix(void **state)
{
    (void)state;
    const psgd_shape shapes[] = {SHAPE(3, 2), SHAPE(0), SHAPE(5), SHAPE(2, 5, 3)}; /* 6 + 0 + 5 + 30 of 7 x 7 */
    psgd_bucket_layout layout = flattened(shapes, 4, 5), plain = made(shapes, 4, 5, 2);
    assert_int_equal(layout.numel, 41);
    assert_int_equal(layout.error_numel, 49);
    assert_int_equal(plain.error_numel, 41);
    assert_int_equal(layout.uncompressed_numel, 0);
    assert_int_equal(layout.p_numel, 7 * 5);
    assert_int_equal(layout.q_numel, 7 * 5);
    assert_int_equal(layout.tensor_count, 1);
    assert_int_equal(layout.compressed_count, 1);
    assert_int_equal(layout.factor_order[0], 0);
    assert_int_equal(psgd_bucket_layout_run(&layout, 0), 1);
    const psgd_matrix_layout *square = &layout.tensors[0];
    assert_true(square->compressed && square->n == 7 && square->m == 7 && square->r == 5 && square->offset == 0);
    size_t count;
    const psgd_matrix_layout *own = psgd_bucket_layout_own_tensors(&layout, &count);
    assert_true(count == 4 && own == layout.flattened);
    assert_true(own[3].n == 2 && own[3].m == 15 && own[3].offset == 11);
    own = psgd_bucket_layout_own_tensors(&plain, &count);
    assert_true(count == 4 && own == plain.tensors && plain.side == 0);
    psgd_bucket_layout_free(&layout);
    psgd_bucket_layout_free(&plain);
}

static void a_rank_above_the_side_is_refused(void **state)
{
    (void)state;
    const psgd_shape shapes[] = {SHAPE(5)};
    const int64_t ranks[] = {0, 4, INT64_MAX};
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        psgd_bucket_layout layout = made(shapes, 1, 1, 2), before = layout;
        char message[message_size] = "";
        assert_int_equal(psgd_bucket_layout_flatten(&layout, ranks[i], message, sizeof message), PSGD_ERR_ARGUMENT);
        assert_non_null(strstr(message, "matrix_approximation_rank"));
        assert_non_null(strstr(message, "side 3"));
        assert_memory_equal(&layout, &before, sizeof layout);
        psgd_bucket_layout_free(&layout);
    }
    psgd_bucket_layout at_side = flattened(shapes, 1, 3);
    assert_int_equal(at_side.tensors[0].r, 3);
    psgd_bucket_layout_free(&at_side);
    psgd_bucket_layout empty = made(NULL, 0, 1, 2);
    assert_int_equal(psgd_bucket_layout_flatten(&empty, 1, NULL, 0), PSGD_ERR_ARGUMENT);
    psgd_bucket_layout_free(&empty);
    const psgd_shape large[] = {SHAPE(PTRDIFF_MAX / 8)}; /* its bytes fit, those of the square above it do not */
    psgd_bucket_layout overflowing = made(large, 1, 1, 2);
    char message[message_size] = "";
    assert_int_equal(psgd_bucket_layout_flatten(&overflowing, 1, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_non_null(strstr(message, "more elements than fit"));
    psgd_bucket_layout_free(&overflowing);
}

static void flattened_layouts_differ_where_their_tensors_do(void **state)
{
    (void)state;
    const psgd_shape one[] = {SHAPE(6, 2), SHAPE(4)}, two[] = {SHAPE(2, 6), SHAPE(4)}, three[] = {SHAPE(16)};
    psgd_bucket_layout a = flattened(one, 2, 2), same = flattened(one, 2, 2), b = flattened(two, 2, 2);
    psgd_bucket_layout c = flattened(three, 1, 2), d = flattened(one, 2, 3), plain = made(one, 2, 2, 2);
    assert_true(psgd_bucket_layout_equal(&a, &same));
    assert_false(psgd_bucket_layout_equal(&a, &b));
    assert_false(psgd_bucket_layout_equal(&a, &c));
    assert_false(psgd_bucket_layout_equal(&a, &d));
    assert_false(psgd_bucket_layout_equal(&a, &plain));
    const psgd_shape square[] = {SHAPE(4, 4)}; /* as one compressed matrix it is what a was made to be */
    psgd_bucket_layout e = made(square, 1, 2, 0);
    assert_false(psgd_bucket_layout_equal(&c, &e));
    psgd_bucket_layout *all[] = {&a, &same, &b, &c, &d, &plain, &e};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        psgd_bucket_layout_free(all[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(side_is_the_smallest_that_holds_the_bucket),
        cmocka_unit_test(a_flattened_bucket_is_one_matrix),
        cmocka_unit_test(a_rank_above_the_side_is_refused),
        cmocka_unit_test(flattened_layouts_differ_where_their_tensors_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
