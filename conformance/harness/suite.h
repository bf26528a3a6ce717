/* suite.h: the fixed cases, problem strings each with the requirements it was made for. */
#ifndef CONFORMANCE_HARNESS_SUITE_H
#define CONFORMANCE_HARNESS_SUITE_H

#include "harness/case.h"

/* A second run whose results the judge holds against the first's. */
typedef enum companion {
    COMPANION_NONE,
    COMPANION_REPEAT,        /* the same problem again: same bits (determinism) */
    COMPANION_UNSCALED,      /* without scale=K: results scale by 2^K */
    COMPANION_UNREVERSED,    /* without rev: the same up to rounding */
    COMPANION_UNINTERRUPTED, /* without ckpt=T: the same */
    COMPANION_BLOCKING,      /* without async: the same */
    COMPANION_CLEAN          /* gauss for nan and inf: other tensors are the same */
} companion;

typedef struct suite_case {
    const char *id;
    const char *problem;
    const char *requirements; /* space-separated */
    uint64_t claims; /* besides problem_claims(); PSGD_CLAIM_TORCH for cases that only the hook's rules decide */
    bool golden;     /* golden/ holds the hook's results for it */
    bool quick;      /* among those of --quick */
    companion companion;
} suite_case;

size_t suite_count(void);
const suite_case *suite_at(size_t i); /* i < suite_count() */

/* The companion's problem; false without memory. */
bool suite_companion_problem(problem *p, const problem *of, companion kind);
/* The companion that a problem calls for by itself (ckpt, scale, reversed, nan): how --case finds it. */
companion suite_companion_of(const problem *p);
/* The companion's own id, "ID+again", malloc'ed; null without memory. */
char *suite_companion_id(const char *id);

/* Random problem number i of this seed: the same for the same arguments. torch: any shape; else unambiguous ones only.
 * claims: what the port makes decides flags, types and W. False without memory. */
bool suite_random_problem(problem *p, uint64_t seed, uint64_t i, uint64_t claims);

#endif
