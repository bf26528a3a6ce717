/* handmade_case.c: see handmade_case.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "handmade_case.h"

#include <gsl/gsl_rng.h>
#include <stdlib.h>
#include <string.h>

void add_bucket(fixture *f, size_t count, const size_t (*dims)[2])
{
    size_t b = f->c.bucket_count++;
    for (size_t i = 0; i < count; i++) {
        memcpy(f->dims[f->tensors + i], dims[i], sizeof *dims);
        f->shapes[f->tensors + i] = (psgd_shape){.ndim = dims[i][1] == 0 ? 1 : 2, .dims = f->dims[f->tensors + i]};
        f->numel[b] += dims[i][0] * (dims[i][1] == 0 ? 1 : dims[i][1]);
    }
    f->buckets[b] = (psgd_bucket){.struct_size = sizeof(psgd_bucket),
                                  .dtype = PSGD_F64,
                                  .index = b,
                                  .is_last = true,
                                  .tensor_count = count,
                                  .shapes = f->shapes + f->tensors};
    if (b > 0) {
        f->buckets[b - 1].is_last = false;
    }
    f->tensor_counts[b] = count;
    f->tensors += count;
}

void fill_fixture(fixture *f, int world, int64_t steps, unsigned long seed)
{
    test_case *c = &f->c;
    c->world = world;
    c->steps = steps;
    c->dtype = PSGD_F64;
    c->buckets = f->buckets;
    c->numel = f->numel;
    c->tensor_counts = f->tensor_counts;
    c->in = calloc((size_t)steps * c->bucket_count * (size_t)world, sizeof *c->in);
    c->q0 = calloc((size_t)steps * f->tensors, sizeof *c->q0);
    gsl_rng *generator = gsl_rng_alloc(gsl_rng_mt19937);
    assert_true(c->in != NULL && c->q0 != NULL && generator != NULL);
    gsl_rng_set(generator, seed);
    for (size_t i = 0; i < (size_t)steps * c->bucket_count * (size_t)world; i++) {
        size_t bucket = i / (size_t)world % c->bucket_count;
        assert_true(values_allocate(&c->in[i], PSGD_F64, f->numel[bucket]));
        for (size_t j = 0; j < f->numel[bucket]; j++) {
            ((double *)c->in[i].data)[j] = 2 * gsl_rng_uniform(generator) - 1;
        }
    }
    size_t r = (size_t)c->config.matrix_approximation_rank;
    for (size_t i = 0; i < (size_t)steps * f->tensors; i++) {
        size_t n = f->dims[i % f->tensors][0], m = f->dims[i % f->tensors][1];
        if (c->config.variant == PSGD_FLATTENED) {
            n = m = 3; /* of the bucket of 7 elements below */
        }
        assert_true(values_allocate(&c->q0[i], PSGD_F64, m * (n < r ? n : m < r ? m : r)));
        for (size_t j = 0; j < c->q0[i].count; j++) {
            ((double *)c->q0[i].data)[j] = 2 * gsl_rng_uniform(generator) - 1;
        }
    }
    gsl_rng_free(generator);
}

fixture *new_fixture(int64_t r, int64_t start)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->c.config = psgd_config_default();
    f->c.config.matrix_approximation_rank = r;
    f->c.config.start_iter = start;
    f->c.problem_text = "made by hand";
    return f;
}

void free_fixture(fixture *f)
{
    for (size_t i = 0; i < (size_t)f->c.steps * f->c.bucket_count * (size_t)f->c.world; i++) {
        values_free(&f->c.in[i]);
    }
    for (size_t i = 0; i < (size_t)f->c.steps * f->tensors; i++) {
        values_free(&f->c.q0[i]);
    }
    free(f->c.in);
    free(f->c.q0);
    free(f);
}

double *in_data(const fixture *f, size_t step, size_t bucket, size_t rank)
{
    return f->c.in[(step * f->c.bucket_count + bucket) * (size_t)f->c.world + rank].data;
}
