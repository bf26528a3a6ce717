/* case.h: a case, that is a problem made concrete: the inputs of every rank, step and bucket, and the Q to start from.
 */
#ifndef CONFORMANCE_HARNESS_CASE_H
#define CONFORMANCE_HARNESS_CASE_H

#include "core/layout.h"
#include "harness/problem.h"
#include "harness/trace.h"

#define CASE_GENERATOR "psgd-conform data 1" /* name and version of the generator of inputs */

typedef struct test_case {
    char *id;           /* file name without ending */
    char *problem_text; /* canonical */
    problem problem;
    uint64_t claims;    /* run if the port makes all of these */
    char *requirements; /* space-separated IDs that this case was made for; may be "" */
    psgd_config config; /* q_source and log null: the runner sets them. Relative epsilons are resolved here */
    int world;          /* ranks of the group */
    int64_t steps;
    psgd_dtype dtype;
    size_t bucket_count;
    psgd_bucket *buckets;  /* [bucket_count]; data null; shapes point into problem */
    size_t *numel;         /* [bucket_count] */
    size_t *tensor_counts; /* [bucket_count] */
    values *in;            /* [steps][bucket_count][world] */
    values *q0;            /* [steps][sum of tensor_counts]; empty where no fresh Q is drawn; m x r row-major */
    trace *expected;       /* golden results of PyTorch's hook, or null */
    bool mistaken;         /* after case_build has failed: the problem is at fault, not memory or a file */
} test_case;

/* A factor is drawn afresh for a compressed tensor at the first compressed step of its bucket, and at every compressed
 * step without warm start. Where recordings are named they are looked for in golden_folder. id and requirements are
 * copied. False: message says why (no memory, no such recording, sizes overflow). */
bool case_build(test_case *c, const problem *p, const char *id, const char *requirements, uint64_t claims,
                const char *golden_folder, char *message, size_t message_size);
/* Is the problem one of which no case can be made: a recording that is not there or of other ranks, a scale that is not
 * exact, too many elements? Then message says so. */
bool case_is_mistaken(const problem *p, const char *golden_folder, char *message, size_t message_size);
void case_free(test_case *c);

const values *case_in(const test_case *c, int64_t step, size_t bucket, int rank);
const values *case_q0(const test_case *c, int64_t step, size_t bucket, size_t tensor); /* data null: not drawn here */

/* How bucket b is compressed, layerwise; released by psgd_bucket_layout_free. (The buckets of a case have no data,
 * which psgd_bucket_layout_make refuses.) */
bool case_bucket_layout(psgd_bucket_layout *layout, const test_case *c, size_t bucket, char *message,
                        size_t message_size);

/* Side of the flattened variant's square: the smallest whose square holds length. */
size_t case_square_side(size_t length);

/* The claims that a case of this problem takes as given: ef if error feedback is on, warm, f64, flat, ... (never
 * torch). */
uint64_t problem_claims(const problem *p);
/* Does the port draw its own Q by the hook's seeded chain? Claim torch, but not the half types, whose draws PyTorch has
 * no settled rule for: there the case's q0 is handed in, as it is without claim torch. */
bool case_is_seeded(const test_case *c);
/* True if every selection rule that ports are known to use treats all of its tensors alike (SPEC.md, SEL). */
bool problem_is_unambiguous(const problem *p);

#endif
