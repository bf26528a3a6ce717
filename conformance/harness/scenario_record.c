/* scenario_record.c: the sentences of an outcome, and records of runs, made and compared; see scenario_session.h. */
#include "harness/scenario_session.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-3 /* of a segment's norm: rounding is far below, a step or an error counted twice far above */

/* ---- sentences ---- */

static void say(const subject *s, const char *format, va_list arguments)
{
    (void)vsnprintf(s->outcome->message, sizeof s->outcome->message, format, arguments);
}

void scenario_doing(const subject *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (s->outcome->state == SCENARIO_PASS)
        say(s, format, arguments);
    va_end(arguments);
}

/* The first state that ends a scenario stands. */
static bool end(const subject *s, scenario_state state, const char *format, va_list arguments)
{
    if (s->outcome->state == SCENARIO_PASS) {
        s->outcome->state = state;
        say(s, format, arguments);
    }
    return false;
}

bool scenario_fail(const subject *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)end(s, SCENARIO_FAIL, format, arguments);
    va_end(arguments);
    return false;
}

bool scenario_skip(const subject *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)end(s, SCENARIO_SKIP, format, arguments);
    va_end(arguments);
    return false;
}

bool scenario_unobserved(const subject *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)end(s, SCENARIO_UNOBSERVED, format, arguments);
    va_end(arguments);
    return false;
}

/* A table that claims nothing is tested for the default claims. */
bool scenario_claims(const subject *s, uint64_t claims)
{
    uint64_t made = s->port->claims != 0 ? s->port->claims
                                         : (uint64_t)PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK |
                                               PSGD_CLAIM_WARM_START | PSGD_CLAIM_MULTIRANK;
    return (made & claims) == claims;
}

/* ---- records ---- */

void session_record_free(session_record *r)
{
    free(r->values);
    free(r->segments);
    *r = (session_record){0};
}

bool session_record_add(session_record *r, int64_t step, size_t bucket, const char *what, const double *values,
                        size_t count)
{
    if (r->count + count > r->capacity) {
        size_t capacity = 2 * (r->count + count);
        double *more = realloc(r->values, capacity * sizeof *more);
        if (more == NULL)
            return false;
        r->values = more;
        r->capacity = capacity;
    }
    if (r->segment_count == r->segment_capacity) {
        size_t capacity = 2 * r->segment_capacity + 16;
        struct session_segment *more = realloc(r->segments, capacity * sizeof *more);
        if (more == NULL)
            return false;
        r->segments = more;
        r->segment_capacity = capacity;
    }
    r->segments[r->segment_count++] =
        (struct session_segment){.step = step, .bucket = bucket, .first = r->count, .what = what};
    if (count > 0)
        memcpy(r->values + r->count, values, count * sizeof *values);
    r->count += count;
    return true;
}

static size_t segment_end(const session_record *r, size_t i)
{
    return i + 1 < r->segment_count ? r->segments[i + 1].first : r->count;
}

/* The index of a value that differs, or the segment's end. */
static size_t segment_difference(const session_record *a, const session_record *b, size_t i, bool exact)
{
    size_t first = a->segments[i].first, last = segment_end(a, i), worst = first;
    double norm = 0, distance = 0, largest = -1;
    for (size_t j = first; j < last; j++) {
        double d = fabs(a->values[j] - b->values[j]);
        bool equal = a->values[j] == b->values[j] || (isnan(a->values[j]) && isnan(b->values[j]));
        if (exact && !equal)
            return j;
        d = equal ? 0 : d;
        norm += a->values[j] * a->values[j];
        distance += d * d;
        if (!(d <= largest)) {
            largest = d;
            worst = j;
        }
    }
    bool ok = exact || distance == 0 || sqrt(distance) <= TOLERANCE * sqrt(norm);
    return ok ? last : worst;
}

/* True if equal; else text (may be null) says where they differ. */
static bool records_equal(const session_record *a, const session_record *b, bool exact, char *text, size_t size)
{
    if (a->segment_count != b->segment_count || a->count != b->count) {
        (void)snprintf(text, size, "it showed %zu values, expected %zu", b->count, a->count);
        return false;
    }
    for (size_t i = 0; i < a->segment_count; i++) {
        const struct session_segment *s = &a->segments[i];
        bool counts = strcmp(s->what, "statistics") == 0;
        size_t j = segment_difference(a, b, i, exact || counts);
        if (j < segment_end(a, i)) {
            (void)snprintf(text, size, "%s of step %lld, bucket %zu, element %zu is %.9g, expected %.9g", s->what,
                           (long long)s->step, s->bucket, j - s->first, b->values[j], a->values[j]);
            return false;
        }
    }
    return true;
}

static bool run_once(const session *like, int64_t steps, session_record *record)
{
    session e = *like;
    bool ok = session_open(&e) && session_steps(&e, steps, record);
    session_close(&e);
    return ok;
}

bool session_clean_run(const subject *s, const session *like, int64_t steps, session_record *record)
{
    session_record again = {0};
    char text[160];
    bool ok = run_once(like, steps, record) && run_once(like, steps, &again);
    if (ok && !records_equal(record, &again, scenario_claims(s, PSGD_CLAIM_DETERMINISM), text, sizeof text))
        ok = scenario_unobserved(s, "two undisturbed runs of the port differ, so nothing can be compared: %s", text);
    session_record_free(&again);
    return ok;
}

static bool same(const subject *s, const session_record *expected, const session_record *got, bool exact,
                 const char *what)
{
    char text[160];
    return records_equal(expected, got, exact, text, sizeof text) || scenario_fail(s, "%s: %s", what, text);
}

bool session_same(const subject *s, const session_record *expected, const session_record *got, const char *what)
{
    return same(s, expected, got, scenario_claims(s, PSGD_CLAIM_DETERMINISM), what);
}

bool session_alike(const subject *s, const session_record *expected, const session_record *got, const char *what)
{
    return same(s, expected, got, false, what);
}

bool session_keeps_layout(const subject *s, const psgd_config *config, bool (*refuses_others)(session *e),
                          const char *others)
{
    if (!config->use_error_feedback && !config->warm_start)
        return scenario_unobserved(s, "the port claims neither error feedback nor warm start: without them a new "
                                      "layout may be accepted");
    session like = session_make(s, config, 1), e = like;
    session_record clean = {0}, disturbed = {0};
    char what[80];
    (void)snprintf(what, sizeof what, "after refused %s, against a run that never saw them", others);
    scenario_doing(s, "undisturbed runs");
    bool ok = session_clean_run(s, &like, 6, &clean) && session_open(&e) && session_steps(&e, 3, &disturbed) &&
              refuses_others(&e);
    scenario_doing(s, "steps after refused %s", others);
    ok = ok && session_steps(&e, 3, &disturbed) && session_same(s, &clean, &disturbed, what);
    session_close(&e);
    session_record_free(&clean);
    session_record_free(&disturbed);
    return ok;
}
