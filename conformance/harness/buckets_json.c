/* buckets_json.c: shapes of buckets as JSON, the metadata "buckets" of cases and recordings. Refuses everything but
 * buckets in order, the last one marked, with shapes of whole numbers whose products fit.
 */
#include "harness/case_internal.h"
#include "harness/message.h"
#include "harness/shape_sets.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static bool refuse_buckets(char *message, size_t message_size, const char *why)
{
    return refuse(message, message_size, "metadata \"buckets\": %s", why);
}

static bool read_shape(problem_bucket *bucket, const json_t *shape, size_t *total, char *message, size_t message_size)
{
    size_t dims[PROBLEM_MAX_NDIM], numel = 1;
    const size_t ndim = json_array_size(shape);
    if (!json_is_array(shape) || ndim > PROBLEM_MAX_NDIM)
        return refuse_buckets(message, message_size, "a shape is not an array of at most 8 numbers");
    for (size_t d = 0; d < ndim; d++) {
        const json_t *dim = json_array_get(shape, d);
        if (!json_is_integer(dim) || json_integer_value(dim) < 0)
            return refuse_buckets(message, message_size, "a dimension is not a whole number from 0");
        dims[d] = (size_t)json_integer_value(dim);
        /* empty tensors, too, must not overflow in the product of their other dimensions */
        if (dims[d] > PROBLEM_MAX_NUMEL || (dims[d] != 0 && numel > PROBLEM_MAX_NUMEL / dims[d]))
            return refuse_buckets(message, message_size, "a shape has more than 2^48 elements");
        numel *= dims[d] != 0 ? dims[d] : 1;
    }
    if (numel > PROBLEM_MAX_NUMEL - *total)
        return refuse_buckets(message, message_size, "the shapes have more than 2^48 elements");
    *total += numel;
    return bucket_append(bucket, dims, ndim) || refuse_buckets(message, message_size, "no memory");
}

static bool read_bucket(problem_bucket *bucket, const json_t *object, size_t index, bool is_last, size_t *total,
                        char *message, size_t message_size)
{
    const json_t *number = json_object_get(object, "index"), *last = json_object_get(object, "is_last");
    const json_t *shapes = json_object_get(object, "shapes");
    if (!json_is_integer(number) || json_integer_value(number) != (json_int_t)index)
        return refuse_buckets(message, message_size, "buckets are not numbered from 0 in order");
    if (!json_is_boolean(last) || json_is_true(last) != is_last)
        return refuse_buckets(message, message_size, "is_last is not true for the last bucket alone");
    if (!json_is_array(shapes) || json_array_size(shapes) == 0)
        return refuse_buckets(message, message_size, "a bucket has no shapes");
    for (size_t i = 0; i < json_array_size(shapes); i++)
        if (!read_shape(bucket, json_array_get(shapes, i), total, message, message_size))
            return false;
    return true;
}

bool buckets_from_json(problem_bucket **buckets, size_t *bucket_count, const char *text, char *message,
                       size_t message_size)
{
    *buckets = NULL;
    *bucket_count = 0;
    json_t *array = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const size_t count = json_array_size(array);
    size_t total = 0;
    bool ok = count > 0 || refuse_buckets(message, message_size, "not a JSON array of buckets");
    for (size_t b = 0; ok && b < count; b++)
        ok = (buckets_append(buckets, bucket_count) || refuse_buckets(message, message_size, "no memory")) &&
             read_bucket(&(*buckets)[b], json_array_get(array, b), b, b + 1 == count, &total, message, message_size);
    json_decref(array);
    if (!ok) {
        buckets_free(*buckets, *bucket_count);
        *buckets = NULL;
        *bucket_count = 0;
    }
    return ok;
}

char *buckets_to_json(const problem_bucket *buckets, size_t bucket_count)
{
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (f == NULL)
        return NULL;
    for (size_t b = 0; b < bucket_count; b++) {
        (void)fprintf(f, "%s{\"index\": %zu, \"is_last\": %s, \"shapes\": [", b > 0 ? ", " : "[", b,
                      b + 1 == bucket_count ? "true" : "false");
        for (size_t i = 0; i < buckets[b].tensor_count; i++) {
            const psgd_shape *shape = &buckets[b].shapes[i];
            (void)fprintf(f, "%s[", i > 0 ? ", " : "");
            for (size_t d = 0; d < shape->ndim; d++)
                (void)fprintf(f, "%s%zu", d > 0 ? ", " : "", shape->dims[d]);
            (void)fputc(']', f);
        }
        (void)fputs("]}", f);
    }
    (void)fputc(']', f);
    const bool failed = ferror(f) != 0;
    if (fclose(f) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
