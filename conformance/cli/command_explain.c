/* command_explain.c: what a requirement means, where it comes from, and what checks it. */
#include "cli/command.h"
#include "cli/lookup.h"

#include <stdio.h>

int command_explain(const options *o)
{
    const char *id = o->positional.words[0];
    const requirement *found = requirement_find(id);
    if (found == NULL)
        return lookup_failed("requirement", id);
    requirement_print(found);
    return EXIT_CONFORMING;
}
