/* case.c: the generator's bits, what each kind of gradients promises, and the Q as PyTorch draws it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures.h"
#include "harness/gradients.h"
#include "harness/spectrum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_inputs(const char *problem_text)
{
    test_case c;
    uint64_t hash = 0;
    build_case(&c, problem_text);
    for (int64_t step = 0; step < c.steps; step++)
        for (size_t b = 0; b < c.bucket_count; b++)
            for (int k = 0; k < c.world; k++) {
                const values *in = case_in(&c, step, b, k);
                hash = hash_bytes(hash, in->data, in->count * psgd_dtype_size(in->dtype));
            }
    case_free(&c);
    return hash;
}

/* Any other value is another generator: then CASE_GENERATOR must say so, and golden files are made anew. */
static void test_frozen_bits(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint64_t hash;
    } table[] = {
        {"W3/r2/f32/[24x40,17;5x6x7]/seed=1", UINT64_C(0x707f0796ee6d54f3)},
        {"W2/r2/f64/[24x40]/grad=decay:0.7/seed=2", UINT64_C(0xfb0ff78ad9001c40)},
        {"W2/r2/f64/[24x40]/grad=power/seed=3", UINT64_C(0x5dc0c5966f710fbc)},
        {"W2/r2/f64/[24x40]/grad=gap/const/seed=4", UINT64_C(0x45085cd29b2c7181)},
        {"W2/r2/f64/[24x40]/grad=flat/seed=5", UINT64_C(0x49888d65bb7d5790)},
        {"W3/r3/f32/[24x40]/grad=deficient:2/seed=6", UINT64_C(0x92b04e5f800db9c8)},
        {"W3/r3/f32/[24x40]/grad=rank:3/seed=7", UINT64_C(0x10b8f2046806028b)},
        {"W2/r2/f32/[9x8,9x8,9x8,9x8,9x8,9x8]/grad=zero|zerocol|dupcol|dead|onerow|ints/seed=8",
         UINT64_C(0x0a698450a11c4538)},
        {"W2/r2/f64/[9x8,9x8,9x8,9x8]/grad=huge|tiny|bits40|inf@3/seed=9/scale=-7/rev", UINT64_C(0x87616a1845bd3dd6)},
        {"W2/r2/f16/[9x8,9x8]/grad=gauss|flat/seed=10", UINT64_C(0x5a27ce6de555e6bb)},
        {"W2/r2/bf16/[9x8,9x8]/grad=gauss|flat/seed=11", UINT64_C(0x23d34c1b20e55e21)},
        {"W4/r2/f32/[9x8]/grad=uneven/seed=12", UINT64_C(0x2028423d3e1753aa)},
    };
    bool same = true;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const uint64_t hash = hash_inputs(table[i].text);
        if (hash != table[i].hash)
            print_message("%s: 0x%016llx\n", table[i].text, (unsigned long long)hash);
        same = same && hash == table[i].hash;
    }
    assert_true(same);
}

static double mean_at(const test_case *c, int64_t step, size_t i)
{
    double sum = 0;
    for (int k = 0; k < c->world; k++)
        sum += values_get(case_in(c, step, 0, k), i);
    return sum / c->world;
}

/* The squares of the singular values of an n x m mean, largest first, by Jacobi rotations of its rows' Gram matrix. */
static void mean_spectrum(double *squares, const test_case *c, int64_t step, size_t n, size_t m)
{
    double *gram = calloc(n * n, sizeof *gram);
    assert_non_null(gram);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t l = 0; l < m; l++)
                gram[i * n + j] += mean_at(c, step, i * m + l) * mean_at(c, step, j * m + l);
    for (int sweep = 0; sweep < 12; sweep++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++) {
                if (gram[i * n + j] == 0)
                    continue;
                const double theta = (gram[j * n + j] - gram[i * n + i]) / (2 * gram[i * n + j]);
                const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                const double cosine = 1 / sqrt(t * t + 1), sine = t * cosine;
                for (size_t l = 0; l < n; l++) {
                    const double x = gram[l * n + i], y = gram[l * n + j];
                    gram[l * n + i] = cosine * x - sine * y;
                    gram[l * n + j] = sine * x + cosine * y;
                }
                for (size_t l = 0; l < n; l++) {
                    const double x = gram[i * n + l], y = gram[j * n + l];
                    gram[i * n + l] = cosine * x - sine * y;
                    gram[j * n + l] = sine * x + cosine * y;
                }
            }
    for (size_t i = 0; i < n; i++)
        squares[i] = gram[i * n + i];
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (squares[j] > squares[i]) {
                const double larger = squares[j];
                squares[j] = squares[i];
                squares[i] = larger;
            }
    free(gram);
}

/* The mean over three ranks has the singular values that the string names, though each rank's own matrix has not. */
static void test_spectra(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        double values[5]; /* the first ones */
    } table[] = {
        {"W3/r2/f64/[8x11]/grad=decay:0.5", {1, 0.5, 0.25, 0.125, 0.0625}},
        {"W3/r2/f64/[8x11]/grad=power", {1, 1 / 2.0, 1 / 3.0, 1 / 4.0, 1 / 5.0}},
        {"W3/r2/f64/[8x11]/grad=flat", {1, 1, 1, 1, 1}},
        {"W3/r2/f64/[8x11]/grad=gap", {1, 0.8, 0.2, 0.14, 0.098}},
        {"W1/r3/f64/[8x11]/grad=deficient:3", {1, 1 - 0.5 / 3, 1 - 1 / 3.0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        test_case c;
        double squares[8];
        build_case(&c, table[i].text);
        mean_spectrum(squares, &c, 3, 8, 11);
        for (size_t j = 0; j < 5; j++)
            assert_true(fabs(squares[j] - table[i].values[j] * table[i].values[j]) <= 1e-13);
        case_free(&c);
    }
}

/* Integers whose mean has exactly this rank: 2 x 2 minors say so without rounding. */
static void test_exact_rank(void **unused)
{
    (void)unused;
    test_case c;
    double squares[6];
    build_case(&c, "W3/r2/f32/[6x9]/grad=rank:2/seed=5");
    for (int64_t step = 0; step < c.steps; step++) {
        for (int k = 0; k < 3; k++)
            for (size_t i = 0; i < 54; i++)
                assert_true(fmod(values_get(case_in(&c, step, 0, k), i), 3) == 0);
        mean_spectrum(squares, &c, step, 6, 9);
        assert_true(squares[1] > 0.5);
        assert_true(fabs(squares[2]) <= 1e-11 * squares[0]);
    }
    case_free(&c);
}

/* Each rank's matrix has the norm that its own scale and spectrum give: 16^k times the sum of (0.9 / (k + 1))^(2 i). */
static void test_uneven(void **unused)
{
    (void)unused;
    test_case c;
    build_case(&c, "W4/r2/f64/[8x11]/grad=uneven");
    for (int64_t step = 0; step < c.steps; step++)
        for (int k = 0; k < 4; k++) {
            double expected = 0, square = 0;
            for (int i = 0; i < 8; i++)
                expected += pow(16, k) * pow(0.9 / (k + 1), 2 * i);
            for (size_t i = 0; i < 88; i++)
                square += pow(values_get(case_in(&c, step, 0, k), i), 2);
            assert_true(fabs(square - expected) <= 1e-12 * expected);
        }
    case_free(&c);
}

/* Ranks and steps differ and resemble each other; const, rev and scale do what they say. */
static void test_variation(void **unused)
{
    (void)unused;
    test_case plain, constant, reversed, scaled;
    build_case(&plain, "W3/r2/f32/[24x40]");
    build_case(&constant, "W3/r2/f32/[24x40]/const");
    build_case(&reversed, "W3/r2/f32/[24x40]/rev");
    build_case(&scaled, "W3/r2/f32/[24x40]/scale=-30");
    double dot = 0, square = 0;
    for (size_t i = 0; i < 960; i++) {
        const double x = values_get(case_in(&plain, 1, 0, 0), i);
        dot += x * values_get(case_in(&plain, 1, 0, 1), i);
        square += x * x;
        assert_true(values_get(case_in(&scaled, 1, 0, 0), i) == ldexp(x, -30));
    }
    assert_true(dot > 0.4 * square && dot < 0.9 * square);
    assert_false(values_equal_bits(case_in(&plain, 1, 0, 0), case_in(&plain, 2, 0, 0)));
    assert_true(values_equal_bits(case_in(&constant, 1, 0, 2), case_in(&constant, 4, 0, 2)));
    assert_true(values_equal_bits(case_in(&constant, 0, 0, 2), case_in(&plain, 0, 0, 2)));
    for (int k = 0; k < 3; k++)
        assert_true(values_equal_bits(case_in(&plain, 3, 0, k), case_in(&reversed, 3, 0, 2 - k)));
    case_free(&plain);
    case_free(&constant);
    case_free(&reversed);
    case_free(&scaled);
}

/* One element, rank 0, the second compressed step; nothing else changes. */
static void test_non_finite(void **unused)
{
    (void)unused;
    test_case nan_case, clean;
    build_case(&nan_case, "W2/r1/s3/f32/[4x5,6]/grad=nan@7|gauss");
    build_case(&clean, "W2/r1/s3/f32/[4x5,6]");
    for (int64_t step = 0; step < clean.steps; step++)
        for (int k = 0; k < 2; k++)
            for (size_t i = 0; i < 26; i++) {
                const double x = values_get(case_in(&nan_case, step, 0, k), i);
                const bool special = step == 4 && k == 0 && i == 7;
                assert_true(special ? isnan(x) : x == values_get(case_in(&clean, step, 0, k), i));
            }
    case_free(&nan_case);
    case_free(&clean);
}

static void test_inexact_scale(void **unused)
{
    (void)unused;
    problem p;
    test_case c;
    char message[200] = "";
    static const char *const refused[] = {"W1/r1/f32/[9x9]/scale=-130", "W1/r1/f32/[9x9]/scale=128",
                                          "W1/r1/f64/[9x9]/scale=-1060", "W1/r1/f16/[9x9]/scale=16"};
    for (size_t i = 0; i < 4; i++) {
        assert_true(problem_parse(&p, refused[i], NULL));
        assert_false(case_build(&c, &p, "x", "", 0, NULL, message, sizeof message));
        assert_non_null(strstr(message, "is not exact"));
        problem_free(&p);
    }
}

/* f16 and bf16 words read and written: every word comes back, ties go to even, the edges overflow as IEEE says. */
static void test_half_types(void **unused)
{
    (void)unused;
    static const struct {
        psgd_dtype dtype;
        double from, to;
    } table[] = {
        {PSGD_F16, 1 + 0x1p-11, 1},  {PSGD_F16, 1 + 3 * 0x1p-11, 1 + 0x1p-9},
        {PSGD_F16, 65519.99, 65504}, {PSGD_F16, 65520, (double)INFINITY},
        {PSGD_F16, 0x1p-25, 0},      {PSGD_F16, 3 * 0x1p-25, 0x1p-23},
        {PSGD_BF16, 1 + 0x1p-8, 1},  {PSGD_BF16, -1 - 3 * 0x1p-8, -1.015625},
        {PSGD_BF16, 0x1p-134, 0},
    };
    for (int type = PSGD_F16; type <= PSGD_BF16; type++)
        for (unsigned word = 0; word < 65536; word++) {
            uint16_t bits = (uint16_t)word, back = 0;
            const values from = {.dtype = (psgd_dtype)type, .count = 1, .data = &bits};
            values to = {.dtype = (psgd_dtype)type, .count = 1, .data = &back};
            const double x = values_get(&from, 0);
            values_set(&to, 0, x);
            assert_true(isnan(x) ? isnan(values_get(&to, 0)) : back == bits);
        }
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        uint16_t bits = 0;
        values v = {.dtype = table[i].dtype, .count = 1, .data = &bits};
        values_set(&v, 0, table[i].from);
        assert_true(values_get(&v, 0) == table[i].to);
    }
}

static void expect_q0(const test_case *c, int64_t step, size_t bucket, size_t tensor, size_t count, float first,
                      float last)
{
    const values *q = case_q0(c, step, bucket, tensor);
    assert_non_null(q->data);
    assert_int_equal(q->count, count);
    assert_true(fabs(values_get(q, 0) - (double)first) <= 5e-6);
    assert_true(fabs(values_get(q, count - 1) - (double)last) <= 5e-6);
}

/* Figures printed by NumPy 1.24 and PyTorch 1.13.1: randint(1e9) of RandomState(0), manual_seed, randn. */
static void test_drawn_q(void **unused)
{
    (void)unused;
    test_case c;
    build_case(&c, "W3/r2/f32/[24x40,20x30,24x5x8]"); /* drawn A, A, B */
    expect_q0(&c, 2, 0, 0, 80, -0.639461756F, 0.696797192F);
    expect_q0(&c, 2, 0, 2, 80, 0.765146494F, 1.09120655F);
    expect_q0(&c, 2, 0, 1, 60, 0.365925521F, 0.928251207F);
    assert_null(case_q0(&c, 1, 0, 0)->data);
    assert_null(case_q0(&c, 3, 0, 0)->data);
    case_free(&c);
    build_case(&c, "W1/r1/f32/ef/[7,5;3x3;20x11,11x20,20x11]"); /* two buckets without factors draw seeds, too */
    expect_q0(&c, 2, 2, 0, 11, 1.08919036F, 0.11023093F);
    expect_q0(&c, 3, 2, 1, 20, -1.11917269F, 0.345435798F);
    case_free(&c);
    build_case(&c, "W1/r1/f32/ef,bs/[20x11,11x20,20x11]"); /* one draw of 2 x 11 x 1 */
    expect_q0(&c, 3, 0, 0, 11, 1.2061702F, 0.276595443F);
    expect_q0(&c, 3, 0, 2, 11, 0.622038245F, -0.987233639F);
    case_free(&c);
}

static void test_relative_epsilon(void **unused)
{
    (void)unused;
    test_case c;
    /* Nine rows of ones times an orthonormal 1 x 1 Q, summed over two ranks: norm 6. */
    build_case(&c, "W2/r1/f64/rate0/eps1e-2rel/[9x1]/grad=bits40");
    assert_true(fabs(c.config.orthogonalization_epsilon - 0.06) <= 1e-7);
    case_free(&c);
    build_case(&c, "W2/r1/f64/eps1e-2rel/[9]"); /* nothing is compressed */
    assert_true(c.config.orthogonalization_epsilon == 0);
    case_free(&c);
}

static void test_claims(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint64_t claims;
        bool unambiguous;
    } table[] = {
        {"W1/r2/f32/-/[24x40,17]", PSGD_CLAIM_CORE, true},
        {"W2/r2/f64/ef/[24x40,17]", PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_F64 | PSGD_CLAIM_MULTIRANK,
         true},
        {"W2of3/r2/f16/ws/[24x40]/ckpt=2",
         PSGD_CLAIM_CORE | PSGD_CLAIM_WARM_START | PSGD_CLAIM_F16 | PSGD_CLAIM_MULTIRANK | PSGD_CLAIM_SUBGROUP |
             PSGD_CLAIM_CHECKPOINT,
         true},
        {"W1/r2/bf16/flat/[24x40]", PSGD_CLAIM_CORE | PSGD_CLAIM_BF16 | PSGD_CLAIM_FLATTENED, false},
        {"W1/r2/f32/-/[24x40,129]", PSGD_CLAIM_CORE, false},
        {"W1/r2/f32/-/[8x9]", PSGD_CLAIM_CORE, false},
        {"W1/r2/f32/-/[24x5x8]", PSGD_CLAIM_CORE, false},
        {"W1/r2/f32/-/rate1/[24x40]", PSGD_CLAIM_CORE, false},
        {"W1/r2/f32/-/rate4/[24x40]", PSGD_CLAIM_CORE, true},
        {"W1/r2/f32/-/rate8/[24x40]", PSGD_CLAIM_CORE, false},
        {"W1/r8/f32/-/rate0/[3x5]", PSGD_CLAIM_CORE, true},
        {"W1/r8/f32/-/rate0/[3x5,3x5]", PSGD_CLAIM_CORE, false},
        {"W1/r3/f32/-/rate0/[3x5]", PSGD_CLAIM_CORE, false},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        problem p;
        assert_true(problem_parse(&p, table[i].text, NULL));
        assert_int_equal(problem_claims(&p), table[i].claims);
        if (problem_is_unambiguous(&p) != table[i].unambiguous)
            fail_msg("%s", table[i].text);
        problem_free(&p);
    }
}

/* Refused at once: a file of so many arrays, each with a name, would be minutes in the making. */
static void test_too_many_arrays(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"W2/r2/f32/i1000000/[24x40]", "W1/r2/f32/i1000000/[1;1]",
                                        "W256/r2/f32/i5000/[9]", "W1/r2/f32/i200000/[1,1,1,1,1]"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        problem p;
        test_case c;
        char message[256] = "";
        assert_true(problem_parse(&p, texts[i], NULL));
        assert_false(case_build(&c, &p, "x", "", 0, NULL, message, sizeof message));
        assert_non_null(strstr(message, "more than a case may hold"));
        problem_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frozen_bits),   cmocka_unit_test(test_spectra),
        cmocka_unit_test(test_exact_rank),    cmocka_unit_test(test_uneven),
        cmocka_unit_test(test_variation),     cmocka_unit_test(test_non_finite),
        cmocka_unit_test(test_inexact_scale), cmocka_unit_test(test_half_types),
        cmocka_unit_test(test_drawn_q),       cmocka_unit_test(test_relative_epsilon),
        cmocka_unit_test(test_claims),        cmocka_unit_test(test_too_many_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
