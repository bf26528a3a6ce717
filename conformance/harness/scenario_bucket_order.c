/* scenario_bucket_order.c: memory belongs to a bucket's index, not to its place in the iteration (PSGD-EF-004): buckets
 * may come in another order from one iteration to the next, and the last one is the one that says so.
 */
#include "harness/scenarios_all.h"

#define STEPS 7

/* The ordinary buckets, the other way round. */
static bool turn_round(session_layout *layout, psgd_bucket buckets[2])
{
    const size_t count = session_ordinary.bucket_count;
    for (size_t b = 0; b < count && b < 2; b++)
        buckets[b] = session_ordinary.buckets[count - 1 - b];
    *layout = (session_layout){count, buckets};
    return count == 2;
}

/* A step's outputs in the order of the indices, whatever order they came in. */
static bool add_by_index(session_record *sorted, const session_record *came)
{
    for (size_t index = 0; index < 2; index++)
        for (size_t i = 0; i < came->segment_count; i++) {
            const struct session_segment *g = &came->segments[i];
            const size_t end = i + 1 < came->segment_count ? came->segments[i + 1].first : came->count;
            if (g->bucket == index &&
                !session_record_add(sorted, g->step, g->bucket, g->what, came->values + g->first, end - g->first))
                return false;
        }
    return true;
}

/* Odd steps the other way round; the first compressed one, where a port may draw, is even. */
static bool in_turns(session *e, const session_layout *turned, session_record *sorted)
{
    for (int step = 0; step < STEPS; step++) {
        session_record came = {0};
        e->layout = step % 2 == 1 ? turned : &session_ordinary;
        bool ok = session_step(e, &came);
        if (ok && !add_by_index(sorted, &came))
            ok = scenario_unobserved(e->subject, "the kit had no memory for the comparison");
        session_record_free(&came);
        if (!ok)
            return false;
    }
    return true;
}

bool scenario_bucket_order(const subject *s)
{
    session_layout turned;
    psgd_bucket buckets[2];
    const psgd_config config = session_config(s);
    session like = session_make(s, &config, 1);
    like.outputs_only = true; /* statistics within an iteration depend on the order */
    session e = like;
    session_record clean = {0}, got = {0};
    if (!turn_round(&turned, buckets))
        return scenario_unobserved(s, "the ordinary buckets are not two");
    scenario_doing(s, "undisturbed runs");
    bool ok = session_clean_run(s, &like, STEPS, &clean);
    scenario_doing(s, "a run whose two buckets come the other way round at every second step");
    ok = ok && session_open(&e);
    if (ok && e.own_q && !config.warm_start)
        ok = scenario_unobserved(s, "the port draws at every step, and by itself: what, may depend on the order");
    ok = ok && in_turns(&e, &turned, &got) &&
         session_same(s, &clean, &got,
                      "buckets that come the other way round at every second step, against the usual order");
    session_close(&e);
    session_record_free(&clean);
    session_record_free(&got);
    return ok;
}
