/* random.c: the numbers that PyTorch's hook starts from, to the bit: NumPy's legacy randint for seeds, torch.randn on
 * the CPU for normals. Words come from mt19937.c.
 *
 * "To the bit" rests on three things: this file is compiled with -ffp-contract=off, so that a * b + c is two roundings
 * and a fused multiply-add is fma; the order of operations is the one written here; single precision uses polynomials
 * of its own, not libm. In double precision, log, sin and cos are libm's, and another libm than glibc may differ in
 * the last bit (4e-15 at most). Half types are refused.
 *
 * All normals come from G. E. P. Box and M. E. Muller, "A note on the generation of random normal deviates", Annals of
 * Mathematical Statistics 29(2), 1958: for uniform u1, u2 the pair sqrt(-2 log u1) (cos 2 pi u2, sin 2 pi u2).
 */
#include "core/random.h"

#include <math.h>

static const double two_pi = 6.283185307179586476925286766559;
static const float two_pi_f = 6.283185307179586476925286766559f;
enum { block = 16, half_block = block / 2 }; /* torch transforms 16 uniforms at once into 16 normals */

/* ---- NumPy: RandomState(...).randint(1_000_000_000) ---- */

uint32_t psgd_random_next_seed(psgd_mt19937 *generator)
{
    const uint32_t largest = 999999999u;
    const uint32_t mask = 0x3fffffffu; /* the smallest 2^k - 1 that reaches it */
    uint32_t value;
    do {
        value = psgd_mt19937_next(generator) & mask;
    } while (value > largest);
    return value;
}

/* ---- torch: uniforms in [0, 1), as many low bits of a word as the type's significand holds ---- */

void psgd_torch_manual_seed(psgd_torch_generator *generator, uint64_t seed)
{
    psgd_mt19937_seed(&generator->words, (uint32_t)(seed & 0xffffffffu));
    generator->has_cached_normal = false;
    generator->cached_normal = 0;
}

static float uniform_f32(psgd_mt19937 *words)
{
    return (float)(psgd_mt19937_next(words) & 0xffffffu) * 0x1p-24f;
}

static double uniform_f64(psgd_mt19937 *words)
{
    const uint64_t high = psgd_mt19937_next(words);
    const uint64_t low = psgd_mt19937_next(words);
    return (double)((high << 32 | low) & 0x1fffffffffffffu) * 0x1p-53;
}

/* ---- torch: fewer than 16 normals, one by one, in double whatever the type ---- */

/* The partner of each normal is kept for the next call, even if that is for another tensor. */
static double single_normal(psgd_torch_generator *generator)
{
    if (generator->has_cached_normal) {
        generator->has_cached_normal = false;
        return generator->cached_normal;
    }
    const double angle = two_pi * uniform_f64(&generator->words);
    const double radius = sqrt(-2 * log(1 - uniform_f64(&generator->words)));
    generator->cached_normal = radius * sin(angle);
    generator->has_cached_normal = true;
    return radius * cos(angle);
}

/* ---- torch: blocks of 16 doubles ---- */

/* x[16]: uniforms in, normals out. Adding the mean, 0, makes a negative zero positive. */
static void transform_block_f64(double *x)
{
    for (int j = 0; j < half_block; j++) {
        const double radius = sqrt(-2 * log(1 - x[j])), angle = two_pi * x[j + half_block];
        x[j] = radius * cos(angle) + 0.0;
        x[j + half_block] = radius * sin(angle) + 0.0;
    }
}

/* ---- torch: blocks of 16 floats, by S. L. Moshier's single-precision polynomials (Cephes: logf, sinf, cosf) ---- */

/* coefficients[0] x^(count-1) + ... + coefficients[count-1], each step fused. */
static float horner(const float *coefficients, int count, float x)
{
    float sum = coefficients[0];
    for (int i = 1; i < count; i++) {
        sum = fmaf(sum, x, coefficients[i]);
    }
    return sum;
}

/* log x for a normal x > 0. With x = (1 + m) 2^e, sqrt(1/2) <= 1 + m < sqrt(2): log x = e log 2 + m - m^2/2 + m^3 p(m).
 * log 2 is split in two, of which the first has few bits, so that its product with e is exact. */
static float log_f32(float x)
{
    static const float p[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,
                              -1.2420140846e-1f, 1.4249322787e-1f,  -1.6668057665e-1f,
                              2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
    const float sqrt_half = 0.707106781186547524f;
    const float log2_high = 0.693359375f, log2_low = -2.12194440e-4f;
    int exponent;
    float m = frexpf(x, &exponent);
    if (m < sqrt_half) {
        exponent -= 1;
        m = (m - 1) + m;
    } else {
        m = m - 1;
    }
    const float e = (float)exponent, square = m * m;
    float y = horner(p, sizeof p / sizeof p[0], m) * m;
    y = fmaf(y, square, e * log2_low);
    y = y - 0.5f * square;
    return fmaf(e, log2_high, m + y);
}

/* Sine and cosine of t, 0 <= t <= 2 pi. j is the even one of the neighbouring multiples of pi/4; x = t - j pi/4, with
 * pi/4 split in three, lies within pi/4 of 0, where the polynomials hold; j says which of them is which, and the signs.
 */
static void sincos_f32(float *sine, float *cosine, float t)
{
    static const float c[] = {2.443315711809948e-5f, -1.388731625493765e-3f, 4.166664568298827e-2f};
    static const float s[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
    const float four_over_pi = 1.27323954473516f;
    const float minus_quarter_pi[] = {-0.78515625f, -2.4187564849853515625e-4f, -3.77489497744594108e-8f};
    const int j = ((int)(t * four_over_pi) + 1) & ~1;
    float x = t;
    for (int i = 0; i < 3; i++) {
        x = fmaf((float)j, minus_quarter_pi[i], x);
    }
    const float square = x * x;
    const float cosine_of_x = fmaf(horner(c, 3, square) * square, square, -(0.5f * square)) + 1;
    const float sine_of_x = fmaf(horner(s, 3, square) * square, x, x);
    const bool swapped = (j & 2) != 0;
    *sine = swapped ? cosine_of_x : sine_of_x;
    *cosine = swapped ? sine_of_x : cosine_of_x;
    if ((j & 4) != 0) { /* the lower half circle */
        *sine = -*sine;
    }
    if (((j + 2) & 4) != 0) { /* the left half circle */
        *cosine = -*cosine;
    }
}

/* x[16]: uniforms in, normals out. */
static void transform_block_f32(float *x)
{
    for (int j = 0; j < half_block; j++) {
        const float radius = sqrtf(-2 * log_f32(1 - x[j]));
        float sine, cosine;
        sincos_f32(&sine, &cosine, two_pi_f * x[j + half_block]);
        x[j] = radius * cosine + 0.0f;
        x[j + half_block] = radius * sine + 0.0f;
    }
}

/* ---- torch.randn: all uniforms first, then block by block; a last, incomplete block is made of the last 16 places,
 * with fresh uniforms, over normals that were finished already ---- */

static void fill_f32(psgd_mt19937 *words, float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = uniform_f32(words);
    }
    for (size_t i = 0; i + block <= count; i += block) {
        transform_block_f32(values + i);
    }
    if (count % block != 0) {
        float *last = values + count - block;
        for (size_t i = 0; i < block; i++) {
            last[i] = uniform_f32(words);
        }
        transform_block_f32(last);
    }
}

static void fill_f64(psgd_mt19937 *words, double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = uniform_f64(words);
    }
    for (size_t i = 0; i + block <= count; i += block) {
        transform_block_f64(values + i);
    }
    if (count % block != 0) {
        double *last = values + count - block;
        for (size_t i = 0; i < block; i++) {
            last[i] = uniform_f64(words);
        }
        transform_block_f64(last);
    }
}

psgd_status psgd_torch_randn(psgd_torch_generator *generator, void *values, size_t count, psgd_dtype dtype)
{
    if (dtype == PSGD_F16 || dtype == PSGD_BF16) {
        return PSGD_ERR_UNSUPPORTED;
    }
    if (!generator || (!values && count > 0) || (dtype != PSGD_F32 && dtype != PSGD_F64)) {
        return PSGD_ERR_ARGUMENT;
    }
    float *f32 = values;
    double *f64 = values;
    if (count >= block) {
        if (dtype == PSGD_F32) {
            fill_f32(&generator->words, f32, count);
        } else {
            fill_f64(&generator->words, f64, count);
        }
        return PSGD_OK;
    }
    for (size_t i = 0; i < count; i++) {
        const double normal = single_normal(generator);
        if (dtype == PSGD_F32) {
            f32[i] = (float)normal;
        } else {
            f64[i] = normal;
        }
    }
    return PSGD_OK;
}
