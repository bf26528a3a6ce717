/* scenario_states.c: what a port shares that it must not share: two states (PSGD-ITR-006), the caller's random numbers
 * (PSGD-RND-003), memory around the buckets (PSGD-ROB-002).
 */
#define _XOPEN_SOURCE 700 /* random and lrand48 */

#include "harness/scenarios_all.h"

#include <stdio.h>
#include <stdlib.h>

#define STEPS 6

static double gradient(const session *e, int64_t step, int rank, size_t i)
{
    return session_uniform(e->seed, 970 + (uint64_t)step, (uint64_t)rank, i);
}

/* The same run twice, one state after the other: what the second shows, if its Q is the same, is what the first did. It
 * is where it is handed in, and where the port claims that two such runs give the same bits. */
static bool leaves_nothing(const subject *s, const session *like)
{
    session one = *like, two = *like;
    session_record first = {0}, second = {0};
    bool ok = session_open(&one) && session_steps(&one, STEPS, &first);
    session_close(&one);
    ok = ok && session_open(&two) && session_steps(&two, STEPS, &second);
    session_close(&two);
    const bool has_same_q = !two.own_q || scenario_claims(s, PSGD_CLAIM_DETERMINISM);
    ok = ok && (!has_same_q || session_alike(s, &first, &second, "a state, against one before it that did the same"));
    session_record_free(&first);
    session_record_free(&second);
    return ok;
}

/* One rank's plain mean is its gradient: before start_iter, and not after it. */
static bool starts_as_configured(const session *e, const session_record *record)
{
    for (size_t i = 0; i < record->segment_count; i++) {
        const struct session_segment *g = &record->segments[i];
        if (g->what[0] != 'o' || g->step >= e->config.start_iter) /* "output" */
            continue;
        const size_t end = i + 1 < record->segment_count ? record->segments[i + 1].first : record->count;
        for (size_t j = g->first; j < end; j++) {
            const double expected = gradient(e, g->step, 0, j - g->first);
            if (record->values[j] != expected)
                return scenario_fail(e->subject,
                                     "a second state, start_iter %lld after the first one's 2: expected step %lld to "
                                     "be a plain mean, element %zu %.9g, got %.9g",
                                     (long long)e->config.start_iter, (long long)g->step, j - g->first, expected,
                                     record->values[j]);
        }
    }
    return true;
}

bool scenario_two_states(const subject *s)
{
    psgd_config first_config = session_config(s), second_config = session_config(s);
    second_config.matrix_approximation_rank = 1;
    second_config.start_iter = 3;
    second_config.random_seed = 5;
    session first = session_make(s, &first_config, 1), second = session_make(s, &second_config, 2);
    session_record first_alone = {0}, second_alone = {0}, first_got = {0}, second_got = {0};
    first.gradient = second.gradient = gradient;
    scenario_doing(s, "each state on its own");
    bool ok = leaves_nothing(s, &first) && session_clean_run(s, &first, STEPS, &first_alone) &&
              session_clean_run(s, &second, STEPS, &second_alone) && starts_as_configured(&second, &second_alone);
    scenario_doing(s, "two live states, stepped bucket by bucket in turn");
    ok = ok && session_open(&first) && session_open(&second);
    for (int i = 0; ok && i < STEPS; i++)
        for (size_t b = 0; ok && b < session_ordinary.bucket_count; b++)
            ok = session_bucket(&first, b, &first_got) && session_bucket(&second, b, &second_got);
    ok = ok && session_same(s, &first_alone, &first_got, "the first of two live states, against the same alone") &&
         session_same(s, &second_alone, &second_got, "the second of two live states, against the same alone");
    session_close(&first);
    session_close(&second);
    session_record_free(&first_alone);
    session_record_free(&second_alone);
    session_record_free(&first_got);
    session_record_free(&second_got);
    return ok;
}

typedef struct draws {
    long values[3][8];
} draws;

/* The three generators of C and POSIX in turn; rand and random may share one state, which does no harm. */
static draws draw_all(void)
{
    draws d;
    for (int i = 0; i < 8; i++) {
        d.values[0][i] = rand();
        d.values[1][i] = random();
        d.values[2][i] = lrand48();
    }
    return d;
}

static void seed_all(void)
{
    srand(7);
    srandom(11);
    srand48(13);
}

bool scenario_callers_random(const subject *s)
{
    static const char *const names[] = {"rand", "random", "lrand48"};
    psgd_config config = session_config(s);
    session e = session_make(s, &config, 1);
    e.own_q = true; /* so that the port draws */
    seed_all();
    draws expected = draw_all();
    seed_all();
    scenario_doing(s,
                   "create and 5 steps with the port's own Q, between seeding and drawing of the caller's generators");
    bool ok = session_open(&e) && session_steps(&e, 5, NULL);
    session_close(&e);
    draws got = draw_all();
    for (int g = 0; ok && g < 3; g++)
        for (int i = 0; ok && i < 8; i++)
            if (expected.values[g][i] != got.values[g][i])
                ok = scenario_fail(s,
                                   "after create and 5 steps the caller's %s() was disturbed: draw %d was expected to "
                                   "be %ld, got %ld",
                                   names[g], i, expected.values[g][i], got.values[g][i]);
    return ok;
}

static bool guards_of_type(const subject *s, psgd_dtype dtype)
{
    static const size_t elements_off[] = {0, 1, 2, 3, 5};
    psgd_config config = session_config(s);
    session like = session_make(s, &config, 1);
    like.dtype = dtype;
    session_record clean = {0};
    scenario_doing(s, "undisturbed runs");
    bool ok = session_clean_run(s, &like, 5, &clean);
    for (size_t i = 0; ok && i < sizeof elements_off / sizeof elements_off[0]; i++) {
        session e = like;
        session_record got = {0};
        e.shift = elements_off[i] * psgd_dtype_size(dtype);
        scenario_doing(s, "5 steps with buckets %zu bytes off an address aligned to 64", e.shift);
        char text[96];
        (void)snprintf(text, sizeof text, "buckets %zu bytes off an address aligned to 64, against aligned ones",
                       e.shift);
        ok = session_open(&e) && session_steps(&e, 5, &got) && session_alike(s, &clean, &got, text);
        session_close(&e);
        session_record_free(&got);
    }
    session_record_free(&clean);
    return ok;
}

bool scenario_guards(const subject *s)
{
    return guards_of_type(s, PSGD_F32) && (!scenario_claims(s, PSGD_CLAIM_F64) || guards_of_type(s, PSGD_F64));
}
