/* requirement.h: the requirements as a table; SPEC.md says them in full, a test holds the two against each other. */
#ifndef CONFORMANCE_JUDGE_REQUIREMENT_H
#define CONFORMANCE_JUDGE_REQUIREMENT_H

#include "harness/claims.h"
#include "psgd/psgd.h"

typedef enum requirement_level { LEVEL_MUST, LEVEL_SHOULD } requirement_level;

typedef struct requirement {
    const char *id; /* "PSGD-EF-001" */
    requirement_level level;
    uint64_t claims; /* tested if the port makes all of these */
    bool c_abi_only;
    bool files_only;      /* judged where results come as files, and only there */
    bool unit_test_only;  /* of psgd.h; no port is judged */
    bool layerwise_only;  /* under claim alternating PSGD-ALT-001 stands in its place */
    bool has_check;       /* false: listed as without a check in SPEC.md and every report */
    const char *sentence; /* what must hold, one sentence */
    const char *source;   /* where it comes from */
    const char *rationale;
} requirement;

const requirement *requirements(size_t *count);
const requirement *requirement_find(const char *id); /* null: none */
bool requirement_is_tested(const requirement *r, uint64_t claims);

#endif
