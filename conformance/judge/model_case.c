/* model_case.c: a case without its ranks: which matrices are compressed and when, the mean gradients, and how far the
 * ranks' matrices lie from their mean.
 *
 * With error feedback M_k = G_k + E_k and E_k = M_k - out, out being the same on all ranks. So the deviation from the
 * mean, D_k = M_k - Mbar, grows by G_k - Gbar a step, whatever out is: it can be known without running anything.
 * Selection is written out here, not taken from ref/core, because it is judged too. Next: model_run.c. */
#include "judge/model_internal.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* The hook's test: strict, in double, in this order of operations. */
static bool is_selected(size_t n, size_t m, size_t r, double rate)
{
    return (double)((n + m) * r) * rate < (double)(n * m);
}

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

static bool plan_layerwise(model_bucket *plan, const psgd_bucket *bucket, size_t r, double rate)
{
    plan->matrix_count = bucket->tensor_count;
    plan->matrices = calloc(bucket->tensor_count + 1, sizeof *plan->matrices);
    if (plan->matrices == NULL) {
        return false;
    }
    size_t offset = 0;
    for (size_t i = 0; i < bucket->tensor_count; i++) {
        const psgd_shape *shape = &bucket->shapes[i];
        model_matrix *matrix = &plan->matrices[i];
        *matrix = (model_matrix){.n = shape->ndim == 0 ? 1 : shape->dims[0], .m = 1, .offset = offset};
        for (size_t d = 1; d < shape->ndim; d++) {
            matrix->m *= shape->dims[d];
        }
        matrix->r = smallest(matrix->n, matrix->m, r);
        matrix->compressed = is_selected(matrix->n, matrix->m, matrix->r, rate);
        offset += matrix->n * matrix->m;
    }
    plan->stored = plan->numel;
    return true;
}

/* The bucket padded to a square: one matrix, always compressed, r not clipped. */
static bool plan_flattened(model_bucket *plan, const psgd_bucket *bucket, size_t r)
{
    size_t side = case_square_side(plan->numel);
    plan->stored = side * side;
    plan->matrix_count = bucket->tensor_count == 0 || side == 0 ? 0 : 1;
    plan->matrices = calloc(1, sizeof *plan->matrices);
    if (plan->matrices == NULL) {
        return false;
    }
    plan->refused = r > side;
    plan->matrices[0] = (model_matrix){.n = side, .m = side, .r = r, .compressed = !plan->refused};
    return true;
}

/* x[numel]: what rank k brings; NaN where the case does not hold it. */
static void rank_gradient(double *x, const test_case *c, size_t step, size_t bucket, size_t k, size_t numel)
{
    const values *in = case_in(c, (int64_t)step, bucket, (int)k);
    if (in != NULL && in->data != NULL && in->count == numel) {
        values_to_double(x, in);
        return;
    }
    for (size_t i = 0; i < numel; i++) {
        x[i] = NAN;
    }
}

/* mean[numel]: summed in extended precision, so that it neither overflows nor rounds twice. */
static void mean_gradient(double *mean, double *values_of_rank, const test_case *c, size_t step, size_t bucket,
                          size_t numel, long double *sum)
{
    for (size_t i = 0; i < numel; i++) {
        sum[i] = 0;
    }
    for (size_t k = 0; k < (size_t)c->world; k++) {
        rank_gradient(values_of_rank, c, step, bucket, k, numel);
        for (size_t i = 0; i < numel; i++) {
            sum[i] += values_of_rank[i];
        }
    }
    for (size_t i = 0; i < numel; i++) {
        mean[i] = (double)(sum[i] / c->world);
    }
}

/* Fills the means and spreads of one bucket over all steps. */
static bool reduce_bucket(model_case *mc, size_t bucket)
{
    const test_case *c = mc->source;
    const model_bucket *plan = &mc->buckets[bucket];
    size_t numel = plan->numel, world = (size_t)c->world;
    double *rank_values = model_doubles(numel, 1), *deviations = model_doubles(world, numel);
    long double *sum = calloc(numel + 1, sizeof *sum);
    bool ok = rank_values != NULL && deviations != NULL && sum != NULL;
    for (size_t t = 0; ok && t < mc->steps; t++) {
        size_t at = t * mc->bucket_count + bucket;
        double *mean = mc->mean[at] = model_doubles(plan->stored, 1);
        double *spread = mc->spread[at] = model_doubles(plan->stored, 1);
        ok = mean != NULL && spread != NULL;
        if (!ok) {
            break;
        }
        mean_gradient(mean, rank_values, c, t, bucket, numel, sum);
        bool remembers = c->config.use_error_feedback && mc->compresses[at];
        for (size_t k = 0; k < world; k++) {
            rank_gradient(rank_values, c, t, bucket, k, numel);
            for (size_t i = 0; i < numel; i++) {
                double *d = &deviations[k * numel + i];
                *d = (remembers ? *d : 0) + (rank_values[i] - mean[i]);
                spread[i] += *d * *d / c->world;
            }
        }
        for (size_t i = 0; !remembers && i < world * numel; i++) {
            deviations[i] = 0; /* the plain phase leaves no error */
        }
    }
    free(rank_values);
    free(deviations);
    free(sum);
    return ok;
}

/* When each bucket is compressed: the iteration counter advances at the bucket that says is_last. */
static void find_phases(model_case *mc)
{
    int64_t iteration = 0;
    for (size_t t = 0; t < mc->steps; t++) {
        for (size_t b = 0; b < mc->bucket_count; b++) {
            mc->compresses[t * mc->bucket_count + b] = iteration >= mc->source->config.start_iter;
            iteration += mc->source->buckets[b].is_last;
        }
    }
}

bool model_case_make(model_case *mc, const test_case *c)
{
    *mc = (model_case){.source = c, .steps = (size_t)c->steps, .bucket_count = c->bucket_count};
    size_t entries = mc->steps * mc->bucket_count;
    mc->buckets = calloc(mc->bucket_count + 1, sizeof *mc->buckets);
    mc->mean = calloc(entries + 1, sizeof *mc->mean);
    mc->spread = calloc(entries + 1, sizeof *mc->spread);
    mc->compresses = calloc(entries + 1, sizeof *mc->compresses);
    bool ok = mc->buckets != NULL && mc->mean != NULL && mc->spread != NULL && mc->compresses != NULL;
    if (ok) {
        find_phases(mc);
    }
    for (size_t b = 0; ok && b < mc->bucket_count; b++) {
        model_bucket *plan = &mc->buckets[b];
        size_t r = (size_t)c->config.matrix_approximation_rank;
        plan->numel = c->numel[b];
        plan->first_tensor = mc->tensor_count;
        mc->tensor_count += c->tensor_counts[b];
        ok = (c->config.variant == PSGD_FLATTENED
                  ? plan_flattened(plan, &c->buckets[b], r)
                  : plan_layerwise(plan, &c->buckets[b], r, c->config.min_compression_rate)) &&
             reduce_bucket(mc, b);
    }
    if (!ok) {
        model_case_free(mc);
    }
    return ok;
}

void model_case_free(model_case *mc)
{
    for (size_t i = 0; i < mc->steps * mc->bucket_count; i++) {
        if (mc->mean != NULL) {
            free(mc->mean[i]);
        }
        if (mc->spread != NULL) {
            free(mc->spread[i]);
        }
    }
    for (size_t b = 0; mc->buckets != NULL && b < mc->bucket_count; b++) {
        free(mc->buckets[b].matrices);
    }
    free(mc->buckets);
    free(mc->mean);
    free(mc->spread);
    free(mc->compresses);
    *mc = (model_case){0};
}
