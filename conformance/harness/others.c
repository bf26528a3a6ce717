/* others.c: see others.h. */
#include "harness/others.h"

#include "harness/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool others_wanted(const test_case *c)
{
    return c->problem.of_world > c->world && c->problem.recording == NULL; /* a recording has no ranks to spare */
}

static bool is_member(const problem *p, int rank)
{
    for (int k = 0; k < p->world; k++)
        if (p->group[k] == rank)
            return true;
    return false;
}

/* The group of *others becomes all ranks of the world that are not in p's, in their order. */
static bool take_the_rest(problem *others, const problem *p)
{
    const int count = p->of_world - p->world;
    int *group = malloc((size_t)count * sizeof *group), next = 0;
    if (group == NULL)
        return false;
    for (int rank = 0; rank < p->of_world && next < count; rank++)
        if (!is_member(p, rank))
            group[next++] = rank;
    free(others->group);
    others->group = group;
    others->world = count;
    return next == count;
}

bool others_case(test_case *others, const test_case *c, char *message, size_t message_size)
{
    problem p;
    const size_t size = strlen(c->id) + sizeof OTHERS_SUFFIX;
    char *id = malloc(size);
    if (id == NULL || !problem_copy(&p, &c->problem)) {
        free(id);
        return refuse(message, message_size, "no memory for the case of the other ranks");
    }
    (void)snprintf(id, size, "%s" OTHERS_SUFFIX, c->id);
    p.seed ^= 1;
    const bool ok = take_the_rest(&p, &c->problem)
                        ? case_build(others, &p, id, c->requirements, c->claims, NULL, message, message_size)
                        : refuse(message, message_size, "no memory for the case of the other ranks");
    problem_free(&p);
    free(id);
    return ok;
}
