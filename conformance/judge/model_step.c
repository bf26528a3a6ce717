/* model_step.c: one compressed tensor, one step, in double (contract: model.h).
 *
 * It evaluates in exact arithmetic's terms what PyTorch's hook means: where the hook's own rounding loses digits
 * (Gram-Schmidt on nearly dependent columns), this does not follow it, and says instead, by kappa and
 * reference_inaccurate, how far a result may be off. Next: model_run.c. */
#include "judge/linalg.h"
#include "judge/model_internal.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

double type_epsilon(psgd_dtype dtype)
{
    switch (dtype) {
    case PSGD_F32: return 0x1p-23;
    case PSGD_F64: return 0x1p-52;
    case PSGD_F16: return 0x1p-10;
    case PSGD_BF16: return 0x1p-7;
    }
    return NAN;
}

double type_smallest(psgd_dtype dtype)
{
    switch (dtype) {
    case PSGD_F32: return 0x1p-149;
    case PSGD_F64: return 0x1p-1074;
    case PSGD_F16: return 0x1p-24;
    case PSGD_BF16: return 0x1p-133;
    }
    return NAN;
}

double type_largest(psgd_dtype dtype)
{
    switch (dtype) {
    case PSGD_F32: return 0x1.fffffep127;
    case PSGD_F64: return DBL_MAX;
    case PSGD_F16: return 0x1.ffcp15;
    case PSGD_BF16: return 0x1.fep127;
    }
    return NAN;
}

double epsilon_in_use(const psgd_config *config, psgd_dtype dtype)
{
    double epsilon = config->variant == PSGD_FLATTENED ? 0 : config->orthogonalization_epsilon;
    return epsilon > type_smallest(dtype) / 2 ? epsilon : 0; /* half of it rounds to even: to zero */
}

double *model_doubles(size_t a, size_t b)
{
    if (a != 0 && b > SIZE_MAX / a) {
        return NULL;
    }
    return calloc(a * b == 0 ? 1 : a * b, sizeof(double));
}

static bool is_gram_schmidt(const model_input *input)
{
    return input->r <= 2 || dtype_is_half(input->dtype);
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void add_multiple(double *a, double factor, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        a[i] += factor * b[i];
    }
}

/* a[n r] in place: modified Gram-Schmidt, each column divided by (norm + epsilon).
 *
 * A column then is c u with |u| = 1 and c = norm / (norm + epsilon), and the hook takes (c u . x) c u = c^2 (u . x) u
 * off every later column x. That leaves (I - u u^T) x + (1 - c^2) (u . x) u. The first term is computed twice over
 * ("twice is enough"), so that no component along u survives by rounding; 1 - c^2 = (1 - c)(1 + c) without
 * cancellation. With epsilon = 0 the second term is zero. A column that is exactly zero becomes NaN (0 / 0) with
 * epsilon = 0, as in the hook, and stays zero with epsilon > 0. */
static bool gram_schmidt(double *a, size_t n, size_t r, double epsilon)
{
    double *columns = model_doubles(r, n);
    if (columns == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < r; j++) {
            columns[j * n + i] = a[i * r + j];
        }
    }
    for (size_t j = 0; j < r; j++) {
        double *u = columns + j * n;
        double norm = norm_frobenius(u, n);
        double c = norm / (norm + epsilon), lost = epsilon / (norm + epsilon) * (1 + c);
        for (size_t i = 0; i < n; i++) {
            u[i] = norm == 0 && epsilon > 0 ? 0 : u[i] / norm;
        }
        for (size_t k = j + 1; k < r; k++) {
            double *x = columns + k * n;
            double along = dot(u, x, n);
            add_multiple(x, -along, u, n);
            double rest = dot(u, x, n);
            add_multiple(x, -rest, u, n);
            if (epsilon > 0) {
                add_multiple(x, lost * (along + rest), u, n);
            }
        }
        for (size_t i = 0; i < n; i++) {
            a[i * r + j] = c * u[i];
        }
    }
    free(columns);
    return true;
}

/* a[n r] in place, as the hook does it for this rank and type. */
static bool orthogonalise(double *a, size_t n, const model_input *input)
{
    if (is_gram_schmidt(input)) {
        return gram_schmidt(a, n, input->r, input->epsilon);
    }
    double *q = model_doubles(n, input->r);
    bool ok = q != NULL && householder_q(q, a, n, input->r);
    for (size_t i = 0; ok && i < n * input->r; i++) {
        a[i] = q[i];
    }
    free(q);
    return ok;
}

/* How ill-conditioned the orthogonalisation of Q itself is on the Gram-Schmidt path, at least 1. Rounding there is
 * relative to each column's own norm, so columns count by their directions; epsilon is relative to the longest; a zero
 * column stays exactly zero and does not count. */
static bool find_q_condition(double *condition, const model_input *input)
{
    size_t m = input->m, r = input->r, kept = 0;
    *condition = 1;
    if (!is_gram_schmidt(input) || input->q_is_orthonormal_basis) {
        return true;
    }
    double *columns = model_doubles(r, m), *s = model_doubles(r, 1); /* transposed: [kept m] */
    bool ok = columns != NULL && s != NULL;
    double longest = 0;
    for (size_t j = 0; ok && j < r; j++) {
        double *column = columns + kept * m;
        for (size_t i = 0; i < m; i++) {
            column[i] = input->q[i * r + j];
        }
        double norm = norm_frobenius(column, m);
        longest = fmax(longest, norm);
        for (size_t i = 0; i < m && norm > 0; i++) {
            column[i] /= norm;
        }
        kept += norm > 0;
    }
    if (ok && kept > 0) {
        ok = singular_values(columns, kept, m, s);
        *condition = fmax(1, s[0] / (s[kept - 1] + input->epsilon / longest));
    }
    free(columns);
    free(s);
    return ok;
}

/* kappa and gamma. basis[m r] is Q orthogonalised, mq[n r] = Mbar basis.
 *
 * Rounding in P = Mbar Q is about u ||Mbar|| ||Q||. What it does to a normalised column is that over the column's norm
 * - over norm + epsilon on the Gram-Schmidt path, which is why an epsilon (per world, since norms are of the sum)
 * is added to the singular values; with epsilon = 0 and an orthonormal Q this is the definition.
 * Directions that Q lost when it was orthogonalised (a warm Q of nearly parallel columns) are lost before that: hence
 * the factor of find_q_condition, 1 in ordinary cases. With epsilon = 0, singular values that are nothing but double's
 * rounding of the product are no part of the pseudo-inverse, and make kappa infinite. (I - Pi) Mbar = Mbar - out,
 * whatever completed a deficient P. What completed it is rounding alone, and matters as far as Mbar has something where
 * Mbar Q has nothing: that, over such a singular value at most, is the last term of gamma, a few units where Mbar Q has
 * all of Mbar's range. */
static bool find_conditions(model_output *result, const model_input *input, const double *basis, const double *mq)
{
    size_t n = input->n, m = input->m, r = input->r;
    result->kappa = NAN;
    result->gamma = NAN;
    if (!all_finite(input->mbar, n * m) || !all_finite(input->q, m * r) || !all_finite(mq, n * r)) {
        return true;
    }
    if (!all_finite(result->out, n * m)) { /* a column of exactly zero, which the hook's rounding may well miss */
        result->kappa = INFINITY;
        result->gamma = INFINITY;
        return true;
    }
    double *s = model_doubles(r, 1), *u = model_doubles(n, r), *inverse = model_doubles(r, m);
    double *residual = model_doubles(n, m), *unreached = model_doubles(n, m);
    double q_condition;
    bool ok = s != NULL && u != NULL && inverse != NULL && residual != NULL && unreached != NULL &&
              singular_vectors(mq, n, r, s, u, NULL) && find_q_condition(&q_condition, input);
    if (ok) {
        double norm = norm_2(input->mbar, n, m), norm_q = norm_2(basis, m, r);
        double epsilon = is_gram_schmidt(input) ? input->epsilon / input->world : 0;
        double cut = epsilon > 0 ? 0 : (double)(n > m ? n : m) * 0x1p-52 * norm * norm_q;
        double largest_inverse = 0;
        bool deficient = false;
        matmul_tn(inverse, u, input->mbar, n, r, m); /* becomes S^+ U^T Mbar, of the same norm as (Mbar Q)^+ Mbar */
        for (size_t i = 0; i < r; i++) {
            double reciprocal = s[i] + epsilon > cut ? norm_q / (s[i] + epsilon) : 0;
            largest_inverse = fmax(largest_inverse, reciprocal);
            deficient = deficient || reciprocal == 0;
            for (size_t k = 0; k < n && reciprocal > 0; k++) {
                add_multiple(unreached + k * m, u[k * r + i], inverse + i * m, m);
            }
            for (size_t j = 0; j < m; j++) {
                inverse[i * m + j] *= reciprocal;
            }
        }
        for (size_t i = 0; i < n * m; i++) {
            residual[i] = input->mbar[i] - result->out[i];
            unreached[i] = input->mbar[i] - unreached[i];
        }
        double weakest = s[r - 1] + epsilon;
        double least = type_smallest(input->dtype) / type_epsilon(input->dtype);
        double product = norm * fmax(norm_q, least * sqrt((double)(m * r)));
        product = fmax(product, least * sqrt((double)(n * r)));
        result->kappa = weakest > cut ? product / weakest * q_condition : INFINITY;
        result->gamma = 1 + norm_2(inverse, r, m) + largest_inverse * norm_2(residual, n, m);
        if (deficient && cut > 0) {
            result->gamma += norm_q / cut * norm_2(unreached, n, m);
        }
    }
    free(s);
    free(u);
    free(inverse);
    free(residual);
    free(unreached);
    return ok;
}

static void add_noise(noise *z, double *factor, size_t n, const model_output *result, const model_input *input)
{
    if (result->gram_schmidt) {
        noise_apply(z, factor, n * input->r);
    } else {
        noise_apply_orthonormal(z, factor, n, input->r);
    }
}

bool model_step_noisy(model_output *result, const model_input *input, noise *z, bool conditions)
{
    size_t n = input->n, m = input->m, r = input->r;
    *result = (model_output){.gram_schmidt = is_gram_schmidt(input)};
    double *basis = model_doubles(m, r), *mq = model_doubles(n, r);
    result->p = model_doubles(n, r);
    result->q = model_doubles(m, r);
    result->out = model_doubles(n, m);
    bool ok = basis != NULL && mq != NULL && result->p != NULL && result->q != NULL && result->out != NULL;
    for (size_t i = 0; ok && i < m * r; i++) {
        basis[i] = input->q[i];
    }
    ok = ok && (input->q_is_orthonormal_basis || orthogonalise(basis, m, input));
    if (ok) {
        add_noise(z, basis, m, result, input);
        matmul(mq, input->mbar, basis, n, m, r);
        for (size_t i = 0; i < n * r; i++) {
            result->p[i] = input->world * mq[i]; /* summed, never averaged: epsilon meets these norms */
        }
        noise_apply(z, result->p, n * r);
        ok = orthogonalise(result->p, n, input);
    }
    if (ok) {
        add_noise(z, result->p, n, result, input);
        matmul_tn(result->q, input->mbar, result->p, n, m, r);
        noise_apply(z, result->q, m * r);
        matmul_nt(result->out, result->p, result->q, n, m, r);
        noise_apply(z, result->out, n * m);
    }
    if (ok && conditions) {
        ok = find_conditions(result, input, basis, mq);
        double u = type_epsilon(input->dtype);
        result->reference_inaccurate = result->gram_schmidt && !(result->kappa * u <= 0.1);
    }
    free(basis);
    free(mq);
    if (!ok) {
        model_output_free(result);
    }
    return ok;
}

bool model_step(model_output *result, const model_input *input)
{
    return model_step_noisy(result, input, NULL, true);
}

void model_output_free(model_output *result)
{
    free(result->p);
    free(result->q);
    free(result->out);
    *result = (model_output){0};
}
