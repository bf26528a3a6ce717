/* made_trace.h: runs that the tests of the judge make themselves: PowerSGD from the model's steps, rounded to the
 * bucket's type as the hook stores it, with one fault at a time. */
#ifndef CONFORMANCE_TESTS_JUDGE_MADE_TRACE_H
#define CONFORMANCE_TESTS_JUDGE_MADE_TRACE_H

#include "harness/case.h"

typedef enum made_fault {
    FAULT_NONE,
    FAULT_SCALE,      /* out divided by W once more */
    FAULT_BASIS,      /* out mixed with another matrix of rank r */
    FAULT_RANK,       /* one more column than asked for */
    FAULT_RANK_LOW,   /* one column fewer */
    FAULT_NOT_MEAN,   /* uncompressed tensors summed */
    FAULT_PLAIN_SUM,  /* plain steps summed */
    FAULT_START_LATE, /* compression starts one step late */
    FAULT_START_EARLY,
    FAULT_TIES,                  /* <= in the selection */
    FAULT_NAN,                   /* NaN everywhere */
    FAULT_ZERO,                  /* zeros everywhere in compressed tensors */
    FAULT_ERROR_RAW,             /* E from G, not from M */
    FAULT_ERROR_LOCAL,           /* E from the local approximation */
    FAULT_ERROR_DECAYS,          /* E halved when it is added */
    FAULT_ERROR_PLAIN,           /* E gathered in the plain phase: local minus mean */
    FAULT_ERROR_PLAIN_SUM,       /* E gathered in the plain phase: all of G */
    FAULT_ERROR_NARROW,          /* E kept in f32 under f64 */
    FAULT_ERROR_UNCOMPRESSED,    /* E zero for uncompressed tensors */
    FAULT_MEMORY_WITHOUT_SWITCH, /* error feedback on though it is off */
    FAULT_Q_REDRAWN,             /* a new Q at each warm step */
    FAULT_Q_SEED,                /* another Q than the drawn one */
    FAULT_Q_SAME,                /* without warm start the first Q at every step */
    FAULT_Q_SUMMED,              /* Q kept (and shown) as the sum */
    FAULT_EPSILON_MAX,           /* max(norm, epsilon) */
    FAULT_SIGNS,                 /* P and Q with a flipped column: right, but for torch */
    FAULT_STATISTICS,            /* one element too many */
    FAULT_RANK_DIFFERS,          /* one bit of the last rank's output */
    FAULT_PLACES,                /* the first and the last tensor have each other's result */
    FAULT_HIDES_NAN              /* NaN in the input treated as zero */
} made_fault;

typedef struct made_options {
    made_fault fault;
    bool hide_state; /* outputs only: no E, P, Q, statistics */
    bool q_given;
} made_options;

/* Builds the case of a problem string; fails the test if it can't. */
void made_case(test_case *c, const char *problem_text, const char *requirements);
trace *made_trace(const test_case *c, const made_options *options);

#endif
