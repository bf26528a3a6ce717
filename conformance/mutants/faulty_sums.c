/* faulty_sums.c: sums of products, as matrices are multiplied and norms are taken: in double, or in one of the ways in
 * which ports sum. */
#include "mutants/faulty.h"

#include "core/values.h"

#include <math.h>

typedef struct terms {
    const double *a, *b;
    size_t a_stride, b_stride, count;
    psgd_dtype dtype;
} terms;

/* As a sum that runs in f32, or for f64 in f64, holds it. */
static double held(double value, psgd_dtype dtype)
{
    return dtype == PSGD_F64 ? value : (double)(float)value;
}

static double term(const terms *t, size_t i)
{
    return held(t->a[i * t->a_stride] * t->b[i * t->b_stride], t->dtype);
}

static double exact(const psgd_state *state, const terms *t)
{
    (void)state;
    double sum = 0;
    for (size_t i = 0; i < t->count; i++) {
        sum += t->a[i * t->a_stride] * t->b[i * t->b_stride];
    }
    return sum;
}

static double in_order(const psgd_state *state, const terms *t)
{
    (void)state;
    double sum = 0;
    for (size_t i = 0; i < t->count; i++) {
        sum = held(sum + term(t, i), t->dtype);
    }
    return sum;
}

static double reversed(const psgd_state *state, const terms *t)
{
    (void)state;
    double sum = 0;
    for (size_t i = t->count; i-- > 0;) {
        sum = held(sum + term(t, i), t->dtype);
    }
    return sum;
}

static double pairwise(const psgd_state *state, const terms *t)
{
    if (t->count <= 4) {
        return in_order(state, t);
    }
    terms left = *t, right = *t;
    left.count = t->count / 2;
    right.count = t->count - left.count;
    right.a += left.count * t->a_stride;
    right.b += left.count * t->b_stride;
    return held(pairwise(state, &left) + pairwise(state, &right), t->dtype);
}

static double compensated(const psgd_state *state, const terms *t)
{
    (void)state;
    double sum = 0, lost = 0;
    for (size_t i = 0; i < t->count; i++) {
        const double wanted = held(term(t, i) - lost, t->dtype), next = held(sum + wanted, t->dtype);
        lost = held(held(next - sum, t->dtype) - wanted, t->dtype);
        sum = next;
    }
    return sum;
}

static double fused(const psgd_state *state, const terms *t)
{
    (void)state;
    double sum = 0;
    for (size_t i = 0; i < t->count; i++) {
        const double a = t->a[i * t->a_stride], b = t->b[i * t->b_stride];
        sum = t->dtype == PSGD_F64 ? fma(a, b, sum) : (double)fmaf((float)a, (float)b, (float)sum);
    }
    return sum;
}

static double in_half(const psgd_state *state, const terms *t)
{
    if (!psgd_value_type_of((uint32_t)t->dtype)->half) {
        return exact(state, t);
    }
    double sum = 0;
    for (size_t i = 0; i < t->count; i++) {
        const double product = t->a[i * t->a_stride] * t->b[i * t->b_stride];
        sum = faulty_round(state, sum + faulty_round(state, product, t->dtype), t->dtype);
    }
    return sum;
}

/* To so many binary digits. */
static double cut(double value, int digits)
{
    int exponent;
    const double fraction = frexp(value, &exponent);
    return isfinite(value) ? ldexp(nearbyint(ldexp(fraction, digits)), exponent - digits) : value;
}

static double of_cut_factors(const terms *t, int digits)
{
    double sum = 0;
    for (size_t i = 0; i < t->count; i++) {
        sum += cut(t->a[i * t->a_stride], digits) * cut(t->b[i * t->b_stride], digits);
    }
    return sum;
}

static double in_tf32(const psgd_state *state, const terms *t)
{
    return t->dtype == PSGD_F32 ? of_cut_factors(t, 11) : exact(state, t);
}

static double in_bf16(const psgd_state *state, const terms *t)
{
    return t->dtype == PSGD_F32 ? of_cut_factors(t, 8) : exact(state, t);
}

/* With the sum of another type. */
static double in_type(const psgd_state *state, const terms *t, psgd_dtype of, psgd_dtype sum)
{
    terms narrow = *t;
    narrow.dtype = sum;
    return t->dtype == of ? (sum == PSGD_F16 ? in_half : in_order)(state, &narrow) : exact(state, t);
}

static double f32_in_f16(const psgd_state *state, const terms *t)
{
    return in_type(state, t, PSGD_F32, PSGD_F16);
}

static double f64_in_f32(const psgd_state *state, const terms *t)
{
    return in_type(state, t, PSGD_F64, PSGD_F32);
}

double faulty_dot(const psgd_state *state, const double *a, size_t a_stride, const double *b, size_t b_stride,
                  size_t count, psgd_dtype dtype)
{
    static const struct {
        fault fault;
        double (*sum)(const psgd_state *state, const terms *t);
    } ways[] = {
        {HONEST_FLOAT_SUMS, in_order},
        {HONEST_REVERSED_SUMS, reversed},
        {HONEST_PAIRWISE_SUMS, pairwise},
        {HONEST_COMPENSATED_SUMS, compensated},
        {HONEST_FUSED_SUMS, fused},
        {FAULT_HALF_SUMS_IN_HALF, in_half},
        {FAULT_PRODUCTS_IN_TF32, in_tf32},
        {FAULT_PRODUCTS_IN_BF16, in_bf16},
        {FAULT_SUMS_IN_F16, f32_in_f16},
        {FAULT_F64_SUMS_IN_F32, f64_in_f32},
        {FAULT_CLASSICAL_GRAM_SCHMIDT, in_order},
        {FAULT_SQUARES_OVERFLOW, in_order},
    };
    const terms t = {a, b, a_stride, b_stride, count, dtype};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (fault_is(state, ways[i].fault)) {
            return ways[i].sum(state, &t);
        }
    }
    return exact(state, &t);
}
