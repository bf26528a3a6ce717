/* command_list.c: requirements, cases and scenarios, a line each. */
#include "cli/command.h"
#include "cli/plan.h"
#include "judge/requirement.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

static bool is_wanted(const options *o, const char *id)
{
    for (size_t i = 0; i < o->only.count; i++)
        if (fnmatch(o->only.words[i], id, 0) == 0)
            return true;
    return o->only.count == 0;
}

static void list_requirements(const options *o, uint64_t claims)
{
    size_t count;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count; i++) {
        if (!is_wanted(o, all[i].id) || !requirement_is_tested(&all[i], claims))
            continue;
        char names[128];
        claims_print(all[i].claims, names, sizeof names);
        printf("%-14s %-6s %-20s %s%s\n", all[i].id, all[i].level == LEVEL_MUST ? "MUST" : "SHOULD", names,
               all[i].has_check || all[i].unit_test_only ? "" : "(no check yet) ", all[i].sentence);
    }
}

/* A run of one requirement runs all cases, because any may show it; the list has those that were made for it. */
static bool is_made_for(const options *o, const plan_item *item)
{
    if (o->only.count == 0 || item->chosen_by_name)
        return true;
    size_t count;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count; i++)
        if (is_wanted(o, all[i].id) && has_word(item->requirements, all[i].id))
            return true;
    return false;
}

static void list_items(const options *o, const plan *p, uint64_t claims)
{
    for (size_t i = 0; i < p->count; i++) {
        const plan_item *item = &p->items[i];
        if (plan_claims_missing(item, claims) != 0 || !is_made_for(o, item))
            continue;
        if (item->scenario != NULL) {
            printf("%-28s %s\n", item->id, item->scenario->does);
            continue;
        }
        char *text = problem_print(&item->problem);
        printf("%-28s %s%s\n", item->id, text != NULL ? text : "(no memory)", item->golden ? "  golden" : "");
        free(text);
    }
}

int command_list(const options *o)
{
    const uint64_t claims = o->claims_given ? o->claims : UINT64_MAX;
    plan p;
    switch (plan_make(&p, o, claims)) {
    case PLAN_USAGE: plan_free(&p); return EXIT_USAGE;
    case PLAN_NO_MEMORY:
        fprintf(stderr, "psgd-conform: out of memory\n");
        plan_free(&p);
        return EXIT_KIT_FAILED;
    case PLAN_OK: break;
    }
    list_requirements(o, claims);
    list_items(o, &p, claims);
    plan_free(&p);
    return EXIT_CONFORMING;
}
