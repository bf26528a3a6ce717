/* problem_reader.h: what the three files that read a problem string share: problem_parse.c (which fields there are),
 * problem_fields.c (what stands in each), problem_check.c (what fields need of each other). Private to them.
 */
#ifndef CONFORMANCE_HARNESS_PROBLEM_READER_H
#define CONFORMANCE_HARNESS_PROBLEM_READER_H

#include "harness/problem_scan.h"

#define PROBLEM_NOT_GIVEN SIZE_MAX

typedef enum field_name {
    FIELD_WORLD,
    FIELD_GROUP,
    FIELD_R,
    FIELD_START,
    FIELD_STEPS,
    FIELD_DTYPE,
    FIELD_FLAGS,
    FIELD_RATE,
    FIELD_EPSILON,
    FIELD_SHAPES,
    FIELD_GRADIENTS,
    FIELD_CONSTANT,
    FIELD_SCALE,
    FIELD_REVERSED,
    FIELD_SEED,
    FIELD_RANDOM_SEED,
    FIELD_STATISTICS,
    FIELD_CHECKPOINT,
    FIELD_COUNT
} field_name;

typedef struct problem_reader {
    scanner s;
    problem *p;
    size_t where[FIELD_COUNT]; /* where each field begins, or PROBLEM_NOT_GIVEN */
    size_t group_size;         /* members in group= */
} problem_reader;

/* Sets the error "no memory" at the current position; returns false. */
bool problem_no_memory(problem_reader *in);

/* Readers: the scanner stands after the field's name, for dtype and flags on it. */
bool problem_read_world(problem_reader *in);
bool problem_read_group(problem_reader *in);
bool problem_read_r(problem_reader *in);
bool problem_read_start(problem_reader *in);
bool problem_read_steps(problem_reader *in);
bool problem_read_dtype(problem_reader *in);
bool problem_read_flags(problem_reader *in);
bool problem_read_rate(problem_reader *in);
bool problem_read_epsilon(problem_reader *in);
bool problem_read_shapes(problem_reader *in);
bool problem_read_shape_set(problem_reader *in);
bool problem_read_recording(problem_reader *in);
bool problem_read_gradients(problem_reader *in);
bool problem_read_constant(problem_reader *in);
bool problem_read_scale(problem_reader *in);
bool problem_read_reversed(problem_reader *in);
bool problem_read_seed(problem_reader *in);
bool problem_read_random_seed(problem_reader *in);
bool problem_read_statistics(problem_reader *in);
bool problem_read_checkpoint(problem_reader *in);

/* Fills in the defaults that depend on other fields and checks the whole. */
bool problem_check(problem_reader *in);

#endif
