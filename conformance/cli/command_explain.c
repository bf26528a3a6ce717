/* command_explain.c: what a requirement means, where it comes from, and what checks it. */
#include "cli/command.h"
#include "cli/lookup.h"

#include <stdio.h>

static int not_a_requirement(FILE *errors, const char *id)
{
    if (suite_find(id) == NULL && scenario_find(id) == NULL)
        return lookup_failed(errors, "requirement", id);
    fprintf(errors, "psgd-conform explain: '%s' is no requirement; psgd-conform show '%s' shows it\n", id, id);
    return EXIT_USAGE;
}

int command_explain(const options *o)
{
    const char *id = o->positional.words[0];
    const requirement *found = requirement_find(id);
    if (found == NULL)
        return not_a_requirement(o->errors, id);
    requirement_print(found);
    return EXIT_CONFORMING;
}
