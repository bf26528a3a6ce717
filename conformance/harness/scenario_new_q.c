/* scenario_new_q.c: without warm start each step draws a new Q (PSGD-WRM-003), the port's own too. Cases hand Q in
 * where a port can take it, so only here does it show what it draws by itself. And the Q that is handed in is the one
 * that is used (PSGD-RND-001): that of a case is the hook's, so a port that draws the hook's by itself may ignore it
 * there.
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
    (void)e;
    (void)step;
    return session_uniform(1, 950, (uint64_t)rank, i);
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

/* One matrix, both memories off. */
static session session_of_one(const subject *s, uint64_t seed)
{
    static const size_t dims[] = {ROWS, COLUMNS};
    static const psgd_shape shape = {2, dims};
    static const psgd_bucket bucket = {.index = 0, .tensor_count = 1, .shapes = &shape};
    static const session_layout layout = {1, &bucket};
    psgd_config config = session_config(s);
    config.start_iter = START;
    config.use_error_feedback = config.warm_start = false;
    session e = session_make(s, &config, seed);
    e.layout = &layout;
    e.outputs_only = true;
    e.gradient = same_gradient;
    return e;
}

bool scenario_new_q(const subject *s)
{
    if (scenario_claims(s, PSGD_CLAIM_ALTERNATING))
        return scenario_skip(s, "the alternating variant starts from a side of the step before");
    session e = session_of_one(s, 1);
    e.own_q = true;
    session_record record = {0};
    scenario_doing(s, "%d plain steps and %d compressed ones with the port's own Q, both memories off", START, STEPS);
    bool ok = session_open(&e) && session_steps(&e, START + STEPS, &record);
    const struct session_segment *before = NULL;
    for (size_t i = 0; ok && i < record.segment_count; i++) {
        const struct session_segment *now = &record.segments[i];
        if (now->step < START)
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

bool scenario_given_q(const subject *s)
{
    if (scenario_claims(s, PSGD_CLAIM_ALTERNATING))
        return scenario_skip(s, "the first side and the Q of the alternating variant are its own");
    session one = session_of_one(s, 1), other = session_of_one(s, 2);
    session_record results[2] = {{0}, {0}};
    scenario_doing(s, "%d plain steps and a compressed one, with each of two Qs handed in", START);
    bool ok = session_open(&one) && session_open(&other);
    if (ok && (one.own_q || other.own_q))
        ok = scenario_skip(s, "the port takes no q_source");
    ok = ok && session_steps(&one, START + 1, &results[0]) && session_steps(&other, START + 1, &results[1]);
    if (ok && are_alike(results[0].values + results[0].segments[START].first,
                        results[1].values + results[1].segments[START].first))
        ok = scenario_fail(s, "two Qs that were handed in gave the same result for the same gradients: the port does "
                              "not use them");
    session_close(&one);
    session_close(&other);
    session_record_free(&results[0]);
    session_record_free(&results[1]);
    return ok;
}
