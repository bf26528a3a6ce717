/* faulty_orthogonalize.c: which way a factor's columns are made orthonormal, and Gram-Schmidt. faulty_qr.c has the
 * others. */
#include "mutants/faulty_orthogonalize.h"

#include "core/values.h"

#include <math.h>
#include <stdlib.h>

static double column_dot(const psgd_state *state, const double *a, size_t n, size_t r, size_t i, size_t j,
                         psgd_dtype dtype)
{
    return faulty_dot(state, a + i, r, a + j, r, n, dtype);
}

/* ---- norms ---- */

static double norm_of(const psgd_state *state, const double *a, size_t n, size_t r, size_t j, psgd_dtype dtype)
{
    const double square = column_dot(state, a, n, r, j, j, dtype);
    if (fault_is(state, FAULT_NORM_SQUARED)) {
        return square;
    }
    if (fault_is(state, FAULT_NORM_APPROXIMATE)) {
        return sqrt(square) * (1 + 0x1p-12);
    }
    if (fault_is(state, FAULT_HALF_NORMS_IN_HALF)) {
        return sqrt(faulty_round(state, square, dtype));
    }
    return fault_is(state, FAULT_NORM_IN_F32) ? (double)(float)sqrt(square) : sqrt(square);
}

/* What a column of this norm is divided by. */
static double divisor_of(const psgd_state *state, double norm)
{
    const double epsilon = faulty_epsilon(state);
    switch (state->fault) {
    case FAULT_EPSILON_AS_MAXIMUM: return fmax(norm, epsilon);
    case FAULT_EPSILON_LEFT_OUT: return norm;
    case FAULT_EPSILON_HARD_CODED: return norm + 1e-8;
    case FAULT_EPSILON_WHERE_NONE: return norm + (epsilon > 0 ? epsilon : 1e-10);
    case FAULT_EPSILON_IN_ROOT: return sqrt(norm * norm + epsilon);
    case FAULT_EPSILON_SQUARED: return hypot(norm, epsilon);
    case FAULT_EPSILON_RELATIVE: return norm * (1 + epsilon);
    case FAULT_EPSILON_FOR_ZERO_ONLY: return norm > 0 ? norm : epsilon;
    case FAULT_NOT_NORMALIZED: return 1;
    default: return norm + epsilon;
    }
}

/* ---- Gram-Schmidt ---- */

/* Column k of a[n r] loses its part along column j. */
static void subtract(const psgd_state *state, double *a, size_t n, size_t r, size_t j, size_t k, psgd_dtype dtype)
{
    const double unit = fault_is(state, FAULT_NOT_NORMALIZED) ? column_dot(state, a, n, r, j, j, dtype) : 1;
    const double dot = column_dot(state, a, n, r, j, k, dtype) / unit;
    for (size_t row = 0; row < n; row++) {
        a[row * r + k] = faulty_round(state, a[row * r + k] - dot * a[row * r + j], dtype);
    }
}

static void divide_column(const psgd_state *state, double *a, size_t n, size_t r, size_t j, psgd_dtype dtype)
{
    const double norm = norm_of(state, a, n, r, j, dtype), divisor = divisor_of(state, norm);
    if (fault_is(state, FAULT_ZERO_COLUMN_ABORTS) && norm == 0) {
        abort();
    }
    for (size_t row = 0; row < n; row++) {
        a[row * r + j] = faulty_round(state, a[row * r + j] / divisor, dtype);
    }
}

static void gram_schmidt(const psgd_state *state, double *a, size_t n, size_t r, psgd_dtype dtype)
{
    for (size_t j = 0; j < r; j++) {
        divide_column(state, a, n, r, j, dtype);
        for (size_t k = j + 1; k < r && !fault_is(state, FAULT_NOT_PROJECTED); k++) {
            if (k == j + 1 || !fault_is(state, FAULT_NEIGHBOURS_ONLY)) {
                subtract(state, a, n, r, j, k, dtype);
            }
        }
    }
}

/* All of a column's products with those before it are taken of the column as it came. */
static bool by_classical_gram_schmidt(const psgd_state *state, double *a, size_t n, size_t r, psgd_dtype dtype)
{
    double *dots = calloc(r + 1, sizeof *dots);
    for (size_t k = 0; dots != NULL && k < r; k++) {
        for (size_t j = 0; j < k; j++) {
            dots[j] = column_dot(state, a, n, r, j, k, dtype);
        }
        for (size_t j = 0; j < k; j++) {
            for (size_t row = 0; row < n; row++) {
                a[row * r + k] = faulty_round(state, a[row * r + k] - dots[j] * a[row * r + j], dtype);
            }
        }
        divide_column(state, a, n, r, k, dtype);
    }
    free(dots);
    return dots != NULL;
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

/* ---- which method ---- */

typedef bool method(const psgd_state *state, double *a, size_t n, size_t r, psgd_dtype dtype);

/* The ports that have one method for all; null: not this one. */
static method *only_method(const psgd_state *state)
{
    static const struct {
        fault fault;
        method *method;
    } choices[] = {
        {HONEST_HOUSEHOLDER, faulty_householder},   {HONEST_CHOLESKY, faulty_cholesky},
        {HONEST_GRAM_SCHMIDT, by_gram_schmidt},     {HONEST_GRAM_SCHMIDT_TWICE, by_gram_schmidt},
        {HONEST_COLUMNS_REVERSED, by_gram_schmidt}, {FAULT_ALL_BY_GRAM_SCHMIDT, by_gram_schmidt},
        {FAULT_NEIGHBOURS_ONLY, by_gram_schmidt},   {FAULT_NOT_PROJECTED, by_gram_schmidt},
        {FAULT_NOT_NORMALIZED, by_gram_schmidt},    {FAULT_CLASSICAL_GRAM_SCHMIDT, by_classical_gram_schmidt},
        {FAULT_SQUARES_OVERFLOW, by_gram_schmidt},
    };
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        if (fault_is(state, choices[i].fault)) {
            return choices[i].method;
        }
    }
    return NULL;
}

/* The hook's choice. */
static method *method_for(const psgd_state *state, size_t r, psgd_dtype dtype)
{
    const bool half = psgd_value_type_of((uint32_t)dtype)->half;
    size_t most = 2; /* columns by Gram-Schmidt */
    most = fault_is(state, FAULT_QR_FROM_RANK_2) ? 1 : fault_is(state, FAULT_QR_FROM_RANK_4) ? 3 : most;
    const size_t asked = (size_t)state->config.matrix_approximation_rank;
    const size_t counted = fault_is(state, FAULT_METHOD_BY_WHOLE_RANK) ? asked : r;
    return counted > most && (!half || fault_is(state, FAULT_HALF_QR)) ? faulty_householder : by_gram_schmidt;
}

/* Is this factor left as it is? */
static bool is_left(const psgd_state *state, factor_side side)
{
    const bool warm = state->iteration > (uint64_t)state->config.start_iter;
    if (side == FACTOR_P) {
        return fault_is(state, FAULT_P_NOT_ORTHOGONALIZED);
    }
    return fault_is(state, FAULT_Q_NEVER_ORTHOGONALIZED) || fault_is(state, FAULT_ALTERNATING_NOT_ORTHOGONAL) ||
           (fault_is(state, FAULT_WARM_Q_NOT_ORTHOGONALIZED) && warm && state->config.warm_start);
}

/* Once the columns of a[n r] are orthonormal. last[n]: the last one as it was. */
static void spoil(const psgd_state *state, double *a, size_t n, size_t r, const double *last)
{
    for (size_t row = 0; row < n; row++) {
        if (fault_is(state, FAULT_LAST_COLUMN_LEFT)) {
            a[row * r + r - 1] = last[row];
        }
        if (fault_is(state, HONEST_SIGNS_FLIPPED)) {
            a[row * r] = -a[row * r];
        }
    }
}

bool faulty_orthogonalize(const psgd_state *state, factor_side side, double *a, size_t n, size_t r, psgd_dtype dtype)
{
    if (fault_is(state, HONEST_Q_NOT_ORTHOGONALIZED) && side == FACTOR_Q) {
        scale_to_one(a, n * r);
        return true;
    }
    if (is_left(state, side)) {
        return true;
    }
    double *last = calloc(n + 1, sizeof *last);
    if (last == NULL) {
        return false;
    }
    for (size_t row = 0; row < n && r > 0; row++) {
        last[row] = a[row * r + r - 1];
    }
    method *only = only_method(state);
    const bool ok = (only != NULL ? only : method_for(state, r, dtype))(state, a, n, r, dtype);
    if (r > 0) {
        spoil(state, a, n, r, last);
    }
    free(last);
    return ok;
}
