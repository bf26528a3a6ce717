/* lookup.c: see lookup.h. */
#include "cli/lookup.h"

#include "cli/exit_code.h"
#include "cli/plan.h"
#include "cli/suggest.h"

#include <stdio.h>
#include <string.h>

const suite_case *suite_find(const char *id)
{
    const size_t count = suite_count();
    for (size_t i = 0; i < count; i++)
        if (strcmp(suite_at(i)->id, id) == 0)
            return suite_at(i);
    return NULL;
}

/* The cases and scenarios that were made for it. Returns the first one's ID; null: there is none. */
static const char *print_made_for(const char *id)
{
    const char *first = NULL;
    size_t count = suite_count();
    for (size_t i = 0; i < count; i++)
        if (has_word(suite_at(i)->requirements, id)) {
            printf("  case     %-28s %s\n", suite_at(i)->id, suite_at(i)->problem);
            first = first == NULL ? suite_at(i)->id : first;
        }
    const scenario *all = scenarios(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].requirement, id) == 0) {
            printf("  scenario %-28s %s\n", all[i].id, all[i].does);
            first = first == NULL ? all[i].id : first;
        }
    return first;
}

/* The known faults that break it. */
static void print_faults_against(const char *id)
{
    for (int f = 0; f < FAULT_COUNT; f++) {
        const fault_entry *entry = fault_entry_of((fault)f);
        if (has_word(entry->requirements, id))
            printf("  fault    %-28s %s\n", entry->name, entry->what);
    }
}

void requirement_print(const requirement *r)
{
    char claims[128];
    claims_print(r->claims, claims, sizeof claims);
    printf("%s  %s  claims: %s\n\n  %s\n\n", r->id, r->level == LEVEL_MUST ? "MUST" : "SHOULD", claims, r->sentence);
    printf("  Source: %s\n", r->source);
    if (r->rationale != NULL && r->rationale[0] != '\0')
        printf("  Why:    %s\n", r->rationale);
    if (r->unit_test_only)
        printf("  Checked by a unit test of psgd.h; no port is judged.\n");
    else if (!r->has_check)
        printf("  No check yet.\n");
    if (r->c_abi_only)
        printf("  Shown through the C ABI only.\n");
    if (r->layerwise_only)
        printf("  Not under claim alternating: PSGD-ALT-001 stands in its place.\n");
    if (r->files_only)
        printf("  Of results in files only.\n");

    const char *example = print_made_for(r->id);
    print_faults_against(r->id);
    printf("\n  Run it:  psgd-conform run --impl NAME --only %s\n", r->id);
    if (example != NULL)
        printf("  Example: psgd-conform show %s\n           psgd-conform run --impl NAME --only %s\n", example,
               example);
    if (!r->unit_test_only && !r->files_only)
        printf("  Sharp?   psgd-conform mutants --only %s\n", r->id);
}

void fault_print(const fault_entry *entry)
{
    const bool honest = entry->requirements[0] == '\0';
    const char *kind = honest ? "honest" : "faulty";
    printf("%s:%s  %s\n\n", kind, entry->name, entry->what);
    if (honest)
        printf("  It is right, and must conform.\n");
    size_t count;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count; i++)
        if (has_word(entry->requirements, all[i].id))
            printf("  breaks   %s  %s\n", all[i].id, all[i].sentence);
    printf("\n  Run it:  psgd-conform run --impl %s:%s\n", kind, entry->name);
    printf("  %s   psgd-conform mutants --only %s\n", honest ? "Fair? " : "Found?", entry->name);
}

const fault_entry *fault_named(const char *name)
{
    fault f;
    const char *colon = strchr(name, ':');
    if (!fault_find(&f, colon != NULL ? colon + 1 : name))
        return NULL;
    const char *kind = fault_is_honest(f) ? "honest" : "faulty";
    const bool fits =
        colon == NULL || ((size_t)(colon - name) == strlen(kind) && strncmp(name, kind, strlen(kind)) == 0);
    return fits ? fault_entry_of(f) : NULL;
}

const char *nearest_name(const char *id)
{
    const char *near = NULL;
    size_t count;
    const requirement *required = requirements(&count);
    for (size_t i = 0; i < count; i++)
        suggest(&near, id, required[i].id);
    count = suite_count();
    for (size_t i = 0; i < count; i++)
        suggest(&near, id, suite_at(i)->id);
    const scenario *all = scenarios(&count);
    for (size_t i = 0; i < count; i++)
        suggest(&near, id, all[i].id);
    return near;
}

void suggest_fault(const char **near, const char *id)
{
    for (int f = 0; f < FAULT_COUNT; f++)
        suggest(near, id, fault_entry_of((fault)f)->name);
}

int lookup_failed(FILE *errors, const char *what, const char *id)
{
    const char *near = nearest_name(id);
    fprintf(errors, "psgd-conform: there is no %s '%s'", what, id);
    if (near != NULL)
        fprintf(errors, "; did you mean '%s'?", near);
    fprintf(errors, " (psgd-conform list)\n");
    return EXIT_USAGE;
}
