/* kill_matrix_json.c: the kill matrix for programs: psgd-mutants/1. */
#include "cli/kill_matrix_text.h"

#include <jansson.h>

/* {"PSGD-EF-001": 3}: how many checks of each failed. */
static json_t *failures_of(const mutant_result *result)
{
    json_t *failures = json_object();
    size_t count;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count && failures != NULL; i++)
        if (result->failures[i] > 0 &&
            json_object_set_new(failures, all[i].id, json_integer(result->failures[i])) != 0) {
            json_decref(failures);
            failures = NULL;
        }
    return failures;
}

static json_t *row_of(const mutant_row *row)
{
    return json_pack("{s:s, s:s, s:s, s:b, s:s, s:i, s:f, s:o, s:s}", "name", row->entry->name, "what",
                     row->entry->what, "breaks", row->entry->requirements, "honest", mutant_is_honest(row->entry),
                     "state", mutant_state_name(mutant_state_of(row)), "exit_code", row->result.exit_code, "seconds",
                     row->result.seconds, "failures", failures_of(&row->result), "message", row->result.message);
}

static json_t *rows_of(const kill_matrix *m)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < m->count && rows != NULL; i++)
        if (json_array_append_new(rows, row_of(&m->rows[i])) != 0) {
            json_decref(rows);
            rows = NULL;
        }
    return rows;
}

static json_t *lacking_of(const kill_matrix *m)
{
    json_t *lacking = json_array();
    size_t count;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count && lacking != NULL; i++)
        if (kill_matrix_lacks(m, i) && json_array_append_new(lacking, json_string(all[i].id)) != 0) {
            json_decref(lacking);
            lacking = NULL;
        }
    return lacking;
}

char *kill_matrix_json(const kill_matrix *m)
{
    json_t *root = json_pack("{s:s, s:b, s:f, s:i, s:o, s:o}", "format", "psgd-mutants/1", "partial", m->partial,
                             "seconds", m->seconds, "exit_code", kill_matrix_exit_code(m), "without_fault",
                             lacking_of(m), "mutants", rows_of(m));
    char *text = root != NULL ? json_dumps(root, JSON_INDENT(1) | JSON_ENSURE_ASCII) : NULL;
    json_decref(root);
    return text;
}
