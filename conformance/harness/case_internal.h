/* case_internal.h: the steps that make a case, shared by case.c (from a problem) and casefile_read.c (from a file). */
#ifndef CONFORMANCE_HARNESS_CASE_INTERNAL_H
#define CONFORMANCE_HARNESS_CASE_INTERNAL_H

#include "core/layout.h"
#include "harness/case.h"

/* From c->problem, complete with its shapes and number of steps: config (a relative epsilon stays 0), dimensions,
 * buckets, and in and q0 as arrays of null values. False: message says why. */
bool case_lay_out(test_case *c, char *message, size_t message_size);

/* Is a fresh Q drawn at this step? */
bool case_draws_q0_at(const test_case *c, int64_t step);

/* Draws q0 by the hook's seeded chain. */
bool case_draw_q0(test_case *c, char *message, size_t message_size);

/* The mean norm of the columns of (sum over ranks M) Q, Q orthonormalised, over all compressed tensors at the first
 * compressed step; 0 if there is none. In double, rounded to six digits, so that it is the same everywhere. */
bool case_mean_column_norm(double *norm, const test_case *c, char *message, size_t message_size);

/* rec:NAME: fills in the shapes and the steps of *p from golden_folder/rec-NAME.safetensors; *mistaken is set where the
 * problem does not fit its recording, or there is none of this name, */
bool recording_shapes(problem *p, const char *golden_folder, bool *mistaken, char *message, size_t message_size);
/* and the inputs of a laid out case. */
bool recording_inputs(test_case *c, const char *golden_folder, char *message, size_t message_size);

/* The metadata "buckets" as shapes: [{"index": 0, "is_last": true, "shapes": [[24, 40], [17]]}], checked; and back
 * (malloc'ed). */
bool buckets_from_json(problem_bucket **buckets, size_t *bucket_count, const char *text, char *message,
                       size_t message_size);
char *buckets_to_json(const problem_bucket *buckets, size_t bucket_count);

#endif
