/* scenario_config.c: configurations that create must refuse, and some that it must not (PSGD-CFG-002, PSGD-CFG-003). */
#include "harness/scenarios_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True if create refuses this configuration in words; the scenario fails otherwise. what: "min_compression_rate = -1".
 */
static bool refused(const subject *s, const psgd_config *config, const char *what)
{
    char text[256];
    memset(text, 'x', sizeof text);
    text[0] = '\0';
    psgd_state *state = NULL;
    scenario_doing(s, "create with %s", what);
    psgd_status status = s->port->create(config, s->comm, &state, text, sizeof text);
    if (status == PSGD_OK) {
        if (state != NULL)
            s->port->destroy(state);
        return scenario_fail(s, "create with %s: expected an error, got PSGD_OK", what);
    }
    if (memchr(text, '\0', sizeof text) == NULL)
        return scenario_fail(s, "create with %s: the message is not ended within message_size", what);
    if (text[0] == '\0' && status != PSGD_ERR_UNSUPPORTED)
        return scenario_fail(s, "create with %s: expected a message, got %s and none", what, psgd_status_name(status));
    return true;
}

static bool accepted(const subject *s, const psgd_config *config, const char *what)
{
    char text[256] = "";
    psgd_state *state = NULL;
    scenario_doing(s, "create with %s", what);
    psgd_status status = s->port->create(config, s->comm, &state, text, sizeof text);
    text[sizeof text - 1] = '\0';
    if (status == PSGD_OK && state != NULL) {
        s->port->destroy(state);
        return true;
    }
    if (status == PSGD_ERR_UNSUPPORTED)
        return scenario_skip(s, "create with %s answered PSGD_ERR_UNSUPPORTED: %s", what, text);
    return scenario_fail(s, "create with %s: expected a state, got %s: %s", what, psgd_status_name(status), text);
}

bool scenario_start_iter(const subject *s)
{
    static const int64_t starts[] = {1, 0, -1};
    for (size_t i = 0; i < 3; i++)
        for (int flags = 1; flags < 4; flags++) {
            psgd_config config = session_config(s);
            config.start_iter = starts[i];
            config.use_error_feedback = (flags & 1) != 0;
            config.warm_start = (flags & 2) != 0;
            char what[96];
            (void)snprintf(what, sizeof what, "start_iter = %d, error feedback %s, warm start %s", (int)starts[i],
                           (flags & 1) != 0 ? "on" : "off", (flags & 2) != 0 ? "on" : "off");
            if (!refused(s, &config, what))
                return false;
        }
    for (int start = 0; start < 2; start++) {
        psgd_config config = session_config(s);
        config.start_iter = start;
        config.use_error_feedback = false;
        config.warm_start = false;
        if (!accepted(s, &config,
                      start == 0 ? "start_iter = 0, error feedback and warm start off"
                                 : "start_iter = 1, error feedback and warm start off"))
            return false;
    }
    return true;
}

bool scenario_bad_numbers(const subject *s)
{
    static const int64_t ranks[] = {0, -1, INT64_MIN};
    const double numbers[] = {-1, -1e-300, (double)NAN, (double)INFINITY, -(double)INFINITY};
    char what[96];
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        psgd_config config = session_config(s);
        config.matrix_approximation_rank = ranks[i];
        (void)snprintf(what, sizeof what, "matrix_approximation_rank = %lld", (long long)ranks[i]);
        if (!refused(s, &config, what))
            return false;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        psgd_config config = session_config(s);
        config.min_compression_rate = numbers[i];
        (void)snprintf(what, sizeof what, "min_compression_rate = %g", numbers[i]);
        if (!refused(s, &config, what))
            return false;
        config = session_config(s);
        config.orthogonalization_epsilon = numbers[i];
        (void)snprintf(what, sizeof what, "orthogonalization_epsilon = %g", numbers[i]);
        if (!refused(s, &config, what))
            return false;
    }
    psgd_config ordinary = session_config(s);
    return accepted(s, &ordinary, "an ordinary configuration");
}

typedef struct report_count {
    int lines;
} report_count;

static void count_reports(void *context, const char *line)
{
    report_count *count = context;
    if (strncmp(line, "statistics ", strlen("statistics ")) == 0)
        count->lines++;
}

static bool reports_of(const subject *s, int64_t interval, int *lines)
{
    report_count count = {0};
    psgd_config config = session_config(s);
    config.compression_stats_logging_frequency = interval;
    config.log = count_reports;
    config.log_context = &count;
    session e = session_make(s, &config, 1);
    scenario_doing(s, "6 steps with compression_stats_logging_frequency = %lld", (long long)interval);
    bool ok = session_open(&e) && session_steps(&e, 6, NULL);
    session_close(&e);
    *lines = count.lines;
    return ok;
}

bool scenario_interval(const subject *s)
{
    int every = 0;
    static const int64_t intervals[] = {0, -7, INT64_MIN};
    if (!reports_of(s, 1, &every))
        return false;
    for (size_t i = 0; i < sizeof intervals / sizeof intervals[0]; i++) {
        int lines = 0;
        if (!reports_of(s, intervals[i], &lines))
            return false;
        if (lines != every)
            return scenario_fail(s,
                                 "compression_stats_logging_frequency = %lld: expected the %d reports of interval 1, "
                                 "got %d",
                                 (long long)intervals[i], every, lines);
    }
    if (every == 0)
        return scenario_unobserved(s, "accepted; the port writes no reports, so what the interval does is not seen");
    return true;
}

bool scenario_rate_zero(const subject *s)
{
    psgd_config config = session_config(s);
    config.min_compression_rate = 0;
    session e = session_make(s, &config, 1);
    session_record record = {0};
    scenario_doing(s, "4 steps with min_compression_rate = 0");
    bool ok = session_open(&e) && session_steps(&e, 4, &record);
    for (size_t i = 0; ok && i < record.count; i++)
        if (!isfinite(record.values[i]))
            ok = scenario_fail(s, "min_compression_rate = 0 on finite gradients: expected finite results, got %g",
                               record.values[i]);
    session_close(&e);
    session_record_free(&record);
    return ok;
}
