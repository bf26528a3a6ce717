/* scenario_new_q.c: without warm start each step draws a new Q (PSGD-WRM-003), the port's own too. Cases hand Q in
 * where a port can take it, so only here does it show what it draws by itself.
 *
 * The gradients are the same at each step and nothing is remembered, so that two steps can differ by their Q alone: two
 * random planes project a matrix of full rank to results that have little in common.
 */
#include "harness/scenarios_all.h"

#include <math.h>

#define ROWS    24
#define COLUMNS 40
#define COUNT   ((size_t)ROWS * COLUMNS)
#define START   2
#define STEPS   3    /* compressed ones */
#define LEAST   1e-3 /* of an output's norm; another Q: about 1; the same Q, summed in another order: about 1e-6 */

static double same_gradient(const session *e, int64_t step, int rank, size_t i)
{
    (void)step;
    return session_uniform(e->seed, 950, (uint64_t)rank, i);
}

/* outputs[COUNT] of two steps. NaN counts as different: whatever made it is another requirement's. */
static bool are_alike(const double *a, const double *b)
{
    double distance = 0, norm = 0;
    for (size_t i = 0; i < COUNT; i++) {
        distance += (a[i] - b[i]) * (a[i] - b[i]);
        norm += b[i] * b[i];
    }
    return sqrt(distance) <= LEAST * sqrt(norm);
}

bool scenario_new_q(const subject *s)
{
    static const size_t dims[] = {ROWS, COLUMNS};
    static const psgd_shape shape = {2, dims};
    static const psgd_bucket bucket = {.index = 0, .tensor_count = 1, .shapes = &shape};
    static const session_layout layout = {1, &bucket};
    if (scenario_claims(s, PSGD_CLAIM_ALTERNATING))
        return scenario_skip(s, "the alternating variant starts from a side of the step before");
    psgd_config config = session_config(s);
    config.start_iter = START;
    config.use_error_feedback = config.warm_start = false;
    session e = session_make(s, &config, 1);
    e.layout = &layout;
    e.own_q = true;
    e.gradient = same_gradient;
    session_record record = {0};
    scenario_doing(s, "%d plain steps and %d compressed ones with the port's own Q, both memories off", START, STEPS);
    bool ok = session_open(&e) && session_steps(&e, START + STEPS, &record);
    const struct session_segment *before = NULL;
    for (size_t i = 0; ok && i < record.segment_count; i++) {
        const struct session_segment *now = &record.segments[i];
        if (now->what[0] != 'o' || now->step < START) /* "output" */
            continue;
        if (before != NULL && are_alike(record.values + before->first, record.values + now->first))
            ok = scenario_fail(s,
                               "steps %lld and %lld without warm start gave the same result for the same gradients: "
                               "the port's own Q is not drawn anew",
                               (long long)before->step, (long long)now->step);
        before = now;
    }
    session_close(&e);
    session_record_free(&record);
    return ok;
}
