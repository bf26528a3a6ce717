/* shape_sets.h: named shape sets, the layouts that benchmarks and reports speak of: real:resnet50, real:gpt2x4 (four
 * blocks of GPT-2 small), real:sq4096, real:tiny200x64. Models are cut into buckets as PyTorch's DDP does it:
 * parameters in reverse order, a bucket closed once it has reached 1 MiB (the first) or 25 MiB, in f32.
 */
#ifndef CONFORMANCE_HARNESS_SHAPE_SETS_H
#define CONFORMANCE_HARNESS_SHAPE_SETS_H

#include "harness/problem.h"

typedef enum shape_set_result { SHAPE_SET_MADE, SHAPE_SET_UNKNOWN, SHAPE_SET_NO_MEMORY } shape_set_result;

/* Makes the buckets of the set called name[length]; the caller owns them (problem_free releases those of a problem). */
shape_set_result shape_set_make(problem_bucket **buckets, size_t *bucket_count, const char *name, size_t length);

/* Releases buckets[bucket_count] with their shapes; null is allowed. */
void buckets_free(problem_bucket *buckets, size_t bucket_count);

/* Appends a shape to a bucket, copying dims[ndim]; false without memory. */
bool bucket_append(problem_bucket *bucket, const size_t *dims, size_t ndim);
/* Appends an empty bucket; false without memory. */
bool buckets_append(problem_bucket **buckets, size_t *bucket_count);

#endif
