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

    size_t count = suite_count();
    for (size_t i = 0; i < count; i++)
        if (has_word(suite_at(i)->requirements, r->id))
            printf("  case     %-28s %s\n", suite_at(i)->id, suite_at(i)->problem);
    const scenario *all = scenarios(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].requirement, r->id) == 0)
            printf("  scenario %-28s %s\n", all[i].id, all[i].does);
    printf("\n  Run it: psgd-conform run --impl NAME --only %s\n", r->id);
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

int lookup_failed(FILE *errors, const char *what, const char *id)
{
    const char *near = nearest_name(id);
    fprintf(errors, "psgd-conform: there is no %s '%s'", what, id);
    if (near != NULL)
        fprintf(errors, "; did you mean '%s'?", near);
    fprintf(errors, " (psgd-conform list)\n");
    return EXIT_USAGE;
}
