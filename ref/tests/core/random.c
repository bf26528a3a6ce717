/* Tests of core/random.h: equal to NumPy and PyTorch, bit for bit.
 *
 * The constants were printed by NumPy 1.24 and PyTorch 1.13.1 on x86-64 with AVX2. Long streams are compared by a hash
 * in single precision. Double precision goes through libm, so there each value may be off by as much as libms differ
 * (some units in the last place of a number below 10).
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/random.h"

static const double libm_tolerance = 4e-15;

static psgd_torch_generator seeded(uint64_t seed)
{
    psgd_torch_generator generator;
    psgd_torch_manual_seed(&generator, seed);
    return generator;
}

/* ---- words and seeds ---- */

static void mt19937_equals_gsl(void **state)
{
    (void)state;
    static const uint32_t seeds[] = {1, 2, 42, 4357, 5489, 209652396, 999999999, 0x80000000u, 0xffffffffu};
    gsl_rng *gsl = gsl_rng_alloc(gsl_rng_mt19937);
    assert_non_null(gsl);
    for (size_t s = 0; s < sizeof seeds / sizeof seeds[0]; s++) {
        psgd_mt19937 ours;
        psgd_mt19937_seed(&ours, seeds[s]);
        gsl_rng_set(gsl, seeds[s]);
        for (int i = 0; i < 5000; i++) {
            assert_int_equal(psgd_mt19937_next(&ours), gsl_rng_get(gsl));
        }
    }
    gsl_rng_free(gsl);
}

static void seed_zero_stays_zero(void **state)
{
    (void)state;
    gsl_rng *gsl = gsl_rng_alloc(gsl_rng_mt19937);
    assert_non_null(gsl);
    gsl_rng_set(gsl, 0); /* 4357 in truth */
    psgd_mt19937 ours;
    psgd_mt19937_seed(&ours, 0);
    assert_int_equal(ours.word[0], 0);
    assert_int_not_equal(psgd_mt19937_next(&ours), gsl_rng_get(gsl));
    gsl_rng_free(gsl);
}

/* A state with an index beyond its words (from a damaged checkpoint, say) starts a new block, and reads no further. */
static void index_beyond_the_words_is_harmless(void **state)
{
    (void)state;
    psgd_mt19937 good, bad;
    psgd_mt19937_seed(&good, 7);
    psgd_mt19937_seed(&bad, 7);
    bad.next = UINT32_MAX;
    assert_int_equal(psgd_mt19937_next(&bad), psgd_mt19937_next(&good));
    assert_int_equal(bad.next, 1);
}

static void seed_chain_equals_numpy(void **state)
{
    (void)state;
    static const struct {
        uint32_t seed, draws[3];
    } numpy[] = {
        {0, {209652396, 398764591, 924231285}},
        {1, {717354021, 946286476, 784077896}},
        {42, {534895718, 199900595, 862061404}},
    };
    for (size_t s = 0; s < sizeof numpy / sizeof numpy[0]; s++) {
        psgd_mt19937 generator;
        psgd_mt19937_seed(&generator, numpy[s].seed);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(psgd_random_next_seed(&generator), numpy[s].draws[i]);
        }
    }
}

static void long_seed_chain_equals_numpy(void **state)
{
    (void)state;
    psgd_mt19937 generator;
    psgd_mt19937_seed(&generator, 0);
    uint64_t sum = 0;
    uint32_t draw = 0;
    for (int i = 0; i < 10000; i++) {
        draw = psgd_random_next_seed(&generator);
        assert_true(draw <= 999999999);
        sum += draw;
    }
    assert_int_equal(draw, 566609123);
    assert_int_equal(sum, 5006794983142);
}

/* ---- normals ---- */

enum { most_values = 26 };

typedef struct printed {
    uint64_t seed;
    size_t sizes[3]; /* of the tensors drawn one after the other; 0: no more */
    float f32[most_values];
    double f64[most_values];
} printed;

/* Below 16; one block; cached partners that survive a block, and a last block over finished normals. */
static const printed torch_printed[] = {
    {0,
     {5, 0, 0},
     {0x1.8a7eb8p+0f, -0x1.2c78ap-2f, -0x1.16e292p+1f, 0x1.23096cp-1f, -0x1.15a342p+0f},
     {0x1.8a7eb8902be3ap+0, -0x1.2c78a087c6feap-2, -0x1.16e2920a70ee5p+1, 0x1.23096ca3e350dp-1, -0x1.15a341987e136p+0}},
    {209652396,
     {16, 0, 0},
     {-0x1.476788p-1f, -0x1.d060a6p-4f, 0x1.3ac58p+0f, -0x1.ecb208p-1f, 0x1.ff64d2p-3f, 0x1.e1d02ap-1f, -0x1.6155fep-2f,
      0x1.b882fp-2f, 0x1.af07cap-1f, -0x1.2677bcp+0f, 0x1.d095c6p-3f, 0x1.17d472p-2f, 0x1.a3db18p-1f, -0x1.693892p-1f,
      -0x1.6d82bcp-3f, -0x1.09870ep+1f},
     {0x1.b3fcfd821ae17p-5, -0x1.efeec4e121b51p-2, -0x1.17677a8d925f7p+0, 0x1.79d7b724036cbp-1, -0x1.f5583b4e79c96p-1,
      -0x1.3a5156a297761p-1, 0x1.555273bfd99eep+0, -0x1.2b55145f72486p+0, 0x1.0cf0b3c0bbe61p+0, -0x1.8a404b879ccb9p-1,
      0x1.9acb590991442p-3, -0x1.181e395f9ccbfp+0, -0x1.98e82dba5ce60p+0, 0x1.8efcdd4e0532ap-2, -0x1.ae938b5ef6dcfp-2,
      0x1.6bb22ace566f6p-1}},
    {1,
     {3, 20, 3},
     {0x1.529ccp-1f,   0x1.11548ep-2f,  0x1.f94296p-5f,  -0x1.2a8140p+0f, -0x1.13230ep+0f, 0x1.511bd2p+0f,
      -0x1.5d0e9ap-1f, 0x1.1d6ecep-3f,  -0x1.9418a6p+0f, -0x1.4850d4p-2f, -0x1.3287c6p-2f, 0x1.e11ccep+0f,
      -0x1.2773a8p-4f, 0x1.431d3cp-3f,  -0x1.8c0248p-1f, -0x1.cbe56ap-5f, 0x1.d24788p-1f,  -0x1.647366p+0f,
      0x1.5834p+1f,    -0x1.c6bcbap-4f, 0x1.2bc2cap-2f,  -0x1.434452p-3f, -0x1.d7a604p-6f, 0x1.3e1d4ep-1f,
      0x1.99446cp+0f,  -0x1.46e9eep+0f},
     {0x1.529cc078113dap-1,  0x1.11548d02b8fe5p-2,  0x1.f94295e129d76p-5,  -0x1.02f7d0fe2864dp-2, -0x1.70d306b9f376ap-2,
      0x1.e0f2e91bd0ad0p-1,  0x1.2952de0f17674p+0,  0x1.818c389b97035p-4,  0x1.061d69c9614efp-1,  0x1.3143b1bfbba2ep-1,
      0x1.4a86825b2caf4p+0,  0x1.c10af756b9c95p+0,  -0x1.a8e139fcb8feap-2, -0x1.fc046c67aeeccp-1, -0x1.31c46b79d76afp-2,
      -0x1.edb7a381131e9p+0, -0x1.15831be0eb6d7p-2, -0x1.165d81451cce6p-3, 0x1.498abaaac1bb0p+1,  -0x1.0bb308796b69bp-1,
      0x1.f8f6f01874d5cp-1,  0x1.2b5c0c209ff25p-2,  0x1.03bf7c03ca5c9p+0,  0x1.3e1d4e0e48b01p-1,  0x1.248ca48d31121p-2,
      0x1.612f6a7047af4p-1}},
};

static void normals_equal_torch(void **state)
{
    (void)state;
    for (size_t p = 0; p < sizeof torch_printed / sizeof torch_printed[0]; p++) {
        const printed *expected = &torch_printed[p];
        psgd_torch_generator single = seeded(expected->seed), twice = seeded(expected->seed);
        float f32[most_values];
        double f64[most_values];
        size_t count = 0;
        for (int i = 0; i < 3; i++) {
            const size_t size = expected->sizes[i];
            assert_int_equal(psgd_torch_randn(&single, f32 + count, size, PSGD_F32), PSGD_OK);
            assert_int_equal(psgd_torch_randn(&twice, f64 + count, size, PSGD_F64), PSGD_OK);
            count += size;
        }
        assert_memory_equal(f32, expected->f32, count * sizeof *f32);
        for (size_t i = 0; i < count; i++) {
            assert_true(fabs(f64[i] - expected->f64[i]) <= libm_tolerance);
        }
    }
}

/* FNV-1a, 64 bits. */
static uint64_t hash(uint64_t so_far, const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i++) {
        so_far = (so_far ^ byte[i]) * 0x100000001b3u;
    }
    return so_far;
}

/* Streams of tensors: what torch's values hash and sum up to. weighted is the sum of value i times ((i 40503) mod
 * 1009), so that a value at the wrong place shows as well as a wrong one. */
typedef struct stream {
    uint64_t seed;
    size_t first_size, last_size; /* one tensor of each size in between, in this order, from one generator */
    uint64_t f32_hash;
    double f64_weighted;
} stream;

static const stream torch_streams[] = {
    {717354021, 0, 199, 0x984da1d3f14f012u, -28832.291474832233},
    {42, 262147, 262147, 0x6b5101ef60aceddu, -17086.948772662297},
};
enum { longest = 262147 };

static void single_precision_streams_equal_torch(void **state)
{
    (void)state;
    float *values = malloc(longest * sizeof *values);
    assert_non_null(values);
    for (size_t s = 0; s < sizeof torch_streams / sizeof torch_streams[0]; s++) {
        psgd_torch_generator generator = seeded(torch_streams[s].seed);
        uint64_t h = 0xcbf29ce484222325u;
        for (size_t size = torch_streams[s].first_size; size <= torch_streams[s].last_size; size++) {
            assert_int_equal(psgd_torch_randn(&generator, values, size, PSGD_F32), PSGD_OK);
            h = hash(h, values, size * sizeof *values);
        }
        assert_true(h == torch_streams[s].f32_hash);
    }
    free(values);
}

static void double_precision_streams_equal_torch(void **state)
{
    (void)state;
    double *values = malloc(longest * sizeof *values);
    assert_non_null(values);
    for (size_t s = 0; s < sizeof torch_streams / sizeof torch_streams[0]; s++) {
        psgd_torch_generator generator = seeded(torch_streams[s].seed);
        long double sum = 0;
        double weights = 0;
        uint64_t n = 0;
        for (size_t size = torch_streams[s].first_size; size <= torch_streams[s].last_size; size++) {
            assert_int_equal(psgd_torch_randn(&generator, values, size, PSGD_F64), PSGD_OK);
            for (size_t i = 0; i < size; i++, n++) {
                const double weight = (double)(n * 40503 % 1009);
                sum += (long double)values[i] * (long double)weight;
                weights += weight;
            }
        }
        const double error = fabs((double)sum - torch_streams[s].f64_weighted);
        assert_true(error <= libm_tolerance * weights); /* at most 5e-7, where a typical weight times a value is 500 */
    }
    free(values);
}

/* One uniform in 2^24 is 0: radius 0, and the normals are +0, whatever the signs of sine and cosine. Seed 12 has one.
 */
static void zero_uniform_gives_positive_zeros(void **state)
{
    (void)state;
    enum { count = 2523664, zero = 2523650 };
    float *values = malloc(count * sizeof *values);
    assert_non_null(values);
    psgd_torch_generator generator = seeded(18);
    assert_int_equal(psgd_torch_randn(&generator, values, count, PSGD_F32), PSGD_OK);
    const float positive_zeros[2] = {0, 0};
    const float got[2] = {values[zero], values[zero + 8]};
    assert_memory_equal(got, positive_zeros, sizeof got);
    free(values);
}

static void seed_is_taken_modulo_two_to_the_32(void **state)
{
    (void)state;
    psgd_torch_generator low = seeded(77), high = seeded(77 + (UINT64_C(5) << 32));
    float a[40], b[40];
    assert_int_equal(psgd_torch_randn(&low, a, 40, PSGD_F32), PSGD_OK);
    assert_int_equal(psgd_torch_randn(&high, b, 40, PSGD_F32), PSGD_OK);
    assert_memory_equal(a, b, sizeof a);
}

static void seeding_drops_the_cached_normal(void **state)
{
    (void)state;
    psgd_torch_generator generator = seeded(3);
    double first, again;
    assert_int_equal(psgd_torch_randn(&generator, &first, 1, PSGD_F64), PSGD_OK);
    assert_true(generator.has_cached_normal);
    psgd_torch_manual_seed(&generator, 3);
    assert_int_equal(psgd_torch_randn(&generator, &again, 1, PSGD_F64), PSGD_OK);
    assert_memory_equal(&first, &again, sizeof first);
}

static void refusals(void **state)
{
    (void)state;
    psgd_torch_generator generator = seeded(0);
    uint16_t half;
    double value = 5;
    assert_int_equal(psgd_torch_randn(&generator, &half, 1, PSGD_F16), PSGD_ERR_UNSUPPORTED);
    assert_int_equal(psgd_torch_randn(&generator, &half, 1, PSGD_BF16), PSGD_ERR_UNSUPPORTED);
    assert_int_equal(psgd_torch_randn(NULL, &value, 1, PSGD_F64), PSGD_ERR_ARGUMENT);
    assert_int_equal(psgd_torch_randn(&generator, NULL, 1, PSGD_F64), PSGD_ERR_ARGUMENT);
    assert_int_equal(psgd_torch_randn(&generator, &value, 1, (psgd_dtype)9), PSGD_ERR_ARGUMENT);
    assert_true(value == 5);
    assert_int_equal(psgd_torch_randn(&generator, NULL, 0, PSGD_F64), PSGD_OK);
    const psgd_torch_generator untouched = seeded(0);
    assert_int_equal(generator.words.next, untouched.words.next);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mt19937_equals_gsl),
        cmocka_unit_test(seed_zero_stays_zero),
        cmocka_unit_test(index_beyond_the_words_is_harmless),
        cmocka_unit_test(seed_chain_equals_numpy),
        cmocka_unit_test(long_seed_chain_equals_numpy),
        cmocka_unit_test(normals_equal_torch),
        cmocka_unit_test(single_precision_streams_equal_torch),
        cmocka_unit_test(double_precision_streams_equal_torch),
        cmocka_unit_test(zero_uniform_gives_positive_zeros),
        cmocka_unit_test(seed_is_taken_modulo_two_to_the_32),
        cmocka_unit_test(seeding_drops_the_cached_normal),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
