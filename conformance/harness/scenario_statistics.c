/* scenario_statistics.c: the reports that a port hands to the log callback (PSGD-STA-002), and whether a checkpoint
 * remembers when the next one is due (PSGD-CKP-001). */
#include "harness/scenarios_all.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 9

typedef struct report {
    long long iter, before, after;
    double rate;
} report;

typedef struct reports {
    report lines[32];
    size_t count; /* may exceed what fits */
    char malformed[160];
} reports;

/* The name and the whole number at *at, which then stands behind them. Not sscanf: a port may print any number, and one
 * out of range is undefined there. */
static bool read_count(long long *count, const char **at, const char *name)
{
    if (strncmp(*at, name, strlen(name)) != 0)
        return false;
    const char *digits = *at + strlen(name);
    char *end;
    errno = 0;
    *count = strtoll(digits, &end, 10);
    *at = end;
    return end != digits && errno == 0;
}

static bool read_rate(double *rate, const char *at)
{
    const char name[] = " rate=";
    if (strncmp(at, name, strlen(name)) != 0)
        return false;
    char *end;
    *rate = strtod(at + strlen(name), &end);
    return end != at + strlen(name);
}

static void on_line(void *context, const char *line)
{
    reports *r = context;
    report one;
    const char *at = line;
    if (strncmp(line, "statistics ", strlen("statistics ")) != 0)
        return;
    if (!read_count(&one.iter, &at, "statistics iter=") || !read_count(&one.before, &at, " before=") ||
        !read_count(&one.after, &at, " after=") || !read_rate(&one.rate, at)) {
        (void)snprintf(r->malformed, sizeof r->malformed, "%s", line);
        return;
    }
    if (r->count < sizeof r->lines / sizeof r->lines[0])
        r->lines[r->count] = one;
    r->count++;
}

/* The ordinary buckets at rank 2 and rate 2: both matrices are compressed, both vectors are not. */
static const long long before_each = 24 * 40 + 17 + 30 * 20 + 9;
static const long long after_each = (24 + 40) * 2 + 17 + (30 + 20) * 2 + 9;

/* when: of the run, behind the number of its steps. */
static bool check(const subject *s, const reports *got, int64_t start, int64_t frequency, const char *when)
{
    size_t i = 0;
    if (got->malformed[0] != '\0')
        return scenario_fail(s, "expected a line 'statistics iter=N before=N after=N rate=X', got '%s'",
                             got->malformed);
    for (int64_t t = start; t < STEPS; t += frequency, i++) {
        long long steps = (long long)(t - start) + 1;
        double rate = (double)before_each / (double)after_each;
        if (i >= got->count)
            return scenario_fail(
                s, "frequency %lld, start_iter %lld, %d steps%s: expected a report at iteration %lld, got none",
                (long long)frequency, (long long)start, STEPS, when, (long long)t);
        const report *r = &got->lines[i];
        bool ok = r->iter == t && r->before == steps * before_each && r->after == steps * after_each &&
                  fabs(r->rate - rate) <= 1e-3 * rate;
        if (!ok)
            return scenario_fail(
                s,
                "frequency %lld, start_iter %lld, %d steps%s, report %zu: expected iter=%lld before=%lld after=%lld "
                "rate=%g, got iter=%lld before=%lld after=%lld rate=%g",
                (long long)frequency, (long long)start, STEPS, when, i, (long long)t, steps * before_each,
                steps * after_each, rate, r->iter, r->before, r->after, r->rate);
    }
    if (got->count != i)
        return scenario_fail(s, "frequency %lld, start_iter %lld, %d steps%s: expected %zu reports, got %zu",
                             (long long)frequency, (long long)start, STEPS, when, i, got->count);
    return true;
}

bool scenario_reports(const subject *s)
{
    static const int64_t frequencies[] = {1, 2, 3, 10000}, starts[] = {2, 3};
    for (size_t i = 0; i < 8; i++) {
        reports got = {.count = 0};
        psgd_config config = session_config(s);
        config.start_iter = starts[i / 4];
        config.compression_stats_logging_frequency = frequencies[i % 4];
        config.log = on_line;
        config.log_context = &got;
        session e = session_make(s, &config, 1);
        scenario_doing(s, "%d steps of two buckets with a report every %lld iterations", STEPS,
                       (long long)frequencies[i % 4]);
        bool ok = session_open(&e) && session_steps(&e, STEPS, NULL);
        session_close(&e);
        if (!ok || !check(s, &got, starts[i / 4], frequencies[i % 4], ""))
            return false;
    }
    return true;
}

/* ---- across a checkpoint ---- */

/* The run's reports when a new state takes over after this many steps. */
static bool reports_across(reports *got, const session *like, int64_t stop, const char *path)
{
    const subject *s = like->subject;
    session first = *like, second = *like;
    bool ok = session_open(&first) && session_steps(&first, stop, NULL);
    if (ok) {
        const psgd_status status = s->port->save(first.state, path);
        ok = status == PSGD_OK ||
             (status == PSGD_ERR_UNSUPPORTED ? scenario_skip(s, "save answered PSGD_ERR_UNSUPPORTED")
                                             : scenario_fail(s, "save after %lld steps gave %s: %s", (long long)stop,
                                                             psgd_status_name(status), session_error(&first)));
    }
    session_close(&first);
    ok = ok && session_open(&second);
    second.step = stop;
    if (ok) {
        const psgd_status status = s->port->load(second.state, path);
        ok = status == PSGD_OK || scenario_fail(s, "load of what the port saved after %lld steps gave %s: %s",
                                                (long long)stop, psgd_status_name(status), session_error(&second));
    }
    ok = ok && session_steps(&second, STEPS - stop, NULL);
    session_close(&second);
    char when[64];
    (void)snprintf(when, sizeof when, ", saved after %lld and loaded", (long long)stop);
    return ok && check(s, got, like->config.start_iter, like->config.compression_stats_logging_frequency, when);
}

/* Reports are due at iterations 2, 5 and 8: saved before the first, right after one, between two, and right before. */
bool scenario_checkpoint_reports(const subject *s)
{
    static const int64_t stops[] = {1, 3, 4, 5};
    char path[1024];
    if (s->port->save == NULL || s->port->load == NULL)
        return scenario_unobserved(s, "the port offers no %s", s->port->save == NULL ? "save" : "load");
    const int length = snprintf(path, sizeof path, "%s/reports", s->folder);
    if (length < 0 || (size_t)length >= sizeof path)
        return scenario_unobserved(s, "the path of a file is too long");
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        reports got = {.count = 0};
        psgd_config config = session_config(s);
        config.compression_stats_logging_frequency = 3;
        config.log = on_line;
        config.log_context = &got;
        const session like = session_make(s, &config, 1);
        scenario_doing(s, "%d steps with a report every 3 iterations, saved after %lld and loaded into a new state",
                       STEPS, (long long)stops[i]);
        if (!reports_across(&got, &like, stops[i], path))
            return false;
    }
    return true;
}
