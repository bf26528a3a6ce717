/* statement_json.c: the statement of conformance for programs. statement.schema.json says what stands in it. */
#include "report/command_line.h"
#include "report/environment.h"
#include "report/json_parts.h"
#include "report/statement.h"

#include <stdlib.h>

#define STATEMENT_FORMAT "psgd-statement/1"

typedef void printer(FILE *file, const run_report *r);

/* What the printer prints, as a string. */
static json_t *printed(printer *print, const run_report *r)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return NULL;
    print(stream, r);
    json_t *string = fclose(stream) == 0 ? json_text(text) : NULL;
    free(text);
    return string;
}

static json_t *lacks_json(const run_report *r)
{
    json_t *array = json_array();
    for (size_t i = 0; statement_lack(r, i) != NULL; i++)
        json_array_append_new(array, json_string(statement_lack(r, i)));
    return array;
}

static json_t *claims_json(const run_report *r)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "made", json_claims(r->port.claims), "tested",
                     json_claims(r->tested), "conforming", json_claims(statement_conforming(r)), "failed",
                     json_claims(r->failed), "untested", json_claims(statement_untested(r)), "out_of_reach",
                     json_claims(r->out_of_reach));
}

static json_t *list_json(const run_report *r, const statement_list *list)
{
    size_t count;
    const requirement *all = requirements(&count);
    json_t *object = json_object();
    for (size_t i = 0; i < count; i++) {
        const size_t checks = statement_count(r, list, &all[i]);
        if (checks > 0)
            json_object_set_new(object, all[i].id, json_integer((json_int_t)checks));
    }
    return object;
}

static json_t *lists_json(const run_report *r)
{
    json_t *object = json_object();
    for (size_t i = 0; i < STATEMENT_LISTS; i++)
        json_object_set_new(object, statement_lists[i].name, list_json(r, &statement_lists[i]));
    return object;
}

char *report_statement_json(const run_report *r)
{
    char date[ENVIRONMENT_DATE];
    return json_rendered(json_pack(
        "{s:s, s:o, s:b, s:b, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o}", "format",
        STATEMENT_FORMAT, "verdict", printed(statement_sentence, r), "conforms", r->exit_code == 0, "whole",
        statement_lack(r, 0) == NULL, "lacks", lacks_json(r), "date", environment_date(date), "kit", json_kit(r),
        "port", json_port(r), "way", json_way(r), "command", json_command(r), "claims", claims_json(r), "counts",
        json_counts(r), "requirements", lists_json(r), "reasons", json_lines(r->reasons), "waivers", json_waivers(r),
        "exit_code", r->exit_code, "environment", json_environment(r), "command_line", printed(command_line_print, r)));
}
