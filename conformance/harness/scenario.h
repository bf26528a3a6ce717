/* scenario.h: requirements that no data file can show: what a port does with bad arguments, failing collectives, broken
 * checkpoints, several states. Each is a function that drives the C ABI inside a rank's process. */
#ifndef CONFORMANCE_HARNESS_SCENARIO_H
#define CONFORMANCE_HARNESS_SCENARIO_H

#include "psgd/psgd.h"

typedef enum scenario_state {
    SCENARIO_PASS,
    SCENARIO_FAIL,
    SCENARIO_SKIP,      /* unsupported by the port, with the reason */
    SCENARIO_UNOBSERVED /* the port does not offer what would show it */
} scenario_state;

typedef struct scenario_outcome {
    scenario_state state;
    char message[512]; /* fail: what was done, what was expected, what came */
} scenario_outcome;

typedef struct scenario {
    const char *id;          /* "scenario/config-refused" */
    const char *requirement; /* one ID */
    uint64_t claims;         /* run if the port makes all of these */
    int world;               /* ranks it needs */
    bool quick;
    const char *does; /* one sentence, for `show` */
    /* In each rank. folder: an empty folder of this run for files. */
    void (*run)(const psgd_implementation *port, const psgd_comm *comm, const char *folder, scenario_outcome *outcome);
} scenario;

const scenario *scenarios(size_t *count);
const scenario *scenario_find(const char *id); /* null: none */

#endif
