/* problem_fields.c: reads what stands in each field of a problem string; every number is checked for its range. What a
 * field needs of another is checked in problem_check.c once all are read.
 */
#include "harness/gradient_kinds.h"
#include "harness/problem_reader.h"
#include "harness/shape_sets.h"
#include "harness/tensor_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RANK  1000000
#define MAX_SCALE 2000
#define MAX_DIM   ((int64_t)1 << 40)

bool problem_no_memory(problem_reader *in)
{
    return scan_fail(&in->s, in->s.at, "no memory");
}

bool problem_read_world(problem_reader *in)
{
    int64_t world, of;
    if (!scan_integer(&in->s, &world, 1, PROBLEM_MAX_WORLD, "W"))
        return false;
    of = world;
    if (strncmp(in->s.text + in->s.at, "of", 2) == 0) {
        in->s.at += 2;
        if (!scan_integer(&in->s, &of, world + 1, PROBLEM_MAX_WORLD, "the whole world of a subgroup"))
            return false;
    }
    in->p->world = (int)world;
    in->p->of_world = (int)of;
    return true;
}

bool problem_read_group(problem_reader *in)
{
    in->p->group = malloc(PROBLEM_MAX_WORLD * sizeof *in->p->group);
    if (in->p->group == NULL)
        return problem_no_memory(in);
    do {
        const size_t start = in->s.at;
        int64_t member;
        if (!scan_integer(&in->s, &member, 0, PROBLEM_MAX_WORLD - 1, "a member of the group"))
            return false;
        for (size_t i = 0; i < in->group_size; i++)
            if (in->p->group[i] == (int)member)
                return scan_fail(&in->s, start, "rank %d is twice in the group", (int)member);
        in->p->group[in->group_size++] = (int)member; /* distinct and below PROBLEM_MAX_WORLD: it fits */
    } while (scan_char(&in->s, ','));
    return true;
}

bool problem_read_r(problem_reader *in)
{
    return scan_integer(&in->s, &in->p->r, 1, MAX_RANK, "r");
}

bool problem_read_start(problem_reader *in)
{
    return scan_integer(&in->s, &in->p->start, 0, PROBLEM_MAX_STEPS, "s");
}

bool problem_read_steps(problem_reader *in)
{
    return scan_integer(&in->s, &in->p->steps, 1, PROBLEM_MAX_STEPS, "i");
}

bool problem_read_dtype(problem_reader *in) /* the field's start is still unread */
{
    const size_t length = scan_word(&in->s, "/");
    char name[8] = "";
    if (length < sizeof name)
        memcpy(name, in->s.text + in->s.at, length);
    if (dtype_parse(&in->p->dtype, name)) {
        in->s.at += length;
        return true;
    }
    return scan_fail(&in->s, in->s.at, "unknown type '%.*s'", scan_shown(length), in->s.text + in->s.at);
}

bool problem_read_flags(problem_reader *in) /* the field's start is still unread */
{
    problem *p = in->p;
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"ef", &p->error_feedback},
                 {"ws", &p->warm_start},
                 {"bs", &p->same_shape_batching},
                 {"flat", &p->flattened},
                 {"async", &p->async}};
    p->error_feedback = p->warm_start = false;
    if (scan_char(&in->s, '-'))
        return true;
    do {
        const size_t length = scan_word(&in->s, ",/");
        const char *word = in->s.text + in->s.at;
        bool known = false;
        for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
            if (length != strlen(flags[i].name) || memcmp(word, flags[i].name, length) != 0)
                continue;
            if (*flags[i].flag)
                return scan_fail(&in->s, in->s.at, "flag '%s' is given twice", flags[i].name);
            *flags[i].flag = known = true;
        }
        if (!known)
            return scan_fail(&in->s, in->s.at, "unknown flag '%.*s' (ef, ws, bs, flat, async, or - for none)",
                             scan_shown(length), word);
        in->s.at += length;
    } while (scan_char(&in->s, ','));
    return true;
}

bool problem_read_rate(problem_reader *in)
{
    return scan_number(&in->s, &in->p->rate, "rate");
}

bool problem_read_epsilon(problem_reader *in)
{
    if (!scan_number(&in->s, &in->p->epsilon, "eps"))
        return false;
    if (strncmp(in->s.text + in->s.at, "rel", 3) == 0) {
        in->s.at += 3;
        in->p->epsilon_relative = true;
    }
    return true;
}

static bool read_shape(problem_reader *in, problem_bucket *bucket)
{
    size_t dims[PROBLEM_MAX_NDIM], ndim = 0;
    if (strncmp(in->s.text + in->s.at, "scalar", 6) == 0) {
        in->s.at += 6;
    } else {
        do {
            int64_t dim;
            if (ndim == PROBLEM_MAX_NDIM)
                return scan_fail(&in->s, in->s.at, "a tensor has at most %d dimensions", PROBLEM_MAX_NDIM);
            if (!scan_integer(&in->s, &dim, 0, MAX_DIM, "a dimension"))
                return false;
            dims[ndim++] = (size_t)dim;
        } while (scan_char(&in->s, 'x'));
    }
    return bucket_append(bucket, dims, ndim) || problem_no_memory(in);
}

bool problem_read_shapes(problem_reader *in)
{
    problem *p = in->p;
    do {
        if (!buckets_append(&p->buckets, &p->bucket_count))
            return problem_no_memory(in);
        do {
            if (!read_shape(in, &p->buckets[p->bucket_count - 1]))
                return false;
        } while (scan_char(&in->s, ','));
    } while (scan_char(&in->s, ';'));
    return scan_char(&in->s, ']') || scan_fail(&in->s, in->s.at, "expected ',', ';' or ']' after a shape");
}

bool problem_read_shape_set(problem_reader *in)
{
    const size_t length = scan_word(&in->s, "/");
    const char *name = in->s.text + in->s.at;
    const shape_set_result result = shape_set_make(&in->p->buckets, &in->p->bucket_count, name, length);
    if (result == SHAPE_SET_UNKNOWN)
        return scan_fail(&in->s, in->s.at, "unknown shape set '%.*s' (resnet50, gpt2x4, sq4096, tiny200x64)",
                         scan_shown(length), name);
    in->p->shape_set = strndup(name, length);
    if (result != SHAPE_SET_MADE || in->p->shape_set == NULL)
        return problem_no_memory(in);
    in->s.at += length;
    return true;
}

bool problem_read_recording(problem_reader *in)
{
    const size_t length = scan_word(&in->s, "/");
    const char *name = in->s.text + in->s.at;
    if (length == 0 || length > 64)
        return scan_fail(&in->s, in->s.at, "the name of a recording has 1 to 64 characters");
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '-' && name[i] != '_')
            return scan_fail(&in->s, in->s.at + i, "the name of a recording has letters, digits, - and _ only");
    in->p->recording = strndup(name, length);
    if (in->p->recording == NULL)
        return problem_no_memory(in);
    in->s.at += length;
    return true;
}

/* The parameter's defaults for deficient and rank depend on r: they are marked by 0 here and filled in at the end. */
static bool read_gradient_parameter(problem_reader *in, gradient *g, const gradient_kind_name *kind)
{
    int64_t whole = 0;
    const bool given = kind->parameter == PARAMETER_ELEMENT ? scan_char(&in->s, '@')
                       : kind->parameter != PARAMETER_NONE  ? scan_char(&in->s, ':')
                                                            : false;
    const size_t start = in->s.at;
    switch (kind->parameter) {
    case PARAMETER_NONE: return true;
    case PARAMETER_RATIO:
        g->parameter = 0.5;
        if (!given)
            return true;
        if (!scan_number(&in->s, &g->parameter, "the ratio of singular values"))
            return false;
        if (!(g->parameter > 0 && g->parameter <= 1))
            return scan_fail(&in->s, start, "the ratio of singular values must be above 0 and at most 1");
        return true;
    case PARAMETER_RANK:
        if (given && !scan_integer(&in->s, &whole, 1, MAX_RANK, "the rank of the gradients"))
            return false;
        g->parameter = (double)whole;
        return true;
    case PARAMETER_ELEMENT:
        if (given && !scan_integer(&in->s, &whole, 0, MAX_DIM, "the element"))
            return false;
        g->parameter = (double)whole;
        return true;
    }
    return false;
}

static bool read_gradient(problem_reader *in, gradient *g)
{
    const size_t length = scan_word(&in->s, ":@|/");
    const char *word = in->s.text + in->s.at;
    for (size_t i = 0; i < GRADIENT_KIND_COUNT; i++) {
        const gradient_kind_name *kind = gradient_kind_describe(i);
        if (length != strlen(kind->name) || memcmp(word, kind->name, length) != 0)
            continue;
        in->s.at += length;
        *g = (gradient){.kind = (gradient_kind)i};
        return read_gradient_parameter(in, g, kind);
    }
    return scan_fail(&in->s, in->s.at, "unknown kind of gradients '%.*s'", scan_shown(length), word);
}

bool problem_read_gradients(problem_reader *in)
{
    if (strncmp(in->s.text + in->s.at, "rec:", 4) == 0) {
        in->s.at += 4;
        return problem_read_recording(in);
    }
    size_t capacity = 0;
    do {
        if (in->p->gradient_count == capacity) {
            capacity = capacity > 0 ? 2 * capacity : 4;
            gradient *more = realloc(in->p->gradients, capacity * sizeof *more); /* bounded by the length of the text */
            if (more == NULL)
                return problem_no_memory(in);
            in->p->gradients = more;
        }
        if (!read_gradient(in, &in->p->gradients[in->p->gradient_count]))
            return false;
        in->p->gradient_count++;
    } while (scan_char(&in->s, '|'));
    return true;
}

bool problem_read_constant(problem_reader *in)
{
    in->p->constant = true;
    return true;
}

bool problem_read_scale(problem_reader *in)
{
    return scan_integer(&in->s, &in->p->scale, -MAX_SCALE, MAX_SCALE, "scale");
}

bool problem_read_reversed(problem_reader *in)
{
    in->p->reversed = true;
    return true;
}

bool problem_read_seed(problem_reader *in)
{
    return scan_unsigned(&in->s, &in->p->seed, UINT64_MAX, "seed");
}

bool problem_read_random_seed(problem_reader *in)
{
    uint64_t seed;
    if (!scan_unsigned(&in->s, &seed, UINT32_MAX, "rs"))
        return false;
    in->p->random_seed = (uint32_t)seed;
    return true;
}

bool problem_read_statistics(problem_reader *in)
{
    return scan_integer(&in->s, &in->p->statistics_interval, 1, INT32_MAX, "stats");
}

bool problem_read_checkpoint(problem_reader *in)
{
    return scan_integer(&in->s, &in->p->checkpoint, 0, PROBLEM_MAX_STEPS, "ckpt");
}
