/* verdict.h: checks and what came of them. The one place where a ratio is held against a limit, written so that NaN
 * fails. */
#ifndef CONFORMANCE_JUDGE_VERDICT_H
#define CONFORMANCE_JUDGE_VERDICT_H

#include <math.h>

#include "judge/requirement.h"

typedef enum check_state {
    CHECK_PASS,
    CHECK_FAIL,
    CHECK_SKIP,       /* claim not made, unsupported, not enough ranks: reason */
    CHECK_UNOBSERVED, /* this way in, or this port, does not show it */
    CHECK_UNTRUSTED,  /* the case proves nothing */
    CHECK_NOT_RUN,    /* after two time-outs the rest is not run; no result file */
    CHECK_WAIVED      /* failed, and a waiver excuses it */
} check_state;
#define CHECK_STATES 7

typedef enum skip_reason { /* of CHECK_SKIP */
                           SKIP_NONE,
                           SKIP_CLAIM,       /* a claim of the case is not tested */
                           SKIP_UNSUPPORTED, /* the port says so */
                           SKIP_RANKS        /* more ranks needed than there are */
} skip_reason;

typedef enum check_stage { /* of the algorithm, in the order of a step */
                           STAGE_NONE,
                           STAGE_M,
                           STAGE_Q,
                           STAGE_P,
                           STAGE_P_ORTHOGONAL,
                           STAGE_NEW_Q,
                           STAGE_OUT,
                           STAGE_ERROR,
                           STAGE_STATE /* counters, statistics, status codes */
} check_stage;

/* Where something was seen; -1 or NaN: does not apply. */
typedef struct check_place {
    int64_t step;
    int64_t rank;
    int64_t bucket;
    int64_t tensor;
    check_stage stage;
    int64_t row, column; /* element of the matrix (1-D data: row only) */
    double got, expected;
} check_place;

#define CHECK_NOWHERE                                                                                                  \
    (check_place)                                                                                                      \
    {                                                                                                                  \
        .step = -1, .rank = -1, .bucket = -1, .tensor = -1, .stage = STAGE_NONE, .row = -1, .column = -1, .got = NAN,  \
        .expected = NAN                                                                                                \
    }

/* One requirement judged on one case by one row of limits.h: the whole run, all steps, tensors and ranks. */
typedef struct check {
    const requirement *requirement;
    char *case_id;    /* owned */
    char *problem;    /* owned; null for scenarios */
    const char *type; /* of the problem: "f32", "f64", "f16", "bf16"; null where there is none */
    const char *row;  /* "2", "6b" ...; "exact" for equality; "structure", "scenario" */
    check_state state;
    double ratio; /* the largest measured; of the first failure if it failed */
    double limit;
    size_t measured;   /* comparisons made */
    check_place place; /* of the first failure, or of the largest ratio */
    char *message;     /* owned; null, or what failed in words, or the reason of skip and the like */
    skip_reason skipped;
    const char *waiver; /* the waiver's reason, where its state is waived; not owned */
} check;

typedef struct verdict {
    check *checks;
    size_t count, capacity;
    bool out_of_memory; /* some check was lost: the kit failed (exit code 5) */
} verdict;

void verdict_free(verdict *v);

/* Opens a check; the handle is valid until the next verdict_open, so measure one check at a time, or keep its index.
 * requirement_id must be in the table (asserted). limit: what a ratio may be at most. Its state is unobserved until
 * something is measured. */
size_t verdict_open(verdict *v, const char *requirement_id, const char *case_id, const char *problem, const char *row,
                    double limit);

/* One comparison: passes iff ratio <= limit, so NaN fails. power: limit as a fraction of the expected value's norm,
 * that is the relative deviation that just passes; above 0.1 (or NaN) a passing comparison is untrusted. exact
 * comparisons have power 0. The first failure is kept. */
void verdict_measure(verdict *v, size_t index, double ratio, double power, const check_place *place);
/* The same with a limit of this comparison's own (row 4: max(4, W)). */
void verdict_measure_limit(verdict *v, size_t index, double ratio, double limit, double power,
                           const check_place *place);
/* A comparison that is right or wrong: ratio 0 or infinite. */
void verdict_expect(verdict *v, size_t index, bool holds, const check_place *place, const char *format, ...);
/* Sets the state with a reason, whatever was measured. */
void verdict_set(verdict *v, size_t index, check_state state, const char *format, ...);
void verdict_skip(verdict *v, size_t index, skip_reason reason, const char *format, ...);

const char *check_state_name(check_state state); /* "pass" ... "not run", "waived" */
const char *check_stage_name(check_stage stage); /* "M", "Q", "P", "orthogonalised P", "new Q", "out", "E", "state" */

/* Counting. */
typedef struct verdict_counts {
    size_t by_state[CHECK_STATES];
    size_t checks; /* all */
} verdict_counts;
verdict_counts verdict_count(const verdict *v);
/* Claims among `tested` that fail; the reasons, one a line, into text. A claim fails if one of its MUSTs fails, or
 * could be observed and has no passing, trusted case, or if anything was not run. That of a type fails besides if a
 * MUST fails in claimed types only, this one among them, or if one that passes in another type is supported in no case
 * of this one. A failure that is waived is none, and its MUST needs no passing case; its claim needs one. partial:
 * --only or --case chose the cases, so that what no case shows is no failure. */
uint64_t verdict_failed_claims(const verdict *v, uint64_t tested, bool partial, char *text, size_t size);
/* Those of which some check passed; that files are whole shows nothing of what is in them. */
uint64_t verdict_shown_claims(const verdict *v);
/* Those that no requirement has for its own (types, async): only cases made for them show them. */
uint64_t verdict_claims_of_cases(uint64_t claims);

#endif
