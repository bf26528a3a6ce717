/* shape_sets.c: see shape_sets.h. ResNet-50 as in He et al. 2015 (torchvision's parameter order: convolution, then
 * scale and shift of its batch normalisation), GPT-2's blocks as in Radford et al. 2019.
 */
#include "harness/shape_sets.h"

#include <stdlib.h>
#include <string.h>

void buckets_free(problem_bucket *buckets, size_t bucket_count)
{
    for (size_t b = 0; buckets != NULL && b < bucket_count; b++) {
        for (size_t i = 0; i < buckets[b].tensor_count; i++)
            free((void *)buckets[b].shapes[i].dims);
        free(buckets[b].shapes);
    }
    free(buckets);
}

/* Room for one more element: grown at every power of two. */
static void *grow(void *array, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0) /* not a power of two, so the last growth left room */
        return array;
    if (count > SIZE_MAX / 2 / size)
        return NULL;
    return realloc(array, (count > 0 ? 2 * count : 1) * size);
}

bool bucket_append(problem_bucket *bucket, const size_t *dims, size_t ndim)
{
    psgd_shape *shapes = grow(bucket->shapes, bucket->tensor_count, sizeof *shapes);
    if (shapes == NULL)
        return false;
    bucket->shapes = shapes;
    size_t *copy = malloc((ndim > 0 ? ndim : 1) * sizeof *copy);
    if (copy == NULL)
        return false;
    if (ndim > 0)
        memcpy(copy, dims, ndim * sizeof *copy);
    shapes[bucket->tensor_count++] = (psgd_shape){.ndim = ndim, .dims = copy};
    return true;
}

bool buckets_append(problem_bucket **buckets, size_t *bucket_count)
{
    problem_bucket *more = grow(*buckets, *bucket_count, sizeof *more);
    if (more == NULL)
        return false;
    *buckets = more;
    more[(*bucket_count)++] = (problem_bucket){0};
    return true;
}

static bool add1(problem_bucket *model, size_t a)
{
    return bucket_append(model, &a, 1);
}

static bool add2(problem_bucket *model, size_t a, size_t b)
{
    return bucket_append(model, (const size_t[]){a, b}, 2);
}

/* A convolution of k x k and the two vectors of its batch normalisation. */
static bool add_convolution(problem_bucket *model, size_t out, size_t in, size_t k)
{
    return bucket_append(model, (const size_t[]){out, in, k, k}, 4) && add1(model, out) && add1(model, out);
}

static bool resnet50(problem_bucket *model)
{
    static const size_t widths[] = {64, 128, 256, 512}, blocks[] = {3, 4, 6, 3};
    size_t in = 64;
    bool ok = add_convolution(model, 64, 3, 7);
    for (size_t stage = 0; stage < 4; stage++)
        for (size_t block = 0; block < blocks[stage]; block++) {
            const size_t width = widths[stage];
            ok = ok && add_convolution(model, width, in, 1) && add_convolution(model, width, width, 3) &&
                 add_convolution(model, 4 * width, width, 1);
            if (block == 0) /* the shortcut changes the number of channels */
                ok = ok && add_convolution(model, 4 * width, in, 1);
            in = 4 * width;
        }
    return ok && add2(model, 1000, 2048) && add1(model, 1000);
}

static bool gpt2x4(problem_bucket *model)
{
    const size_t d = 768;
    bool ok = true;
    for (int block = 0; block < 4; block++)
        ok = ok && add1(model, d) && add1(model, d) && add2(model, d, 3 * d) && add1(model, 3 * d) &&
             add2(model, d, d) && add1(model, d) && add1(model, d) && add1(model, d) && add2(model, d, 4 * d) &&
             add1(model, 4 * d) && add2(model, 4 * d, d) && add1(model, d);
    return ok;
}

static bool sq4096(problem_bucket *model)
{
    return add2(model, 4096, 4096);
}

static bool tiny200x64(problem_bucket *model)
{
    bool ok = true;
    for (int i = 0; i < 200; i++)
        ok = ok && add2(model, 64, 64);
    return ok;
}

static bool cut_into_buckets(problem_bucket **buckets, size_t *bucket_count, const problem_bucket *model)
{
    size_t bytes = 0, limit = (size_t)1 << 20;
    bool open = false;
    for (size_t i = model->tensor_count; i-- > 0;) {
        if (!open && !buckets_append(buckets, bucket_count))
            return false;
        open = true;
        const psgd_shape *shape = &model->shapes[i];
        if (!bucket_append(&(*buckets)[*bucket_count - 1], shape->dims, shape->ndim))
            return false;
        size_t numel = 1;
        for (size_t d = 0; d < shape->ndim; d++)
            numel *= shape->dims[d];
        bytes += 4 * numel;
        if (bytes >= limit) {
            open = false;
            bytes = 0;
            limit = (size_t)25 << 20;
        }
    }
    return true;
}

shape_set_result shape_set_make(problem_bucket **buckets, size_t *bucket_count, const char *name, size_t length)
{
    static const struct {
        const char *name;
        bool (*make)(problem_bucket *model);
        bool cut; /* into buckets; else one bucket */
    } sets[] = {{"resnet50", resnet50, true},
                {"gpt2x4", gpt2x4, true},
                {"sq4096", sq4096, false},
                {"tiny200x64", tiny200x64, false}};
    *buckets = NULL;
    *bucket_count = 0;
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        if (strlen(sets[i].name) != length || memcmp(sets[i].name, name, length) != 0)
            continue;
        problem_bucket *model = calloc(1, sizeof *model);
        if (model == NULL)
            return SHAPE_SET_NO_MEMORY;
        bool ok = sets[i].make(model);
        if (ok && !sets[i].cut) {
            *buckets = model;
            *bucket_count = 1;
            return SHAPE_SET_MADE;
        }
        ok = ok && cut_into_buckets(buckets, bucket_count, model);
        buckets_free(model, 1);
        if (ok)
            return SHAPE_SET_MADE;
        buckets_free(*buckets, *bucket_count);
        *buckets = NULL;
        *bucket_count = 0;
        return SHAPE_SET_NO_MEMORY;
    }
    return SHAPE_SET_UNKNOWN;
}
