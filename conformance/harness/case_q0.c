/* case_q0.c: the Q that a case starts from: the seeded draws of PyTorch's hook (core/random.h). Half types, for which
 * the hook has no settled rule, get the f32 draws, rounded.
 *
 * Per bucket whose factors are drawn afresh one seed, also where it has nothing to compress; then tensor by tensor in
 * the order of the factors. Under same-shape batching a group is one draw.
 */
#include "core/random.h"
#include "harness/case_internal.h"
#include "harness/spectrum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool case_bucket_layout(psgd_bucket_layout *layout, const test_case *c, size_t bucket, char *message,
                        size_t message_size)
{
    char no_data[sizeof(double)]; /* a layout wants to see data, and does not read it */
    psgd_bucket described = c->buckets[bucket];
    described.data = no_data;
    return psgd_bucket_layout_make(layout, &described, c->config.matrix_approximation_rank,
                                   c->config.min_compression_rate, message, message_size) == PSGD_OK;
}

size_t case_square_side(size_t length)
{
    size_t side = (size_t)sqrt((double)length); /* at most 2^48: exact up to one */
    while (side * side < length)
        side++;
    while (side > 0 && (side - 1) * (side - 1) >= length)
        side--;
    return side;
}

bool case_draws_q0_at(const test_case *c, int64_t step)
{
    return c->config.warm_start ? step == c->config.start_iter : step >= c->config.start_iter;
}

/* drawn[count] in the case's type */
static bool draw(values *drawn, const test_case *c, psgd_torch_generator *generator, size_t count)
{
    const bool half = dtype_is_half(c->dtype);
    values wide;
    if (!values_allocate(&wide, half ? PSGD_F32 : c->dtype, count))
        return false;
    if (psgd_torch_randn(generator, wide.data, count, wide.dtype) != PSGD_OK) {
        values_free(&wide);
        return false;
    }
    if (!half) {
        *drawn = wide;
        return true;
    }
    const bool ok = values_allocate(drawn, c->dtype, count);
    for (size_t i = 0; ok && i < count; i++)
        values_set(drawn, i, values_get(&wide, i));
    values_free(&wide);
    return ok;
}

/* Members of one group, or a single tensor: tensors order[0 .. batch), all m x r, in one draw. */
static bool draw_batch(test_case *c, psgd_torch_generator *generator, int64_t step, size_t bucket, const size_t *order,
                       size_t batch, size_t each)
{
    size_t count;
    values all;
    if (!psgd_size_multiply(batch, each, &count) || !draw(&all, c, generator, count))
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < batch; i++) {
        values *q0 = (values *)case_q0(c, step, bucket, order[i]); /* of the case that we may write */
        ok = values_allocate(q0, c->dtype, each);
        for (size_t e = 0; ok && e < each; e++)
            values_set(q0, e, values_get(&all, i * each + e));
    }
    values_free(&all);
    return ok;
}

static bool draw_layerwise(test_case *c, psgd_torch_generator *generator, int64_t step, size_t bucket)
{
    psgd_bucket_layout layout;
    if (!case_bucket_layout(&layout, c, bucket, NULL, 0))
        return false;
    bool ok = true;
    for (size_t at = 0; ok && at < layout.compressed_count;) {
        const psgd_matrix_layout *first = &layout.tensors[layout.factor_order[at]];
        const size_t batch = c->config.batch_tensors_with_same_shape ? psgd_bucket_layout_run(&layout, at) : 1;
        ok = draw_batch(c, generator, step, bucket, &layout.factor_order[at], batch, first->m * first->r);
        at += batch;
    }
    psgd_bucket_layout_free(&layout);
    return ok;
}

static bool draw_flattened(test_case *c, psgd_torch_generator *generator, int64_t step, size_t bucket)
{
    const size_t side = case_square_side(c->numel[bucket]), first = 0;
    size_t each;
    return psgd_size_multiply(side, (size_t)c->config.matrix_approximation_rank, &each) &&
           draw_batch(c, generator, step, bucket, &first, 1, each);
}

bool case_draw_q0(test_case *c, char *message, size_t message_size)
{
    psgd_mt19937 seeds;
    psgd_mt19937_seed(&seeds, c->config.random_seed);
    for (int64_t step = c->config.start_iter; step < c->steps; step++)
        for (size_t b = 0; b < c->bucket_count && case_draws_q0_at(c, step); b++) {
            psgd_torch_generator generator;
            psgd_torch_manual_seed(&generator, psgd_random_next_seed(&seeds));
            const bool ok = c->config.variant == PSGD_FLATTENED ? draw_flattened(c, &generator, step, b)
                                                                : draw_layerwise(c, &generator, step, b);
            if (!ok) {
                (void)snprintf(message, message_size, "no memory for the Q of step %lld, bucket %zu", (long long)step,
                               b);
                return false;
            }
        }
    return true;
}

/* The sum of the column norms of M Q for one matrix: m_sum[n m], q[m r], product[n r] */
static double column_norms(double *product, const double *m_sum, const double *q, size_t n, size_t m, size_t r)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < r; l++) {
            double entry = 0;
            for (size_t j = 0; j < m; j++)
                entry += m_sum[i * m + j] * q[j * r + l];
            product[i * r + l] = entry;
        }
    for (size_t l = 0; l < r; l++) {
        double square = 0;
        for (size_t i = 0; i < n; i++)
            square += product[i * r + l] * product[i * r + l];
        sum += sqrt(square);
    }
    return sum;
}

/* Adds one compressed tensor's columns: n x m from element `offset` of the bucket, r columns. */
static bool add_tensor(double *sum, double *columns, const test_case *c, size_t bucket, size_t tensor,
                       const psgd_matrix_layout *t)
{
    const int64_t step = c->config.start_iter;
    double *m_sum = calloc(t->n * t->m, sizeof *m_sum);
    double *q = calloc(t->m * t->r, sizeof *q);
    double *product = calloc(t->n * t->r, sizeof *product);
    const bool ok = m_sum != NULL && q != NULL && product != NULL;
    if (ok) {
        for (int k = 0; k < c->world; k++) {
            const values *in = case_in(c, step, bucket, k);
            for (size_t i = 0; i < t->n * t->m && t->offset + i < in->count; i++) /* beyond: a square's padding */
                m_sum[i] += values_get(in, t->offset + i);
        }
        values_to_double(q, case_q0(c, step, bucket, tensor));
        spectrum_orthonormalise(q, t->m, t->r);
        *sum += column_norms(product, m_sum, q, t->n, t->m, t->r);
        *columns += (double)t->r;
    }
    free(m_sum);
    free(q);
    free(product);
    return ok;
}

static bool add_bucket(double *sum, double *columns, const test_case *c, size_t bucket)
{
    if (c->config.variant == PSGD_FLATTENED) {
        const size_t side = case_square_side(c->numel[bucket]);
        const psgd_matrix_layout square = {.n = side, .m = side, .r = (size_t)c->config.matrix_approximation_rank};
        return side == 0 || add_tensor(sum, columns, c, bucket, 0, &square);
    }
    psgd_bucket_layout layout;
    if (!case_bucket_layout(&layout, c, bucket, NULL, 0))
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < layout.tensor_count; i++)
        if (layout.tensors[i].compressed)
            ok = add_tensor(sum, columns, c, bucket, i, &layout.tensors[i]);
    psgd_bucket_layout_free(&layout);
    return ok;
}

bool case_mean_column_norm(double *norm, const test_case *c, char *message, size_t message_size)
{
    double sum = 0, columns = 0;
    *norm = 0;
    if (c->config.start_iter >= c->steps)
        return true;
    for (size_t b = 0; b < c->bucket_count; b++)
        if (!add_bucket(&sum, &columns, c, b)) {
            (void)snprintf(message, message_size, "no memory for the relative epsilon");
            return false;
        }
    if (columns == 0)
        return true;
    char digits[32];
    (void)snprintf(digits, sizeof digits, "%.5e", sum / columns);
    *norm = strtod(digits, NULL);
    return true;
}
