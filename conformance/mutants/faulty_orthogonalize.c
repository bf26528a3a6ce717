/* faulty_orthogonalize.c: which way a factor's columns are made orthonormal, and Gram-Schmidt. faulty_qr.c has the
 * others. */
#include "mutants/faulty_orthogonalize.h"

#include "core/values.h"

#include <math.h>

static double column_dot(const psgd_state *state, const double *a, size_t n, size_t r, size_t i, size_t j,
                         psgd_dtype dtype)
{
    return faulty_dot(state, a + i, r, a + j, r, n, dtype);
}

/* What the columns of a[n r] are divided by. */
static double divisor_of(const psgd_state *state, double norm)
{
    const double epsilon = faulty_epsilon(state);
    if (fault_is(state, FAULT_EPSILON_AS_MAXIMUM)) {
        return fmax(norm, epsilon);
    }
    return norm + epsilon;
}

static void gram_schmidt(const psgd_state *state, double *a, size_t n, size_t r, psgd_dtype dtype)
{
    for (size_t j = 0; j < r; j++) {
        const double divisor = divisor_of(state, sqrt(column_dot(state, a, n, r, j, j, dtype)));
        for (size_t row = 0; row < n; row++) {
            a[row * r + j] = faulty_round(state, a[row * r + j] / divisor, dtype);
        }
        for (size_t k = j + 1; k < r; k++) {
            const double dot = column_dot(state, a, n, r, j, k, dtype);
            for (size_t row = 0; row < n; row++) {
                a[row * r + k] = faulty_round(state, a[row * r + k] - dot * a[row * r + j], dtype);
            }
        }
    }
}

static void reverse_columns(double *a, size_t n, size_t r)
{
    for (size_t row = 0; row < n; row++) {
        for (size_t k = 0; k < r / 2; k++) {
            const double kept = a[row * r + k];
            a[row * r + k] = a[row * r + r - 1 - k];
            a[row * r + r - 1 - k] = kept;
        }
    }
}

static bool by_gram_schmidt(const psgd_state *state, double *a, size_t n, size_t r, psgd_dtype dtype)
{
    const bool reversed = fault_is(state, HONEST_COLUMNS_REVERSED);
    if (reversed) {
        reverse_columns(a, n, r);
    }
    gram_schmidt(state, a, n, r, faulty_factor_type(state, dtype));
    if (fault_is(state, HONEST_GRAM_SCHMIDT_TWICE)) {
        gram_schmidt(state, a, n, r, faulty_factor_type(state, dtype));
    }
    if (reversed) {
        reverse_columns(a, n, r);
    }
    return true;
}

/* The largest element comes to lie in 1/2 .. 1; the powers of two change nothing else. */
static void scale_to_one(double *a, size_t count)
{
    double largest = 0;
    int exponent = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, fabs(a[i]));
    }
    (void)frexp(largest, &exponent);
    for (size_t i = 0; isfinite(largest) && i < count; i++) {
        a[i] = ldexp(a[i], -exponent);
    }
}

typedef bool method(const psgd_state *state, double *a, size_t n, size_t r, psgd_dtype dtype);

/* The hook's choice, but for the ports that have one method for all. */
static method *method_for(const psgd_state *state, size_t r, psgd_dtype dtype)
{
    static const struct {
        fault fault;
        method *method;
    } choices[] = {
        {HONEST_HOUSEHOLDER, faulty_householder},   {HONEST_CHOLESKY, faulty_cholesky},
        {HONEST_GRAM_SCHMIDT, by_gram_schmidt},     {HONEST_GRAM_SCHMIDT_TWICE, by_gram_schmidt},
        {HONEST_COLUMNS_REVERSED, by_gram_schmidt},
    };
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        if (fault_is(state, choices[i].fault)) {
            return choices[i].method;
        }
    }
    const bool half = psgd_value_type_of((uint32_t)dtype)->half;
    return r > 2 && (!half || fault_is(state, FAULT_HALF_QR)) ? faulty_householder : by_gram_schmidt;
}

bool faulty_orthogonalize(const psgd_state *state, factor_side side, double *a, size_t n, size_t r, psgd_dtype dtype)
{
    if (fault_is(state, HONEST_Q_NOT_ORTHOGONALIZED) && side == FACTOR_Q) {
        scale_to_one(a, n * r);
        return true;
    }
    const bool ok = method_for(state, r, dtype)(state, a, n, r, dtype);
    for (size_t row = 0; fault_is(state, HONEST_SIGNS_FLIPPED) && row < n && r > 0; row++) {
        a[row * r] = -a[row * r];
    }
    return ok;
}
