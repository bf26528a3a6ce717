/* companion.c: the second run that a case is held against; see suite.h. */
#include "harness/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPANION_SUFFIX "+again"

#define EXACT_SCALE 40 /* PSGD-AGG-008 is exact for |k| up to this: SPEC.md */

static bool is_special(const gradient *g)
{
    return g->kind == GRADIENT_NAN || g->kind == GRADIENT_INF;
}

companion suite_companion_of(const problem *p)
{
    for (size_t i = 0; i < p->gradient_count; i++)
        if (is_special(&p->gradients[i]))
            return COMPANION_CLEAN;
    if (p->checkpoint >= 0)
        return COMPANION_UNINTERRUPTED;
    if (p->scale != 0 && p->scale >= -EXACT_SCALE && p->scale <= EXACT_SCALE)
        return COMPANION_UNSCALED;
    if (p->async)
        return COMPANION_BLOCKING;
    return p->reversed && p->world > 1 ? COMPANION_UNREVERSED : COMPANION_NONE;
}

bool suite_companion_problem(problem *p, const problem *of, companion kind)
{
    if (!problem_copy(p, of))
        return false;
    switch (kind) {
    case COMPANION_NONE:
    case COMPANION_REPEAT: break;
    case COMPANION_UNSCALED: p->scale = 0; break;
    case COMPANION_UNREVERSED: p->reversed = false; break;
    case COMPANION_UNINTERRUPTED: p->checkpoint = -1; break;
    case COMPANION_BLOCKING: p->async = false; break;
    case COMPANION_CLEAN:
        for (size_t i = 0; i < p->gradient_count; i++)
            if (is_special(&p->gradients[i]))
                p->gradients[i] = (gradient){.kind = GRADIENT_GAUSS};
        break;
    }
    return true;
}

char *suite_companion_id(const char *id)
{
    const size_t size = strlen(id) + sizeof COMPANION_SUFFIX;
    char *text = malloc(size);
    if (text != NULL)
        snprintf(text, size, "%s" COMPANION_SUFFIX, id);
    return text;
}
