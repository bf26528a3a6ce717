/* powersgd_half.c: the layerwise step in f16 and bf16: the precision of its results, its draws, its overflow. Gram-
 * Schmidt in half types, to the bit: orthogonalize.c. */
#include "support.h"

#include "core/random.h"
#include "core/values.h"

#include <math.h>
#include <string.h>

enum { NUMEL = 12 * 10 + 7 };
static const size_t shapes[2][2] = {{12, 10}, {7, 0}};
static const psgd_dtype dtypes[] = {PSGD_F16, PSGD_BF16};
static const double units[] = {0x1p-11, 0x1p-8}; /* half the distance from 1 to the next number */

/* The first compressed step against the same one in f64 on the same, rounded numbers. */
static void they_are_f64_but_for_rounding(void **unused)
{
    (void)unused;
    for (int which = 0; which < 8; which++) {
        const psgd_dtype dtype = dtypes[which % 2];
        const double unit = units[which % 2];
        lone_rank lone;
        psgd_comm comm = lone_rank_comm(&lone);
        psgd_config config = make_config(1 + which / 2, 1);
        config.q_source = &q_by_index;
        psgd_state *half = make_state(&config, &comm), *wide = make_state(&config, &comm);
        uint16_t elements[NUMEL];
        double in[NUMEL], expected[NUMEL], got[NUMEL], error[NUMEL];
        test_bucket b;
        for (uint64_t t = 0; t < 3; t++) {
            fill(elements, dtype, NUMEL, t);
            to_doubles(in, elements, dtype, NUMEL);
            memcpy(expected, in, sizeof in);
            make_bucket(&b, PSGD_F64, expected, 2, shapes);
            assert_int_equal(psgd_ref()->step(wide, &b.bucket), PSGD_OK);
            make_bucket(&b, dtype, elements, 2, shapes);
            assert_int_equal(psgd_ref()->step(half, &b.bucket), PSGD_OK);
        }
        to_doubles(got, elements, dtype, NUMEL);
        assert_close(got, expected, NUMEL, 20 * unit);
        assert_close(got + 120, in + 120, 7, 0); /* uncompressed, of one rank: untouched */
        assert_int_equal(psgd_ref()->peek(half, PSGD_PART_ERROR, 0, 0, elements, sizeof elements), PSGD_OK);
        to_doubles(error, elements, dtype, NUMEL);
        for (int i = 0; i < NUMEL; i++) { /* the correctly rounded difference */
            assert_true(error[i] == psgd_value_type_of(dtype)->round(in[i] - got[i]));
        }
        psgd_ref()->destroy(half);
        psgd_ref()->destroy(wide);
    }
}

static psgd_status draw_given(void *context, uint64_t step, size_t bucket, size_t tensor, psgd_dtype dtype, size_t m,
                              size_t r, void *q)
{
    (void)step, (void)bucket, (void)tensor;
    memcpy(q, context, m * r * psgd_dtype_size(dtype));
    return PSGD_OK;
}

/* Without a source of Q they draw what f32 draws, rounded: the same results as with those numbers handed in. */
static void they_draw_rounded_f32_normals(void **unused)
{
    (void)unused;
    for (int which = 0; which < 2; which++) {
        const psgd_dtype dtype = dtypes[which];
        psgd_mt19937 seeds;
        psgd_torch_generator generator;
        float normals[10 * 2];
        double wide[10 * 2];
        uint16_t given[10 * 2], results[2][NUMEL];
        psgd_config config = make_config(2, 1);
        config.random_seed = 7;
        psgd_mt19937_seed(&seeds, config.random_seed);
        psgd_torch_manual_seed(&generator, psgd_random_next_seed(&seeds));
        assert_int_equal(psgd_torch_randn(&generator, normals, 20, PSGD_F32), PSGD_OK);
        to_doubles(wide, normals, PSGD_F32, 20);
        psgd_value_type_of(dtype)->store(given, wide, 20);
        const psgd_q_source source = {given, draw_given};
        for (int handed = 0; handed < 2; handed++) {
            lone_rank lone;
            psgd_comm comm = lone_rank_comm(&lone);
            config.q_source = handed ? &source : NULL;
            psgd_state *state = make_state(&config, &comm);
            for (uint64_t t = 0; t < 4; t++) {
                test_bucket b;
                fill(results[handed], dtype, NUMEL, t);
                make_bucket(&b, dtype, results[handed], 2, shapes);
                assert_int_equal(psgd_ref()->step(state, &b.bucket), PSGD_OK);
            }
            psgd_ref()->destroy(state);
        }
        assert_memory_equal(results[0], results[1], sizeof results[0]);
    }
}

/* ---- Beyond the largest f16, 65504 ---- */

enum { RANKS = 4, SQUARE = 10 * 10 };

typedef struct overflow {
    psgd_status status[RANKS];
    double plain[RANKS][SQUARE + 1], compressed[RANKS][SQUARE + 1];
} overflow;

static void step_on_large_values(const psgd_comm *comm, void *argument)
{
    overflow *result = argument;
    psgd_config config = make_config(1, 1);
    config.q_source = &q_by_index;
    psgd_state *state = NULL;
    psgd_status status = psgd_ref()->create(&config, comm, &state, NULL, 0);
    for (int t = 0; t < 3 && status == PSGD_OK; t++) {
        uint16_t data[SQUARE + 1];
        double values[SQUARE + 1];
        test_bucket b;
        for (int i = 0; i < SQUARE + 1; i++) {
            values[i] = 30000;
        }
        psgd_value_type_of(PSGD_F16)->store(data, values, SQUARE + 1);
        make_bucket(&b, PSGD_F16, data, 2, (const size_t[][2]){{10, 10}, {1, 0}});
        status = psgd_ref()->step(state, &b.bucket);
        to_doubles(t < 2 ? result->plain[comm->rank] : result->compressed[comm->rank], data, PSGD_F16, SQUARE + 1);
    }
    result->status[comm->rank] = status;
    psgd_ref()->destroy(state);
}

/* The plain phase divides before it sums: the mean of four times 30000 is 30000. A compressed step sums first, as the
 * hook does: 120000 is infinite, and Gram-Schmidt makes an infinite P no number. */
static void f16_overflows_where_the_hook_does(void **unused)
{
    (void)unused;
    static overflow result;
    run_ranks(RANKS, step_on_large_values, &result);
    for (int k = 0; k < RANKS; k++) {
        assert_int_equal(result.status[k], PSGD_OK);
        for (int i = 0; i < SQUARE + 1; i++) {
            assert_true(result.plain[k][i] == 30000);
            assert_true(i < SQUARE ? isnan(result.compressed[k][i]) : isinf(result.compressed[k][i]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_f64_but_for_rounding),
        cmocka_unit_test(they_draw_rounded_f32_normals),
        cmocka_unit_test(f16_overflows_where_the_hook_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
