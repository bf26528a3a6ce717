/* scenario_async.c: the two halves of a step (PSGD-ASY-002): what is refused while a request is pending, when the
 * counter advances, what destroy does with requests that nobody waited for. What submit and wait compute is judged by
 * cases (PSGD-ASY-001).
 */
#include "harness/scenarios_all.h"
#include "harness/shape_sets.h"
#include "psgd/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS     7
#define PATH_SIZE 4096
static const int64_t phases[] = {1, 2, 4}; /* plain, first compressed (session_config's start_iter), later */
enum { PHASES = sizeof phases / sizeof phases[0], BUCKETS = 2 /* of session_ordinary */ };

typedef struct flight { /* a bucket between submit and wait */
    size_t bucket;
    int64_t step;
    drive_buffer buffer;
    psgd_bucket given;
    problem_bucket *described; /* [described_count]: what the port was told of its tensors */
    size_t described_count;
    psgd_request *request; /* null: not pending */
} flight;

/* Sessions whose records can be compared whatever is pending. */
static session plain_session(const subject *s, uint64_t seed)
{
    psgd_config config = session_config(s);
    session e = session_make(s, &config, seed);
    e.outputs_only = true;
    return e;
}

/* A port may use non-blocking sums for submit, where there are such: over MPI they may round differently. */
static bool agrees(const subject *s, const session_record *expected, const session_record *got, const char *what)
{
    return s->comm->start_allreduce_sum == NULL ? session_same(s, expected, got, what)
                                                : session_alike(s, expected, got, what);
}

/* ---- flights ---- */

/* What describes a bucket is read within submit only: the port gets a copy, which is nonsense from then on. */
static bool describe(flight *f)
{
    bool ok = buckets_append(&f->described, &f->described_count);
    for (size_t i = 0; ok && i < f->given.tensor_count; i++)
        ok = bucket_append(f->described, f->given.shapes[i].dims, f->given.shapes[i].ndim);
    return ok;
}

static psgd_status submit_described(session *e, flight *f)
{
    psgd_bucket brief = f->given;
    brief.shapes = f->described->shapes;
    const psgd_status status = e->subject->port->submit(e->state, &brief, &f->request);
    for (size_t i = 0; i < f->described->tensor_count; i++)
        f->described->shapes[i].ndim = 0;
    return status;
}

static bool lift(session *e, size_t bucket, flight *f)
{
    *f = (flight){.bucket = bucket, .step = e->step};
    if (session_hand_in(e, bucket, &f->buffer, &f->given) != PSGD_OK || !describe(f))
        return scenario_unobserved(e->subject, "the kit had no memory for a bucket");
    const psgd_status status = submit_described(e, f);
    e->step += f->given.is_last ? 1 : 0;
    if (status == PSGD_OK && f->request != NULL)
        return true;
    f->request = NULL;
    if (status == PSGD_ERR_UNSUPPORTED)
        return scenario_skip(e->subject, "submit answered PSGD_ERR_UNSUPPORTED: %s", session_error(e));
    return scenario_fail(e->subject, "submit of bucket %zu in iteration %lld gave %s%s: %s", bucket, (long long)f->step,
                         psgd_status_name(status), status == PSGD_OK ? " and a null request" : "", session_error(e));
}

static bool land(session *e, flight *f)
{
    psgd_status status = e->subject->port->wait(e->state, f->request);
    f->request = NULL;
    return status == PSGD_OK ||
           scenario_fail(e->subject, "wait for bucket %zu of iteration %lld gave %s: %s", f->bucket, (long long)f->step,
                         psgd_status_name(status), session_error(e));
}

static bool unload(const session *e, flight *f, session_record *record)
{
    return session_take_out(e, f->step, f->bucket, &f->buffer, record) == PSGD_OK ||
           scenario_unobserved(e->subject, "the kit could not read bucket %zu", f->bucket);
}

/* After the state is gone: nothing can be pending in these. */
static void flights_free(flight *flights, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        drive_buffer_free(&flights[i].buffer);
        buckets_free(flights[i].described, flights[i].described_count);
    }
}

/* ---- what is refused while something is pending ---- */

static bool refused(session *e, psgd_status status, const char *call, bool speaks)
{
    if (status != PSGD_ERR_ARGUMENT)
        return scenario_fail(e->subject, "%s: expected PSGD_ERR_ARGUMENT, got %s", call, psgd_status_name(status));
    if (speaks && e->subject->port->last_error != NULL && session_error(e)[0] == '\0')
        return scenario_fail(e->subject, "%s was refused; expected words from last_error, got none", call);
    return true;
}

/* A refused bucket is as it was. */
static bool is_untouched(session *e, drive_buffer *buffer, const void *before, const char *call)
{
    bool same = drive_buffer_get(buffer) == PSGD_OK && drive_buffer_intact(buffer) &&
                memcmp(drive_buffer_image(buffer), before, buffer->bytes) == 0;
    return same || scenario_fail(e->subject, "%s was refused, but changed the bucket's data", call);
}

/* step, or submit, of this bucket. */
static bool refuses_bucket(session *e, size_t bucket, bool by_submit)
{
    const subject *s = e->subject;
    drive_buffer buffer = {0};
    psgd_bucket given;
    psgd_request *request = NULL;
    char call[96];
    (void)snprintf(call, sizeof call, "%s of bucket %zu while a request is pending", by_submit ? "submit" : "step",
                   bucket);
    scenario_doing(s, "%s", call);
    bool ok = session_hand_in(e, bucket, &buffer, &given) == PSGD_OK;
    void *before = ok ? malloc(buffer.bytes + 1) : NULL;
    if (before == NULL) {
        drive_buffer_free(&buffer);
        return scenario_unobserved(s, "the kit had no memory for a bucket");
    }
    memcpy(before, drive_buffer_image(&buffer), buffer.bytes);
    ok = refused(e, by_submit ? s->port->submit(e->state, &given, &request) : s->port->step(e->state, &given), call,
                 true) &&
         is_untouched(e, &buffer, before, call);
    free(before);
    if (ok || s->outcome->state == SCENARIO_PASS)
        drive_buffer_free(&buffer); /* else it may be pending: leaked, the scenario ends here */
    return ok;
}

static bool refuses_nulls(session *e, flight *pending, psgd_request *foreign)
{
    const subject *s = e->subject;
    psgd_request *request = NULL;
    scenario_doing(s, "submit and wait with null and foreign arguments");
    return refused(e, s->port->submit(e->state, NULL, &request), "submit of a null bucket", true) &&
           refused(e, s->port->submit(NULL, &pending->given, &request), "submit with a null state", false) &&
           refused(e, s->port->wait(e->state, NULL), "wait for a null request", true) &&
           refused(e, s->port->wait(NULL, pending->request), "wait with a null state", false) &&
           refused(e, s->port->wait(e->state, foreign), "wait for the request of another state", true);
}

static bool refuses_peek(session *e)
{
    const subject *s = e->subject;
    float error[24 * 40 + 17], before[24 * 40 + 17]; /* of session_ordinary's first bucket */
    if (s->port->peek == NULL)
        return true;
    memset(error, 0x5a, sizeof error);
    memset(before, 0x5a, sizeof before);
    scenario_doing(s, "peek while a request is pending");
    return refused(e, s->port->peek(e->state, PSGD_PART_ERROR, 0, 0, error, sizeof error),
                   "peek while a request is pending", true) &&
           (memcmp(error, before, sizeof error) == 0 ||
            scenario_fail(s, "peek while a request is pending was refused, but wrote to its data"));
}

static bool refuses_statistics(session *e)
{
    const subject *s = e->subject;
    psgd_statistics got = {.compression_rate = -1, .numel_before_compression = 1, .numel_after_compression = 2};
    if (s->port->statistics == NULL)
        return true;
    scenario_doing(s, "statistics while a request is pending");
    return refused(e, s->port->statistics(e->state, &got), "statistics while a request is pending", true) &&
           ((got.compression_rate == -1 && got.numel_before_compression == 1 && got.numel_after_compression == 2) ||
            scenario_fail(s, "statistics while a request is pending was refused, but wrote them"));
}

static bool path_of(const subject *s, char path[PATH_SIZE], const char *name)
{
    int length = snprintf(path, PATH_SIZE, "%s/%s", s->folder, name);
    return (length > 0 && length < PATH_SIZE) || scenario_unobserved(s, "the kit's folder has too long a path");
}

static bool refuses_files(session *e, const char *saved)
{
    const subject *s = e->subject;
    char path[PATH_SIZE];
    if (s->port->save == NULL || s->port->load == NULL)
        return true;
    if (!path_of(s, path, "pending"))
        return false;
    scenario_doing(s, "save and load while a request is pending");
    if (!refused(e, s->port->save(e->state, path), "save while a request is pending", true) ||
        !refused(e, s->port->load(e->state, saved), "load while a request is pending", true))
        return false;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return true;
    (void)fclose(file);
    return scenario_fail(s, "save while a request is pending was refused, but left a file");
}

static bool refuses_all(session *e, flight flights[BUCKETS], psgd_request *foreign, const char *saved)
{
    bool ok = true;
    for (size_t b = 0; ok && b < BUCKETS; b++)
        ok = refuses_bucket(e, b, false) && (flights[b].request == NULL || refuses_bucket(e, b, true));
    flight *pending = flights[0].request != NULL ? &flights[0] : &flights[1];
    return ok && refuses_nulls(e, pending, foreign) && refuses_peek(e) && refuses_statistics(e) &&
           refuses_files(e, saved);
}

/* One iteration in two halves, with everything tried in between. */
static bool iterate(session *e, flight flights[BUCKETS], psgd_request *foreign, const char *saved, session_record *got)
{
    bool ok = lift(e, 0, &flights[0]) && refuses_all(e, flights, foreign, saved);
    ok = ok && lift(e, 1, &flights[1]) && refuses_all(e, flights, foreign, saved);
    ok = ok && land(e, &flights[1]) && refuses_all(e, flights, foreign, saved) && land(e, &flights[0]);
    for (size_t b = 0; ok && b < BUCKETS; b++)
        ok = unload(e, &flights[b], got);
    return ok;
}

static bool save_before(session *e, char path[PATH_SIZE])
{
    const subject *s = e->subject;
    if (!path_of(s, path, "before"))
        return false;
    if (s->port->save == NULL || s->port->load == NULL)
        return true;
    psgd_status status = s->port->save(e->state, path);
    return status == PSGD_OK ||
           scenario_fail(s, "save with nothing pending gave %s: %s", psgd_status_name(status), session_error(e));
}

static bool pending_in(const subject *s, int64_t phase, const session_record *clean)
{
    char saved[PATH_SIZE], text[128];
    session e = plain_session(s, 1), other = plain_session(s, 2);
    flight flights[BUCKETS] = {{.bucket = 0}}, foreign = {.bucket = 0};
    session_record got = {0};
    (void)snprintf(text, sizeof text, "after refused calls between submit and wait in iteration %lld",
                   (long long)phase);
    other.comm = psgd_comm_self(); /* two states may not be under way on one communicator from two threads */
    bool ok = session_open(&other) && lift(&other, 0, &foreign);
    ok = ok && session_open(&e) && session_steps(&e, phase, &got) && save_before(&e, saved) &&
         iterate(&e, flights, foreign.request, saved, &got);
    scenario_doing(s, "ordinary steps %s", text);
    ok = ok && session_steps(&e, STEPS - phase - 1, &got) && agrees(s, clean, &got, text) && land(&other, &foreign);
    session_close(&e);
    session_close(&other);
    flights_free(flights, BUCKETS);
    flights_free(&foreign, 1);
    session_record_free(&got);
    return ok;
}

bool scenario_pending(const subject *s)
{
    session like = plain_session(s, 1);
    session_record clean = {0};
    scenario_doing(s, "undisturbed runs");
    bool ok = session_offers_halves(s) && session_clean_run(s, &like, STEPS, &clean);
    for (size_t i = 0; ok && i < PHASES; i++)
        ok = pending_in(s, phases[i], &clean);
    session_record_free(&clean);
    return ok;
}

/* ---- the counter advances at the submit of the last bucket ---- */

/* The last bucket of an iteration is waited for after the first bucket of the next one was submitted: whoever counts at
 * the wait takes that for a bucket of the same iteration. */
static bool pipelined(session *e, flight flights[STEPS][BUCKETS])
{
    bool ok = true;
    for (int64_t step = 0; ok && step < STEPS; step++) {
        ok = lift(e, 0, &flights[step][0]);
        if (ok && step > 0)
            ok = land(e, &flights[step - 1][1]);
        ok = ok && lift(e, 1, &flights[step][1]) && land(e, &flights[step][0]);
    }
    return ok && land(e, &flights[STEPS - 1][1]);
}

bool scenario_submit_ahead(const subject *s)
{
    session like = plain_session(s, 1), e = like;
    session_record clean = {0}, got = {0};
    flight flights[STEPS][BUCKETS] = {{{.bucket = 0}}};
    scenario_doing(s, "undisturbed runs");
    bool ok = session_offers_halves(s) && session_clean_run(s, &like, STEPS, &clean);
    scenario_doing(s, "submit of an iteration's first bucket before the wait for the last one's last");
    ok = ok && session_open(&e) && pipelined(&e, flights);
    for (size_t step = 0; ok && step < STEPS; step++)
        for (size_t b = 0; ok && b < BUCKETS; b++)
            ok = unload(&e, &flights[step][b], &got);
    ok = ok && agrees(s, &clean, &got, "buckets submitted before the wait for the iteration before them");
    session_close(&e);
    flights_free(flights[0], (size_t)STEPS * BUCKETS);
    session_record_free(&clean);
    session_record_free(&got);
    return ok;
}

/* ---- destroy completes what is pending ---- */

static bool destroyed_in(const subject *s, int64_t phase)
{
    char text[128];
    session like = plain_session(s, 1), e = like;
    flight flights[BUCKETS] = {{.bucket = 0}};
    session_record clean = {0}, got = {0};
    (void)snprintf(text, sizeof text, "two requests of iteration %lld, completed by destroy", (long long)phase);
    bool ok = session_clean_run(s, &like, phase + 1, &clean);
    ok = ok && session_open(&e) && session_steps(&e, phase, &got) && lift(&e, 0, &flights[0]) &&
         lift(&e, 1, &flights[1]);
    scenario_doing(s, "destroy with two requests pending in iteration %lld", (long long)phase);
    session_close(&e);
    for (size_t b = 0; ok && b < BUCKETS; b++)
        ok = unload(&e, &flights[b], &got);
    ok = ok && agrees(s, &clean, &got, text);
    flights_free(flights, BUCKETS);
    session_record_free(&clean);
    session_record_free(&got);
    return ok;
}

bool scenario_destroy_pending(const subject *s)
{
    bool ok = session_offers_halves(s);
    for (size_t i = 0; ok && i < PHASES; i++)
        ok = destroyed_in(s, phases[i]);
    return ok;
}
