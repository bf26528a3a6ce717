/* problem_check.c: what the fields of a problem string need of each other: the required ones are there, the group fits
 * its world, the checkpoint its steps, the gradients their tensors; all products of dimensions fit.
 */
#include "harness/gradient_kinds.h"
#include "harness/problem_reader.h"

#include <stdlib.h>

static bool check_required(problem_reader *in)
{
    static const struct {
        field_name name;
        const char *what;
    } required[] = {{FIELD_WORLD, "ranks (W2)"}, {FIELD_R, "rank (r4)"}, {FIELD_DTYPE, "type (f32)"}};
    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++)
        if (in->where[required[i].name] == PROBLEM_NOT_GIVEN)
            return scan_fail(&in->s, in->s.at, "the field for the %s is missing", required[i].what);
    const bool recorded = in->p->recording != NULL;
    if (!recorded && in->where[FIELD_SHAPES] == PROBLEM_NOT_GIVEN)
        return scan_fail(&in->s, in->s.at, "the field for the shapes ([24x40,17]) is missing");
    if (recorded && in->where[FIELD_SHAPES] != PROBLEM_NOT_GIVEN)
        return scan_fail(&in->s, in->where[FIELD_SHAPES], "a recording brings its own shapes");
    if (recorded && in->where[FIELD_SEED] != PROBLEM_NOT_GIVEN)
        return scan_fail(&in->s, in->where[FIELD_SEED], "a recording has no seed");
    return true;
}

static bool check_group(problem_reader *in)
{
    problem *p = in->p;
    const size_t at = in->where[FIELD_GROUP];
    if (at == PROBLEM_NOT_GIVEN) {
        p->group = malloc((size_t)p->world * sizeof *p->group);
        if (p->group == NULL)
            return problem_no_memory(in);
        for (int k = 0; k < p->world; k++)
            p->group[k] = k;
        return true;
    }
    if (p->of_world == p->world)
        return scan_fail(&in->s, at, "a group needs a larger world (W%dof%d)", p->world, p->world + 1);
    if (in->group_size != (size_t)p->world)
        return scan_fail(&in->s, at, "the group has %zu members, not W = %d", in->group_size, p->world);
    for (size_t i = 0; i < in->group_size; i++)
        if (p->group[i] >= p->of_world)
            return scan_fail(&in->s, at, "rank %d is not in a world of %d", p->group[i], p->of_world);
    return true;
}

static bool check_steps(problem_reader *in)
{
    problem *p = in->p;
    if (in->where[FIELD_STEPS] == PROBLEM_NOT_GIVEN && p->recording == NULL)
        p->steps = p->start + 4;
    if (p->steps > PROBLEM_MAX_STEPS)
        return scan_fail(&in->s, in->where[FIELD_START], "s leaves no room for steps: there are %d at most",
                         PROBLEM_MAX_STEPS);
    if (in->where[FIELD_CHECKPOINT] != PROBLEM_NOT_GIVEN && p->steps > 0 && p->checkpoint >= p->steps)
        return scan_fail(&in->s, in->where[FIELD_CHECKPOINT], "the checkpoint comes after the last step, %lld",
                         (long long)p->steps - 1);
    return true;
}

/* false: the product overflows or is above PROBLEM_MAX_NUMEL */
static bool shape_numel(size_t *numel, const psgd_shape *shape)
{
    size_t product = 1;
    bool empty = false;
    for (size_t d = 0; d < shape->ndim; d++) {
        const size_t dim = shape->dims[d];
        empty = empty || dim == 0;
        if (dim != 0 && product > PROBLEM_MAX_NUMEL / dim)
            return false;
        product *= dim != 0 ? dim : 1;
    }
    *numel = empty ? 0 : product;
    return true;
}

static bool check_shapes(problem_reader *in)
{
    const problem *p = in->p;
    size_t total = 0, tensor = 0;
    for (size_t b = 0; b < p->bucket_count; b++)
        for (size_t i = 0; i < p->buckets[b].tensor_count; i++, tensor++) {
            size_t numel;
            if (!shape_numel(&numel, &p->buckets[b].shapes[i]) || numel > PROBLEM_MAX_NUMEL - total)
                return scan_fail(&in->s, in->where[FIELD_SHAPES], "the shapes have more than 2^48 elements");
            total += numel;
            if (p->gradient_count == 0)
                continue;
            const gradient *g = &p->gradients[tensor < p->gradient_count ? tensor : p->gradient_count - 1];
            if (gradient_kind_describe((size_t)g->kind)->parameter == PARAMETER_ELEMENT &&
                g->parameter >= (double)numel)
                return scan_fail(&in->s, in->where[FIELD_GRADIENTS], "element %.0f is outside tensor %zu", g->parameter,
                                 tensor);
        }
    if (p->recording == NULL && p->gradient_count > tensor)
        return scan_fail(&in->s, in->where[FIELD_GRADIENTS], "%zu kinds of gradients for %zu tensors",
                         p->gradient_count, tensor);
    return true;
}

static bool fill_gradients(problem_reader *in)
{
    problem *p = in->p;
    if (p->recording != NULL)
        return true;
    if (p->gradient_count == 0) {
        p->gradients = malloc(sizeof *p->gradients);
        if (p->gradients == NULL)
            return problem_no_memory(in);
        p->gradients[0] = (gradient){.kind = GRADIENT_GAUSS};
        p->gradient_count = 1;
    }
    for (size_t i = 0; i < p->gradient_count; i++) {
        gradient *g = &p->gradients[i];
        if (g->kind == GRADIENT_RANK && g->parameter == 0)
            g->parameter = (double)p->r;
        if (g->kind == GRADIENT_DEFICIENT && g->parameter == 0)
            g->parameter = p->r > 1 ? (double)(p->r - 1) : 1;
    }
    return true;
}

bool problem_check(problem_reader *in)
{
    return check_required(in) && check_group(in) && check_steps(in) && fill_gradients(in) && check_shapes(in);
}
