/* scenario_collectives.c: collectives that fail (PSGD-ROB-003), and the Q that all ranks must share (PSGD-RND-001). */
#include "harness/scenarios_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a communicator that fails on order ---- */

typedef enum failure {
    FAIL_ALL, /* every rank's call number fail_at fails, before anything is sent */
    FAIL_HERE /* this rank's call number fail_at fails although it took part; on the other ranks, all later calls fail
               */
} failure;

typedef struct failing {
    psgd_comm inner;
    failure kind;
    int64_t calls;   /* since the last reset */
    int64_t fail_at; /* -1: never */
    bool is_victim;  /* FAIL_HERE: is it this rank's call that fails? */
} failing;

static psgd_status failing_allreduce(void *context, void *data, size_t count, psgd_dtype dtype)
{
    failing *f = context;
    int64_t call = f->calls++;
    if (f->kind == FAIL_ALL)
        return call == f->fail_at ? PSGD_ERR_COMM : f->inner.allreduce_sum(f->inner.context, data, count, dtype);
    if (f->fail_at >= 0 && call > f->fail_at)
        return PSGD_ERR_COMM;
    psgd_status status = f->inner.allreduce_sum(f->inner.context, data, count, dtype);
    if (status != PSGD_OK || call != f->fail_at || !f->is_victim)
        return status;
    if (count > 0)
        memset(data, 0xff, count * psgd_dtype_size(dtype)); /* a sum that failed is no sum */
    return PSGD_ERR_COMM;
}

static psgd_comm failing_comm(failing *f, const psgd_comm *inner)
{
    *f = (failing){.inner = *inner, .fail_at = -1};
    return (psgd_comm){.struct_size = sizeof(psgd_comm),
                       .flags = inner->flags,
                       .context = f,
                       .rank = inner->rank,
                       .size = inner->size,
                       .allreduce_sum = failing_allreduce};
}

#define FIRST_COMPRESSED 2 /* session_config's start_iter */
#define STEPS            7
static const int64_t failing_steps[] = {1, FIRST_COMPRESSED, 4}; /* plain, first compressed, later */

/* How many collectives this port's step makes. */
static bool calls_of_step(const subject *s, int64_t step, int64_t *calls)
{
    failing f;
    psgd_config config = session_config(s);
    session e = session_make(s, &config, 1);
    e.comm = failing_comm(&f, s->comm);
    bool ok = session_open(&e) && session_steps(&e, step, NULL);
    f.calls = 0;
    ok = ok && session_step(&e, NULL);
    *calls = f.calls;
    session_close(&e);
    return ok;
}

/* ---- all ranks' collective fails, and the step is tried again ---- */

/* Steps with the order to fail: the bucket whose collective failed must say so; then it is tried again. */
static bool step_with_failure(session *e, failing *f, int64_t at, session_record *got, bool *broken)
{
    const subject *s = e->subject;
    f->calls = 0;
    f->fail_at = at;
    for (size_t b = 0; b < e->layout->bucket_count && !*broken; b++) {
        int64_t before = f->calls, step = e->step;
        psgd_status status = session_attempt(e, b, got);
        bool failed = before <= at && at < f->calls;
        if (!failed && status != PSGD_OK)
            return scenario_fail(s, "an ordinary step gave %s: %s", psgd_status_name(status), session_error(e));
        if (!failed)
            continue;
        if (status == PSGD_OK)
            return scenario_fail(s,
                                 "collective %lld of iteration %lld returned PSGD_ERR_COMM: expected step to report an "
                                 "error, got PSGD_OK",
                                 (long long)at, (long long)step);
        if (s->port->last_error != NULL && session_error(e)[0] == '\0')
            return scenario_fail(s, "step gave %s after a failed collective; expected words from last_error, got none",
                                 psgd_status_name(status));
        f->fail_at = -1;
        scenario_doing(s, "the step again, after collective %lld of iteration %lld failed", (long long)at,
                       (long long)step);
        *broken = session_attempt(e, b, got) != PSGD_OK; /* says that it is broken: as good as rolled back */
    }
    f->fail_at = -1;
    return s->outcome->state == SCENARIO_PASS;
}

static bool fails_and_recovers(const subject *s, const session_record *clean, int64_t step, int64_t at)
{
    failing f;
    psgd_config config = session_config(s);
    session e = session_make(s, &config, 1);
    e.comm = failing_comm(&f, s->comm);
    session_record got = {0};
    bool broken = false;
    char text[160];
    (void)snprintf(text, sizeof text,
                   "collective %lld of iteration %lld failed on all ranks, the step was tried again and gave PSGD_OK",
                   (long long)at, (long long)step);
    scenario_doing(s, "a step in which collective %lld of iteration %lld fails on all ranks", (long long)at,
                   (long long)step);
    bool ok = session_open(&e) && session_steps(&e, step, &got) && step_with_failure(&e, &f, at, &got, &broken);
    if (ok && !broken)
        ok = session_steps(&e, STEPS - step - 1, &got) && session_same(s, clean, &got, text);
    session_close(&e);
    session_record_free(&got);
    return ok;
}

bool scenario_failing_collective(const subject *s)
{
    psgd_config config = session_config(s);
    session like = session_make(s, &config, 1);
    session_record clean = {0};
    scenario_doing(s, "undisturbed runs");
    bool ok = session_clean_run(s, &like, STEPS, &clean);
    for (size_t i = 0; ok && i < sizeof failing_steps / sizeof failing_steps[0]; i++) {
        int64_t calls = 0;
        ok = calls_of_step(s, failing_steps[i], &calls);
        for (int64_t at = 0; ok && at < calls; at++)
            ok = fails_and_recovers(s, &clean, failing_steps[i], at);
    }
    session_record_free(&clean);
    return ok;
}

/* ---- one rank's collective fails ---- */

static bool loses_rank(const subject *s, int64_t step, int64_t at)
{
    failing f;
    psgd_config config = session_config(s);
    session e = session_make(s, &config, 1);
    e.comm = failing_comm(&f, s->comm);
    bool ok = session_open(&e) && session_steps(&e, step, NULL);
    f.kind = FAIL_HERE;
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
            ok =
                scenario_fail(s,
                              "collective %lld of iteration %lld returned PSGD_ERR_COMM on %s: expected step to report "
                              "an error there, got PSGD_OK",
                              (long long)first_failing, (long long)step, f.is_victim ? "this rank only" : "this rank");
        if (!failed && status != PSGD_OK)
            ok = scenario_fail(s, "no collective failed on this rank, but step gave %s", psgd_status_name(status));
        if (failed)
            break; /* the ranks are no longer at the same place */
    }
    session_close(&e);
    return ok;
}

bool scenario_lost_rank(const subject *s)
{
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof failing_steps / sizeof failing_steps[0]; i++) {
        int64_t calls = 0;
        ok = calls_of_step(s, failing_steps[i], &calls);
        for (int64_t at = 0; ok && at < calls; at++)
            ok = loses_rank(s, failing_steps[i], at);
    }
    return ok;
}
