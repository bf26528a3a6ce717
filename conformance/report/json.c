/* json.c: the report for programs. Every check with all it knows; numbers that are not finite become null. */
#include "report/environment.h"
#include "report/printable.h"
#include "report/report.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_FORMAT "psgd-report/1"

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *text(const char *value)
{
    if (value == NULL)
        return json_null();
    const size_t size = strlen(value) + 1;
    char *safe = malloc(size);
    json_t *string = safe != NULL ? json_string(printable(safe, size, value)) : NULL;
    free(safe);
    return string;
}

static json_t *claims_json(uint64_t claims)
{
    json_t *array = json_array();
    for (int bit = 0; bit < 64; bit++) {
        const uint64_t claim = (uint64_t)1 << bit;
        if ((claims & claim) != 0 && claim_name(claim) != NULL)
            json_array_append_new(array, json_string(claim_name(claim)));
    }
    return array;
}

static json_t *place_json(const check_place *at)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:s, s:I, s:I, s:o, s:o}", "step", (json_int_t)at->step, "rank",
                     (json_int_t)at->rank, "bucket", (json_int_t)at->bucket, "tensor", (json_int_t)at->tensor, "stage",
                     check_stage_name(at->stage), "row", (json_int_t)at->row, "column", (json_int_t)at->column, "got",
                     number(at->got), "expected", number(at->expected));
}

static json_t *check_json(const check *c)
{
    return json_pack("{s:s, s:s, s:s, s:o, s:s?, s:s, s:s, s:o, s:o, s:I, s:o, s:o}", "requirement", c->requirement->id,
                     "level", c->requirement->level == LEVEL_MUST ? "MUST" : "SHOULD", "case", c->case_id, "problem",
                     text(c->problem), "type", c->type, "row", c->row, "state", check_state_name(c->state), "ratio",
                     number(c->ratio), "limit", number(c->limit), "measured", (json_int_t)c->measured, "place",
                     place_json(&c->place), "message", text(c->message));
}

static json_t *checks_json(const verdict *v)
{
    json_t *array = json_array();
    for (size_t i = 0; i < v->count; i++) {
        if (json_array_append_new(array, check_json(&v->checks[i])) != 0) { /* no check may be missing */
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *counts_json(const run_report *r)
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

static json_t *rows_json(const verdict *v, const char *type)
{
    row_maximum rows[ROW_MAXIMA];
    const size_t count = report_row_maxima(rows, v, type);
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++)
        json_object_set_new(object, rows[i].row,
                            json_pack("{s:o, s:o, s:s, s:I}", "ratio", number(rows[i].ratio), "limit",
                                      number(rows[i].limit), "case", rows[i].case_id, "checks",
                                      (json_int_t)rows[i].checks));
    return object;
}

static json_t *rows_by_type_json(const verdict *v)
{
    json_t *object = json_object();
    for (size_t t = 0; t < REPORT_TYPES; t++)
        json_object_set_new(object, report_types[t], rows_json(v, report_types[t]));
    return object;
}

static json_t *trusted_json(const verdict *v)
{
    size_t count;
    const requirement *all = requirements(&count);
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++) {
        json_t *of = json_object();
        for (size_t t = 0; t < REPORT_TYPES; t++)
            json_object_set_new(of, report_types[t],
                                json_integer((json_int_t)report_trusted(v, &all[i], report_types[t])));
        json_object_set_new(object, all[i].id, of);
    }
    return object;
}

static json_t *unchecked_json(uint64_t tested)
{
    size_t count;
    const requirement *all = requirements(&count);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        if (!all[i].has_check && !all[i].unit_test_only && all[i].level == LEVEL_MUST && (all[i].claims & ~tested) == 0)
            json_array_append_new(array, json_string(all[i].id));
    return array;
}

static json_t *environment_json(const run_report *r)
{
    char processor[256], system[256];
    json_t *variables = json_object();
    for (size_t i = 0; ENVIRONMENT_VARIABLES[i] != NULL; i++)
        if (getenv(ENVIRONMENT_VARIABLES[i]) != NULL)
            json_object_set_new(variables, ENVIRONMENT_VARIABLES[i], text(getenv(ENVIRONMENT_VARIABLES[i])));
    return json_pack("{s:s, s:s, s:o, s:b, s:s, s:i}", "processor", environment_processor(processor, sizeof processor),
                     "system", environment_system(system, sizeof system), "variables", variables, "mpi", r->mpi,
                     "ranks_as",
                     r->mpi       ? "mpi"
                     : r->threads ? "threads"
                                  : "processes",
                     "ranks", r->ranks);
}

static json_t *report_object(const run_report *r)
{
    json_t *kit = json_pack("{s:s, s:i, s:I, s:s}", "version", PSGD_KIT_VERSION, "suite", SUITE_VERSION, "vectors",
                            (json_int_t)r->vectors_version, "vectors_sha256", r->vectors_sha256);
    json_t *port =
        json_pack("{s:o, s:o, s:o, s:o}", "implementation", text(r->implementation), "name", text(r->port.name),
                  "version", text(r->port.version), "claims", claims_json(r->port.claims));
    json_t *options = json_pack("{s:I, s:I, s:f, s:b, s:b}", "seed", (json_int_t)r->seed, "fuzz", (json_int_t)r->fuzz,
                                "timeout", r->timeout, "quick", r->quick, "partial", r->partial);
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:f, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "format",
                     REPORT_FORMAT, "kit", kit, "port", port, "options", options, "tested", claims_json(r->tested),
                     "out_of_reach", claims_json(r->out_of_reach), "failed", claims_json(r->failed), "stopped",
                     r->stopped, "seconds", r->seconds, "exit_code", r->exit_code, "counts", counts_json(r), "rows",
                     rows_json(r->verdict, NULL), "rows_by_type", rows_by_type_json(r->verdict), "trusted",
                     trusted_json(r->verdict), "musts_without_check", unchecked_json(r->tested), "environment",
                     environment_json(r), "checks", checks_json(r->verdict));
}

char *report_json(const run_report *r)
{
    json_t *report = report_object(r);
    char *rendered = report != NULL ? json_dumps(report, JSON_INDENT(1)) : NULL;
    json_decref(report);
    return rendered;
}
