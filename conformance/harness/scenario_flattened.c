/* scenario_flattened.c: the flattened variant's refusals: a rank above the side of a bucket's square (PSGD-FLT-002), a
 * bucket whose length changes after its first compressed step (PSGD-ITR-005).
 *
 * Rank 3. The bucket that must be refused has index 0 and 3 elements, a square of side 2; the one that goes on has
 * index 1 and ends the iteration. What that one gives must be what it gives alone: nothing was drawn, counted or kept
 * for the other. */
#include "harness/scenarios_all.h"

static const size_t dims_3[] = {3}, dims_24x40[] = {24, 40}, dims_17[] = {17}, dims_16[] = {16}, dims_200[] = {200};
static const psgd_shape few[] = {{1, dims_3}}, many[] = {{2, dims_24x40}, {1, dims_17}};
static const psgd_shape same_side[] = {{2, dims_24x40}, {1, dims_16}}, other_side[] = {{2, dims_24x40}, {1, dims_200}};
static const psgd_bucket both[] = {{.index = 0, .tensor_count = 1, .shapes = few},
                                   {.index = 1, .tensor_count = 2, .shapes = many}};
static const session_layout both_layout = {2, both}, alone_layout = {1, &both[1]};

static psgd_config flattened_config(const subject *s)
{
    psgd_config config = session_config(s);
    config.variant = PSGD_FLATTENED;
    config.matrix_approximation_rank = 3;
    return config;
}

/* Bucket 0 of this session is refused, in words. */
static bool refuses(session *e, const char *what)
{
    const subject *s = e->subject;
    scenario_doing(s, "a step with %s", what);
    psgd_status status = session_attempt(e, 0, NULL);
    if (s->outcome->state != SCENARIO_PASS)
        return false;
    if (status == PSGD_OK)
        return scenario_fail(s, "a step with %s: expected an error, got PSGD_OK", what);
    if (s->port->last_error != NULL && session_error(e)[0] == '\0')
        return scenario_fail(s, "a step with %s gave %s; expected words from last_error, got none", what,
                             psgd_status_name(status));
    return true;
}

bool scenario_flat_rank(const subject *s)
{
    psgd_config config = flattened_config(s);
    session alone = session_make(s, &config, 1), e = alone;
    session_record clean = {0}, disturbed = {0};
    alone.layout = &alone_layout;
    e.layout = &both_layout;
    scenario_doing(s, "undisturbed runs");
    bool ok = session_clean_run(s, &alone, 5, &clean) && session_open(&e);
    for (int step = 0; ok && step < 5; step++) {
        bool plain = step < 2;
        scenario_doing(s, "%s step %d of a bucket of 3 elements at rank 3", plain ? "plain" : "compressed", step);
        ok = plain ? session_bucket(&e, 0, NULL)
                   : refuses(&e, "a square of side 2 at rank 3") && refuses(&e, "the same square again");
        ok = ok && session_bucket(&e, 1, &disturbed);
    }
    ok = ok && session_same(s, &clean, &disturbed, "beside a refused bucket, against a run without that bucket");
    session_close(&e);
    session_record_free(&clean);
    session_record_free(&disturbed);
    return ok;
}

static bool refuses_lengths(session *e)
{
    static const struct {
        const char *what;
        const psgd_shape *shapes;
    } others[] = {{"another length and the same side", same_side}, {"another side", other_side}};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof others / sizeof others[0]; i++) {
        const psgd_bucket changed[] = {{.index = 0, .tensor_count = 2, .shapes = others[i].shapes}, both[1]};
        const session_layout layout = {2, changed};
        e->layout = &layout;
        ok = refuses(e, others[i].what);
    }
    e->layout = &session_ordinary;
    return ok;
}

bool scenario_flat_layout(const subject *s)
{
    const psgd_config config = flattened_config(s);
    return session_keeps_layout(s, &config, refuses_lengths, "lengths");
}
