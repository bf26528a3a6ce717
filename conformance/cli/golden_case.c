/* golden_case.c: see golden_case.h. */
#include "cli/golden_case.h"

#include "harness/casefile.h"
#include "harness/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAKES_IT "golden/generate.py makes it anew"

/* Results of a hook that raised or died are nothing to be measured by. */
static bool is_whole(const trace *t, const char *path, char *message, size_t message_size)
{
    for (int k = 0; k < t->world; k++)
        if (t->ranks[k].status != PSGD_OK || t->ranks[k].steps_done != t->steps)
            return refuse(message, message_size,
                          "golden file %s is of a hook that failed on rank %d: %s (" MAKES_IT ")", path, k,
                          t->ranks[k].message != NULL ? t->ranks[k].message : "it did not do all steps");
    return true;
}

/* Is it the case that the suite has under this name, with the hook's results? */
static bool is_asked_for(const test_case *c, const char *path, const char *id, const problem *p, char *message,
                         size_t message_size)
{
    if (strcmp(c->id, id) != 0)
        return refuse(message, message_size, "golden file %s is of another case, %s (" MAKES_IT ")", path, c->id);
    if (c->expected == NULL)
        return refuse(message, message_size, "golden file %s has no results (" MAKES_IT ")", path);
    if (!is_whole(c->expected, path, message, message_size))
        return false;
    problem asked = *p; /* for printing only; owns nothing */
    if (asked.steps == 0)
        asked.steps = c->steps; /* all of a recording, which the file has counted */
    char *wanted = problem_print(&asked);
    if (wanted == NULL)
        return refuse(message, message_size, "out of memory");
    const bool same = strcmp(c->problem_text, wanted) == 0;
    if (!same)
        refuse(message, message_size, "golden file %s is of the problem %s, but the suite has %s (" MAKES_IT ")", path,
               c->problem_text, wanted);
    free(wanted);
    return same;
}

bool golden_case_read(test_case *c, const vectors *v, const char *id, const problem *p, char *message,
                      size_t message_size)
{
    char name[256], path[4096];
    const int name_length = snprintf(name, sizeof name, "%s.safetensors", id);
    const int path_length = snprintf(path, sizeof path, "%s/%s", v->folder, name);
    if (name_length < 0 || (size_t)name_length >= sizeof name || path_length < 0 || (size_t)path_length >= sizeof path)
        return refuse(message, message_size, "the path of golden file %s is too long", id);
    if (!vectors_have(v, name))
        return refuse(message, message_size, "golden file %s is not in %s/MANIFEST.json (" MAKES_IT ")", name,
                      v->folder);
    if (!casefile_read(c, path, message, message_size))
        return false;
    if (is_asked_for(c, path, id, p, message, message_size))
        return true;
    case_free(c);
    return false;
}
