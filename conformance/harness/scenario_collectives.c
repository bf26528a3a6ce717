/* scenario_collectives.c: collectives that fail, in step and between submit and wait (PSGD-ROB-003). */
#include "harness/failing_comm.h"
#include "harness/scenarios_all.h"

#include <stdio.h>

/* How a step is made while its collectives fail. */
typedef struct trial {
    const subject *subject;
    failure kind;
    bool in_halves; /* by submit and wait */
} trial;

#define FIRST_COMPRESSED 2 /* session_config's start_iter */
#define STEPS            7
static const int64_t failing_steps[] = {1, FIRST_COMPRESSED, 4}; /* plain, first compressed, later */

static session trial_session(const trial *t, failing_comm *f)
{
    psgd_config config = session_config(t->subject);
    session e = session_make(t->subject, &config, 1);
    e.comm = failing_comm_make(f, &e.comm, t->kind);
    e.in_halves = t->in_halves;
    return e;
}

static const char *call_of(const trial *t)
{
    return t->in_halves ? "submit or wait" : "step";
}

/* How many collectives this port's step makes. */
static bool calls_of_step(const trial *t, int64_t step, int64_t *calls)
{
    failing_comm f;
    session e = trial_session(t, &f);
    bool ok = session_open(&e) && session_steps(&e, step, NULL);
    f.calls = 0;
    ok = ok && session_step(&e, NULL);
    *calls = f.calls;
    session_close(&e);
    return ok;
}

/* ---- all ranks' collective fails, and the step is tried again ---- */

/* What a port must say of a bucket one of whose collectives failed. */
static bool is_reported(const trial *t, const session *e, psgd_status status, int64_t at, int64_t step)
{
    const subject *s = t->subject;
    if (status == PSGD_OK)
        return scenario_fail(s,
                             "collective %lld of iteration %lld returned PSGD_ERR_COMM: expected %s to report an "
                             "error, got PSGD_OK",
                             (long long)at, (long long)step, call_of(t));
    if (s->port->last_error != NULL && session_error(e)[0] == '\0')
        return scenario_fail(s, "%s gave %s after a failed collective; expected words from last_error, got none",
                             call_of(t), psgd_status_name(status));
    return true;
}

/* Steps with the order to fail: the bucket whose collective failed must say so; then it is tried again. Where submit
 * has counted the iteration already nobody says what trying again would be: what the state is then is left alone. */
static bool step_with_failure(const trial *t, session *e, failing_comm *f, int64_t at, session_record *got,
                              bool *broken)
{
    const subject *s = e->subject;
    f->calls = 0;
    f->fail_at = at;
    for (size_t b = 0; b < e->layout->bucket_count && !*broken; b++) {
        int64_t before = f->calls, step = e->step;
        psgd_status status = session_attempt(e, b, got);
        bool failed = before <= at && at < f->calls;
        if (s->outcome->state != SCENARIO_PASS)
            return false;
        if (!failed && status != PSGD_OK)
            return scenario_fail(s, "an ordinary step gave %s: %s", psgd_status_name(status), session_error(e));
        if (!failed)
            continue;
        if (!is_reported(t, e, status, at, step))
            return false;
        f->fail_at = -1;
        scenario_doing(s, "the step again, after collective %lld of iteration %lld failed", (long long)at,
                       (long long)step);
        *broken = (t->in_halves && b + 1 == e->layout->bucket_count) ||
                  session_attempt(e, b, got) != PSGD_OK; /* says that it is broken: as good as rolled back */
    }
    f->fail_at = -1;
    return s->outcome->state == SCENARIO_PASS;
}

static bool fails_and_recovers(const trial *t, const session_record *clean, int64_t step, int64_t at)
{
    const subject *s = t->subject;
    failing_comm f;
    session e = trial_session(t, &f);
    session_record got = {0};
    bool broken = false;
    char text[160];
    (void)snprintf(text, sizeof text,
                   "collective %lld of iteration %lld failed on all ranks, the step was tried again and gave PSGD_OK",
                   (long long)at, (long long)step);
    scenario_doing(s, "a step in which collective %lld of iteration %lld fails on all ranks", (long long)at,
                   (long long)step);
    bool ok = session_open(&e) && session_steps(&e, step, &got) && step_with_failure(t, &e, &f, at, &got, &broken);
    if (ok && !broken)
        ok = session_steps(&e, STEPS - step - 1, &got) && session_same(s, clean, &got, text);
    session_close(&e);
    session_record_free(&got);
    return ok;
}

static bool fails_everywhere(const trial *t)
{
    failing_comm f;
    session like = trial_session(t, &f);
    session_record clean = {0};
    scenario_doing(t->subject, "undisturbed runs");
    bool ok = session_clean_run(t->subject, &like, STEPS, &clean);
    for (size_t i = 0; ok && i < sizeof failing_steps / sizeof failing_steps[0]; i++) {
        int64_t calls = 0;
        ok = calls_of_step(t, failing_steps[i], &calls);
        for (int64_t at = 0; ok && at < calls; at++)
            ok = fails_and_recovers(t, &clean, failing_steps[i], at);
    }
    session_record_free(&clean);
    return ok;
}

bool scenario_failing_collective(const subject *s)
{
    return fails_everywhere(&(trial){.subject = s, .kind = FAIL_ALL});
}

bool scenario_failing_halves(const subject *s)
{
    static const failure kinds[] = {FAIL_ALL, FAIL_START, FAIL_WAIT};
    bool ok = session_offers_halves(s);
    for (size_t i = 0; ok && i < sizeof kinds / sizeof kinds[0]; i++)
        ok = fails_everywhere(&(trial){.subject = s, .kind = kinds[i], .in_halves = true});
    return ok;
}

/* ---- one rank's collective fails ---- */

static bool loses_rank(const trial *t, int64_t step, int64_t at)
{
    const subject *s = t->subject;
    failing_comm f;
    session e = trial_session(t, &f);
    bool ok = session_open(&e) && session_steps(&e, step, NULL);
    f.is_victim = s->comm->rank == s->comm->size - 1;
    f.calls = 0;
    f.fail_at = at;
    scenario_doing(s, "a step in which collective %lld of iteration %lld fails on the last rank only", (long long)at,
                   (long long)step);
    for (size_t b = 0; ok && b < e.layout->bucket_count; b++) {
        int64_t before = f.calls;
        psgd_status status = session_attempt(&e, b, NULL);
        int64_t first_failing = f.is_victim ? at : at + 1;
        bool failed = before <= first_failing && first_failing < f.calls;
        if (failed && status == PSGD_OK)
            ok = scenario_fail(s,
                               "collective %lld of iteration %lld returned PSGD_ERR_COMM on %s: expected %s to report "
                               "an error there, got PSGD_OK",
                               (long long)first_failing, (long long)step, f.is_victim ? "this rank only" : "this rank",
                               call_of(t));
        if (!failed && status != PSGD_OK)
            ok = scenario_fail(s, "no collective failed on this rank, but %s gave %s", call_of(t),
                               psgd_status_name(status));
        if (failed)
            break; /* the ranks are no longer at the same place */
    }
    session_close(&e);
    return ok;
}

static bool loses_each(const trial *t)
{
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof failing_steps / sizeof failing_steps[0]; i++) {
        int64_t calls = 0;
        ok = calls_of_step(t, failing_steps[i], &calls);
        for (int64_t at = 0; ok && at < calls; at++)
            ok = loses_rank(t, failing_steps[i], at);
    }
    return ok;
}

bool scenario_lost_rank(const subject *s)
{
    return loses_each(&(trial){.subject = s, .kind = FAIL_HERE});
}

bool scenario_lost_rank_halves(const subject *s)
{
    return session_offers_halves(s) && loses_each(&(trial){.subject = s, .kind = FAIL_HERE, .in_halves = true});
}
