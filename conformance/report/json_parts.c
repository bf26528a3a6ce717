/* json_parts.c: see json_parts.h. */
#include "report/json_parts.h"

#include "report/environment.h"
#include "report/printable.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_text(const char *value)
{
    if (value == NULL)
        return json_null();
    const size_t size = strlen(value) + 1;
    char *safe = malloc(size);
    json_t *string = safe != NULL ? json_string(printable(safe, size, value)) : NULL;
    free(safe);
    return string;
}

json_t *json_claims(uint64_t claims)
{
    json_t *array = json_array();
    for (int bit = 0; bit < 64; bit++) {
        const uint64_t claim = (uint64_t)1 << bit;
        if ((claims & claim) != 0 && claim_name(claim) != NULL)
            json_array_append_new(array, json_string(claim_name(claim)));
    }
    return array;
}

json_t *json_lines(const char *lines)
{
    json_t *array = json_array();
    for (const char *at = lines != NULL ? lines : ""; *at != '\0';) {
        const size_t length = strcspn(at, "\n");
        char *line = strndup(at, length);
        json_array_append_new(array, line != NULL ? json_text(line) : NULL);
        free(line);
        at += length + (at[length] == '\n');
    }
    return array;
}

json_t *json_kit(const run_report *r)
{
    return json_pack("{s:s, s:i, s:I, s:s}", "version", PSGD_KIT_VERSION, "suite", SUITE_VERSION, "vectors",
                     (json_int_t)r->vectors_version, "vectors_sha256", r->vectors_sha256);
}

json_t *json_port(const run_report *r)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "implementation", json_text(r->implementation), "name",
                     json_text(r->port.name), "version", json_text(r->port.version), "claims",
                     json_claims(r->port.claims));
}

json_t *json_way(const run_report *r)
{
    static const char *const names[] = {
        [WAY_IMPLEMENTATION] = "implementation", [WAY_FILES] = "files", [WAY_COMMAND] = "command"};
    return json_string(names[r->way]);
}

json_t *json_command(const run_report *r)
{
    const command_outcome *c = &r->command;
    if (r->way != WAY_COMMAND)
        return json_null();
    return json_pack("{s:f, s:b, s:i, s:i, s:o}", "seconds", c->seconds, "timed_out", c->timed_out, "exit_status",
                     c->exit_status, "signal", c->signal, "error_tail", json_lines(c->error_tail));
}

static json_t *words(const char *const *list, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_text(list[i]));
    return array;
}

json_t *json_options(const run_report *r)
{
    return json_pack("{s:I, s:I, s:f, s:b, s:b, s:o, s:o}", "seed", (json_int_t)r->seed, "fuzz", (json_int_t)r->fuzz,
                     "timeout", r->timeout, "quick", r->quick, "partial", r->partial, "only",
                     words(r->only, r->only_count), "cases", words(r->cases, r->case_count));
}

json_t *json_counts(const run_report *r)
{
    const verdict_counts counts = verdict_count(r->verdict);
    json_t *object = json_object();
    for (int state = CHECK_PASS; state < CHECK_STATES; state++)
        json_object_set_new(object, check_state_name((check_state)state),
                            json_integer((json_int_t)counts.by_state[state]));
    json_object_set_new(object, "checks", json_integer((json_int_t)counts.checks));
    json_object_set_new(object, "cases", json_integer((json_int_t)r->cases_run));
    json_object_set_new(object, "cases that compressed", json_integer((json_int_t)r->cases_compressed));
    json_object_set_new(object, "golden cases", json_integer((json_int_t)r->golden_run));
    json_object_set_new(object, "scenarios", json_integer((json_int_t)r->scenarios_run));
    return object;
}

static json_t *waiver(const report_waiver *w)
{
    static const char *const states[] = {[WAIVER_USED] = "used",
                                         [WAIVER_NOT_REACHED] = "not reached",
                                         [WAIVER_UNMATCHED] = "unmatched",
                                         [WAIVER_EXPIRED] = "expired",
                                         [WAIVER_NEEDLESS] = "needless"};
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:I, s:s}", "requirement", json_text(w->requirement), "case",
                     json_text(w->case_id), "reason", json_text(w->reason), "expires", json_text(w->expires), "matched",
                     (json_int_t)w->matched, "waived", (json_int_t)w->waived, "state", states[w->state]);
}

json_t *json_waivers(const run_report *r)
{
    json_t *array = json_array();
    for (size_t i = 0; i < r->waiver_count; i++)
        json_array_append_new(array, waiver(&r->waivers[i]));
    return array;
}

json_t *json_environment(const run_report *r)
{
    char processor[256], system[256];
    json_t *variables = json_object();
    for (size_t i = 0; ENVIRONMENT_VARIABLES[i] != NULL; i++) {
        const char *value = environment_variable(r, ENVIRONMENT_VARIABLES[i]);
        if (value != NULL)
            json_object_set_new(variables, ENVIRONMENT_VARIABLES[i], json_text(value));
    }
    return json_pack("{s:s, s:s, s:I, s:o, s:o, s:o, s:b, s:s, s:i}", "processor",
                     environment_processor(processor, sizeof processor), "system",
                     environment_system(system, sizeof system), "processors", (json_int_t)environment_processors(),
                     "variables", variables, "blas", json_text(environment_blas(r)), "mpi_library",
                     r->mpi ? json_text(r->port.mpi) : json_null(), "mpi", r->mpi, "ranks_as", environment_ranks_as(r),
                     "ranks", r->ranks);
}

char *json_rendered(json_t *report)
{
    char *rendered = report != NULL ? json_dumps(report, JSON_INDENT(1)) : NULL;
    json_decref(report);
    return rendered;
}
