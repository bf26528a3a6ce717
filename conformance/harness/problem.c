/* problem.c: copying and releasing problems. The grammar is in problem_parse.c, the canonical text in problem_print.c.
 */
#include "harness/problem.h"
#include "harness/shape_sets.h"

#include <stdlib.h>
#include <string.h>

void problem_free(problem *p)
{
    if (p == NULL)
        return;
    free(p->group);
    buckets_free(p->buckets, p->bucket_count);
    free(p->shape_set);
    free(p->gradients);
    free(p->recording);
    *p = (problem){0};
}

static bool copy_array(void **copy, const void *array, size_t count, size_t size)
{
    *copy = NULL;
    if (array == NULL)
        return true;
    *copy = malloc(count > 0 ? count * size : 1); /* the product fits: the original exists */
    if (*copy != NULL && count > 0)
        memcpy(*copy, array, count * size);
    return *copy != NULL;
}

static bool copy_buckets(problem *copy, const problem *p)
{
    for (size_t b = 0; b < p->bucket_count; b++) {
        if (!buckets_append(&copy->buckets, &copy->bucket_count))
            return false;
        for (size_t i = 0; i < p->buckets[b].tensor_count; i++)
            if (!bucket_append(&copy->buckets[b], p->buckets[b].shapes[i].dims, p->buckets[b].shapes[i].ndim))
                return false;
    }
    return true;
}

bool problem_copy(problem *copy, const problem *p)
{
    *copy = *p;
    copy->buckets = NULL;
    copy->bucket_count = 0;
    void *group, *gradients, *shape_set, *recording; /* all four are set, whatever fails */
    const bool a = copy_array(&group, p->group, (size_t)p->world, sizeof *p->group);
    const bool b = copy_array(&gradients, p->gradients, p->gradient_count, sizeof *p->gradients);
    const bool c = copy_array(&shape_set, p->shape_set, p->shape_set ? strlen(p->shape_set) + 1 : 0, 1);
    const bool d = copy_array(&recording, p->recording, p->recording ? strlen(p->recording) + 1 : 0, 1);
    copy->group = group;
    copy->gradients = gradients;
    copy->shape_set = shape_set;
    copy->recording = recording;
    if (a && b && c && d && copy_buckets(copy, p))
        return true;
    problem_free(copy);
    return false;
}
