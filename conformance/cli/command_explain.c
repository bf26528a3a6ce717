/* command_explain.c: what a requirement means, where it comes from, and what checks it; what a known fault does. */
#include "cli/command.h"
#include "cli/lookup.h"

#include <stdio.h>

static int not_known(FILE *errors, const char *id)
{
    const char *near = nearest_name(id);
    suggest_fault(&near, id);
    fprintf(errors, "psgd-conform: there is no requirement or fault '%s'", id);
    if (near != NULL)
        fprintf(errors, "; did you mean '%s'?", near);
    fprintf(errors, " (psgd-conform list)\n");
    return EXIT_USAGE;
}

static int not_a_requirement(FILE *errors, const char *id)
{
    if (suite_find(id) == NULL && scenario_find(id) == NULL)
        return not_known(errors, id);
    fprintf(errors, "psgd-conform explain: '%s' is no requirement; psgd-conform show '%s' shows it\n", id, id);
    return EXIT_USAGE;
}

int command_explain(const options *o)
{
    const char *id = o->positional.words[0];
    const requirement *found = requirement_find(id);
    const fault_entry *named = fault_named(id);
    if (found == NULL && named == NULL)
        return not_a_requirement(o->errors, id);
    if (found != NULL)
        requirement_print(found);
    else
        fault_print(named);
    return EXIT_CONFORMING;
}
