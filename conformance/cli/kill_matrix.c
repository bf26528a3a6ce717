/* kill_matrix.c: see kill_matrix.h. */
#include "cli/kill_matrix.h"

#include "cli/exit_code.h"
#include "cli/plan.h"

#include <stdlib.h>

/* Is there a requirement among those that it breaks that files show? */
static bool shows_in_files(const fault_entry *entry)
{
    bool shows = mutant_is_honest(entry);
    size_t count;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count && !shows; i++)
        shows = !all[i].c_abi_only && mutant_breaks(entry, all[i].id);
    return shows;
}

bool kill_matrix_make(kill_matrix *m, mutants_way way)
{
    *m = (kill_matrix){.rows = calloc(FAULT_COUNT, sizeof *m->rows), .way = way};
    if (m->rows == NULL)
        return false;
    for (; m->count < FAULT_COUNT; m->count++) {
        m->rows[m->count].entry = fault_entry_of((fault)m->count);
        m->rows[m->count].result.exit_code = -1;
        m->rows[m->count].invisible = way == MUTANTS_FILES && !shows_in_files(m->rows[m->count].entry);
    }
    return true;
}

void kill_matrix_free(kill_matrix *m)
{
    free(m->rows);
    *m = (kill_matrix){0};
}

bool mutant_is_honest(const fault_entry *entry)
{
    return entry->requirements[0] == '\0';
}

bool mutant_breaks(const fault_entry *entry, const char *requirement_id)
{
    return has_word(entry->requirements, requirement_id);
}

mutant_state mutant_state_of(const mutant_row *row)
{
    if (row->invisible)
        return MUTANT_INVISIBLE;
    if (row->result.took_down && !mutant_is_honest(row->entry))
        return MUTANT_TOOK_DOWN;
    const int code = row->result.exit_code;
    if (code != EXIT_CONFORMING && code != EXIT_NOT_CONFORMING)
        return MUTANT_UNJUDGED;
    bool failed = code == EXIT_NOT_CONFORMING, found = false;
    size_t count;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count; i++)
        if (row->result.failures[i] > 0) {
            failed = true; /* a SHOULD alone leaves the exit code 0 */
            found = found || mutant_breaks(row->entry, all[i].id);
        }
    if (mutant_is_honest(row->entry))
        return failed ? MUTANT_ACCUSED : MUTANT_CONFORMS;
    return found ? MUTANT_KILLED : failed ? MUTANT_UNRELATED : MUTANT_SURVIVED;
}

size_t kill_matrix_count(const kill_matrix *m, mutant_state state)
{
    size_t found = 0;
    for (size_t i = 0; i < m->count; i++)
        found += mutant_state_of(&m->rows[i]) == state;
    return found;
}

bool requirement_wants_mutant(const requirement *r, mutants_way way, const char **why_not)
{
    const bool files = way == MUTANTS_FILES;
    *why_not = r->unit_test_only         ? "It is of psgd.h itself and held by a unit test: no port can break it."
               : !r->has_check           ? "It has no check yet."
               : files && r->c_abi_only  ? "Only the C ABI shows it."
               : !files && r->files_only ? "Only files show it."
                                         : NULL;
    return *why_not == NULL;
}

bool kill_matrix_lacks(const kill_matrix *m, size_t requirement_index)
{
    size_t count;
    const requirement *r = &requirements(&count)[requirement_index];
    const char *why_not;
    bool lacks = !m->partial && m->way == MUTANTS_ABI && requirement_wants_mutant(r, m->way, &why_not);
    for (size_t i = 0; i < m->count && lacks; i++)
        lacks = !mutant_breaks(m->rows[i].entry, r->id) || m->rows[i].result.failures[requirement_index] == 0;
    return lacks;
}

size_t kill_matrix_lacking(const kill_matrix *m)
{
    size_t count, found = 0;
    (void)requirements(&count);
    for (size_t i = 0; i < count; i++)
        found += kill_matrix_lacks(m, i);
    return found;
}

int kill_matrix_exit_code(const kill_matrix *m)
{
    if (kill_matrix_count(m, MUTANT_UNJUDGED) > 0)
        return EXIT_KIT_FAILED;
    const bool wrong = kill_matrix_count(m, MUTANT_SURVIVED) > 0 || kill_matrix_count(m, MUTANT_UNRELATED) > 0 ||
                       kill_matrix_count(m, MUTANT_ACCUSED) > 0 || kill_matrix_lacking(m) > 0;
    return wrong ? EXIT_NOT_CONFORMING : EXIT_CONFORMING;
}
