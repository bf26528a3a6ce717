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

struct subject;

typedef struct scenario {
    const char *id;          /* "scenario/config-refused" */
    const char *requirement; /* one ID */
    uint64_t claims;         /* run if the port makes all of these */
    int world;               /* ranks it needs */
    bool quick;
    const char *does;                      /* one sentence, for `show` */
    bool (*body)(const struct subject *s); /* see scenario_session.h; run by scenario_perform */
} scenario;

const scenario *scenarios(size_t *count);
const scenario *scenario_find(const char *id); /* null: none */

/* In each rank. folder: an empty folder of this rank's for files. While it runs outcome->message says what is being
 * done, so that it is known if the process dies. */
void scenario_perform(const scenario *s, const psgd_implementation *port, const psgd_comm *comm, const char *folder,
                      scenario_outcome *outcome);

#endif
