/* handmade_case.h: cases for tests of the judge that come from no problem string, so that a test sees every number. */
#ifndef CONFORMANCE_TESTS_JUDGE_HANDMADE_CASE_H
#define CONFORMANCE_TESTS_JUDGE_HANDMADE_CASE_H

#include "harness/case.h"

#define MAX_TENSORS 3 /* of a bucket */
#define MAX_BUCKETS 2

/* A case of random f64 data in [-1, 1]; the fixture owns everything that the case points to. */
typedef struct fixture {
    test_case c;
    size_t dims[MAX_BUCKETS * MAX_TENSORS][2];
    psgd_shape shapes[MAX_BUCKETS * MAX_TENSORS];
    psgd_bucket buckets[MAX_BUCKETS];
    size_t numel[MAX_BUCKETS], tensor_counts[MAX_BUCKETS], tensors;
} fixture;

/* In this order: a new one (the hook's defaults but r and start), its buckets, its data. They fail the test without
 * memory. */
fixture *new_fixture(int64_t r, int64_t start);
void add_bucket(fixture *f, size_t count, const size_t (*dims)[2]); /* dims {n, 0}: 1-D. The last one is is_last */
/* Gives every rank, step and tensor its data. q0 is there for all steps: the model must take no more than it needs. */
void fill_fixture(fixture *f, int world, int64_t steps, unsigned long seed);
void free_fixture(fixture *f);

double *in_data(const fixture *f, size_t step, size_t bucket, size_t rank);

#endif
