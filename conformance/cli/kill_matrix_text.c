/* kill_matrix_text.c: see kill_matrix_text.h. */
#include "cli/kill_matrix_text.h"

#include <stdio.h>
#include <string.h>

#define NAME_WIDTH 34
#define AREA       5 /* "PSGD-EF-001": from here on */

static const char *const state_names[MUTANT_STATES] = {
    [MUTANT_KILLED] = "killed",       [MUTANT_CONFORMS] = "conforms",   [MUTANT_SURVIVED] = "survived",
    [MUTANT_UNRELATED] = "unrelated", [MUTANT_ACCUSED] = "accused",     [MUTANT_UNJUDGED] = "unjudged",
    [MUTANT_TOOK_DOWN] = "took down", [MUTANT_INVISIBLE] = "invisible",
};

const char *mutant_state_name(mutant_state state)
{
    return state_names[state];
}

static size_t area_length(const requirement *r)
{
    return strcspn(r->id + AREA, "-");
}

static bool begins_area(const requirement *all, size_t i)
{
    const size_t length = area_length(&all[i]);
    return i == 0 || area_length(&all[i - 1]) != length || strncmp(all[i - 1].id, all[i].id, AREA + length) != 0;
}

/* ---- the matrix ---- */

static int matrix_width(void)
{
    size_t count;
    const requirement *all = requirements(&count);
    int width = NAME_WIDTH;
    for (size_t i = 0; i < count; i++)
        width += begins_area(all, i) ? 2 : 1;
    return width;
}

/* Names of areas, as far as they fit over their columns, and the last digit of each requirement. */
static void print_head(void)
{
    size_t count;
    const requirement *all = requirements(&count);
    for (int line = 0; line < 3; line++) {
        printf("%-*s", NAME_WIDTH, "");
        for (size_t i = 0, area = 0; i < count; i++) {
            if (begins_area(all, i)) {
                printf(" ");
                area = 0;
            }
            /* Two letters of the area's name to a column would do for none: it is written downwards. */
            const bool named = area == 0 && (size_t)line < area_length(&all[i]);
            printf("%c", named ? all[i].id[AREA + line] : ' ');
            area++;
        }
        printf("\n");
    }
    printf("%-*s", NAME_WIDTH, "");
    for (size_t i = 0; i < count; i++)
        printf("%s%c", begins_area(all, i) ? " " : "", all[i].id[strlen(all[i].id) - 1]);
    printf("\n");
}

static void print_matrix_row(const mutant_row *row)
{
    size_t count;
    const requirement *all = requirements(&count);
    printf("%-*.*s", NAME_WIDTH, NAME_WIDTH - 1, row->entry->name);
    for (size_t i = 0; i < count; i++) {
        const bool failed = row->result.failures[i] > 0, own = mutant_breaks(row->entry, all[i].id);
        printf("%s%c", begins_area(all, i) ? " " : "", own ? (failed ? '#' : 'o') : failed ? '+' : '.');
    }
    printf("\n");
}

static void print_matrix(const kill_matrix *m)
{
    print_head();
    for (size_t i = 0; i < m->count; i++)
        print_matrix_row(&m->rows[i]);
    printf("# failed, and the fault breaks it; o breaks it, but did not fail; + failed as well\n\n");
}

/* ---- a line for each ---- */

/* The requirements that failed and are, or are not, among those that the variant breaks. */
static size_t print_failed(const mutant_row *row, bool own, bool shown)
{
    size_t count, found = 0;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count; i++) {
        if (row->result.failures[i] == 0 || mutant_breaks(row->entry, all[i].id) != own)
            continue;
        found++;
        if (shown)
            printf(" %s", all[i].id + AREA);
    }
    return found;
}

static void print_line(const mutant_row *row, bool verbose)
{
    printf("%-*s %-9s", NAME_WIDTH - 1, row->entry->name, state_names[mutant_state_of(row)]);
    (void)print_failed(row, true, true);
    const size_t others = print_failed(row, false, false);
    if (others > 0 && verbose) {
        printf("; also");
        (void)print_failed(row, false, true);
    } else if (others > 0) {
        printf("; also %zu more", others);
    }
    printf("\n");
}

/* ---- what is wrong ---- */

static void print_wrong(const kill_matrix *m, mutant_state state, const char *title)
{
    if (kill_matrix_count(m, state) == 0)
        return;
    printf("%s\n", title);
    for (size_t i = 0; i < m->count; i++) {
        const mutant_row *row = &m->rows[i];
        if (mutant_state_of(row) != state)
            continue;
        printf("  %s: %s\n", row->entry->name, row->entry->what);
        if (!mutant_is_honest(row->entry))
            printf("    breaks %s\n", row->entry->requirements);
        if (state == MUTANT_UNRELATED || state == MUTANT_ACCUSED) {
            printf("    failed");
            (void)print_failed(row, false, true);
            printf("\n");
        }
        if (row->result.message[0] != '\0')
            printf("    %s%s", row->result.message,
                   row->result.message[strlen(row->result.message) - 1] == '\n' ? "" : "\n");
    }
    printf("\n");
}

static void print_lacking(const kill_matrix *m, bool verbose)
{
    size_t count;
    const requirement *all = requirements(&count);
    if (kill_matrix_lacking(m) > 0)
        printf("REQUIREMENTS that no fault made for them made fail\n");
    for (size_t i = 0; i < count; i++)
        if (kill_matrix_lacks(m, i))
            printf("  %s %s\n", all[i].id, all[i].sentence);
    for (size_t i = 0; i < count && verbose && !m->partial; i++) {
        const char *why_not;
        if (!requirement_wants_mutant(&all[i], m->way, &why_not))
            printf("without a fault: %s. %s\n", all[i].id, why_not);
    }
}

static void print_last(const kill_matrix *m)
{
    const size_t honest = kill_matrix_count(m, MUTANT_CONFORMS) + kill_matrix_count(m, MUTANT_ACCUSED);
    const size_t unjudged = kill_matrix_count(m, MUTANT_UNJUDGED), invisible = kill_matrix_count(m, MUTANT_INVISIBLE);
    const size_t took_down = kill_matrix_count(m, MUTANT_TOOK_DOWN);
    printf("%zu faults: %zu killed, %zu survived, %zu killed by unrelated requirements only; %zu honest variants, %zu "
           "accused",
           m->count - honest - unjudged - invisible, kill_matrix_count(m, MUTANT_KILLED),
           kill_matrix_count(m, MUTANT_SURVIVED), kill_matrix_count(m, MUTANT_UNRELATED), honest,
           kill_matrix_count(m, MUTANT_ACCUSED));
    if (unjudged > 0)
        printf("; %zu NOT JUDGED", unjudged);
    if (took_down > 0)
        printf("; %zu took their mpirun down", took_down);
    if (invisible > 0)
        printf("; %zu not visible this way", invisible);
    if (!m->partial && m->way == MUTANTS_ABI)
        printf("; %zu requirements without a fault", kill_matrix_lacking(m));
    printf(", %.1f s. %s\n", m->seconds,
           kill_matrix_exit_code(m) == 0 ? "Every fault is found." : "The kit is not sharp, or not fair.");
}

bool kill_matrix_text(const kill_matrix *m, int width, bool verbose, bool quiet)
{
    if (!quiet) {
        const bool as_matrix = !verbose && matrix_width() <= width;
        if (as_matrix)
            print_matrix(m);
        for (size_t i = 0; i < m->count && !as_matrix; i++)
            print_line(&m->rows[i], verbose);
        if (!as_matrix)
            printf("\n");
        print_wrong(m, MUTANT_SURVIVED, "SURVIVED: the kit found nothing wrong");
        print_wrong(m, MUTANT_UNRELATED, "UNRELATED: what failed is not what the fault breaks");
        print_wrong(m, MUTANT_ACCUSED, "ACCUSED: honest variants that are right, and failed");
        print_wrong(m, MUTANT_UNJUDGED, "NOT JUDGED");
        print_wrong(m, MUTANT_INVISIBLE, "Not visible this way: only the C ABI shows what they break");
        print_lacking(m, verbose);
    }
    print_last(m);
    return fflush(stdout) == 0 && !ferror(stdout);
}
