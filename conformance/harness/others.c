/* others.c: see others.h. */
#include "harness/others.h"

#include "harness/message.h"

#include <stdlib.h>

bool others_wanted(const test_case *c)
{
    return c->problem.of_world > c->world && c->problem.recording == NULL; /* a recording has no ranks to spare */
}

bool others_case(test_case *others, const test_case *c, char *message, size_t message_size)
{
    problem p;
    if (!problem_copy(&p, &c->problem))
        return refuse(message, message_size, "no memory for the case of the other ranks");
    p.world = c->problem.of_world - c->problem.world;
    p.of_world = p.world;
    int *group = realloc(p.group, (size_t)p.world * sizeof *group);
    bool ok = group != NULL || refuse(message, message_size, "no memory for the case of the other ranks");
    if (group != NULL) {
        p.group = group;
        for (int k = 0; k < p.world; k++)
            group[k] = k;
        p.seed++;
        ok = case_build(others, &p, "others", "", c->claims, NULL, message, message_size);
    }
    problem_free(&p);
    return ok;
}
