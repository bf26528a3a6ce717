/* json.c: the report for programs: every check with all it knows. report.schema.json says what stands in it; what it
 * has in common with other reports is in json_parts.c. */
#include "report/json_parts.h"

#define REPORT_FORMAT "psgd-report/1"

static json_t *place_json(const check_place *at)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:s, s:I, s:I, s:o, s:o}", "step", (json_int_t)at->step, "rank",
                     (json_int_t)at->rank, "bucket", (json_int_t)at->bucket, "tensor", (json_int_t)at->tensor, "stage",
                     check_stage_name(at->stage), "row", (json_int_t)at->row, "column", (json_int_t)at->column, "got",
                     json_number(at->got), "expected", json_number(at->expected));
}

static json_t *skipped_json(const check *c)
{
    static const char *const names[] = {
        [SKIP_NONE] = "other", [SKIP_CLAIM] = "claim", [SKIP_UNSUPPORTED] = "unsupported", [SKIP_RANKS] = "ranks"};
    return c->state == CHECK_SKIP ? json_string(names[c->skipped]) : json_null();
}

static json_t *check_json(const check *c)
{
    return json_pack("{s:s, s:s, s:s, s:o, s:s?, s:s, s:s, s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "requirement",
                     c->requirement->id, "level", c->requirement->level == LEVEL_MUST ? "MUST" : "SHOULD", "case",
                     c->case_id, "problem", json_text(c->problem), "type", c->type, "row", c->row, "state",
                     check_state_name(c->state), "skipped", skipped_json(c), "ratio", json_number(c->ratio), "limit",
                     json_number(c->limit), "measured", (json_int_t)c->measured, "place", place_json(&c->place),
                     "message", json_text(c->message), "waiver", json_text(c->waiver));
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

static json_t *rows_json(const verdict *v, const char *type)
{
    row_maximum rows[ROW_MAXIMA];
    const size_t count = report_row_maxima(rows, v, type);
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++)
        json_object_set_new(object, rows[i].row,
                            json_pack("{s:o, s:o, s:s, s:I}", "ratio", json_number(rows[i].ratio), "limit",
                                      json_number(rows[i].limit), "case", rows[i].case_id, "checks",
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
        if (!all[i].has_check && !all[i].unit_test_only && all[i].level == LEVEL_MUST &&
            requirement_is_tested(&all[i], tested))
            json_array_append_new(array, json_string(all[i].id));
    return array;
}

static json_t *report_object(const run_report *r)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:f, s:i, s:o, s:o, s:o, s:o, s:o, s:o, "
                     "s:o, s:o}",
                     "format", REPORT_FORMAT, "kit", json_kit(r), "port", json_port(r), "way", json_way(r), "command",
                     json_command(r), "options", json_options(r), "tested", json_claims(r->tested), "out_of_reach",
                     json_claims(r->out_of_reach), "failed", json_claims(r->failed), "reasons", json_lines(r->reasons),
                     "stopped", r->stopped, "seconds", r->seconds, "exit_code", r->exit_code, "counts", json_counts(r),
                     "rows", rows_json(r->verdict, NULL), "rows_by_type", rows_by_type_json(r->verdict), "trusted",
                     trusted_json(r->verdict), "musts_without_check", unchecked_json(r->tested), "waivers",
                     json_waivers(r), "environment", json_environment(r), "checks", checks_json(r->verdict));
}

char *report_json(const run_report *r)
{
    return json_rendered(report_object(r));
}
