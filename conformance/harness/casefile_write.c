/* casefile_write.c: writes a case. conformance/FILES.md has the format. */
#include "harness/case_internal.h"
#include "harness/casefile.h"
#include "harness/claims.h"
#include "harness/file_parts.h"
#include "harness/tensor_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_KEYS 16

typedef struct case_texts { /* the metadata's values that must be made */
    char *config, *group, *buckets, claims[256], world[16], steps[24], checkpoint[24], generator[96];
    psgd_metadata metadata[MAX_KEYS];
    size_t count;
} case_texts;

static void add_key(case_texts *texts, const char *key, const char *value)
{
    texts->metadata[texts->count++] = (psgd_metadata){key, value};
}

static bool make_texts(case_texts *t, const test_case *c)
{
    const problem *p = &c->problem;
    t->config = config_to_json(&c->config);
    t->group = group_to_json(p);
    t->buckets = buckets_to_json(p->buckets, p->bucket_count);
    if (t->config == NULL || t->group == NULL || t->buckets == NULL)
        return false;
    claims_print(c->claims, t->claims, sizeof t->claims);
    (void)snprintf(t->world, sizeof t->world, "%d", p->of_world);
    (void)snprintf(t->steps, sizeof t->steps, "%" PRId64, c->steps);
    (void)snprintf(t->checkpoint, sizeof t->checkpoint, "%" PRId64, p->checkpoint);
    if (p->recording != NULL)
        (void)snprintf(t->generator, sizeof t->generator, "recording %s", p->recording);
    else
        (void)snprintf(t->generator, sizeof t->generator, "%s", CASE_GENERATOR);
    add_key(t, "format", CASE_FORMAT);
    add_key(t, "id", c->id);
    add_key(t, "problem", c->problem_text);
    add_key(t, "claims", t->claims);
    add_key(t, "requirements", c->requirements);
    add_key(t, "generator", t->generator);
    add_key(t, "config", t->config);
    add_key(t, "world", t->world);
    if (p->of_world != p->world)
        add_key(t, "group", t->group);
    add_key(t, "steps", t->steps);
    add_key(t, "dtype", dtype_name(c->dtype));
    add_key(t, "buckets", t->buckets);
    if (p->checkpoint >= 0)
        add_key(t, "checkpoint", t->checkpoint);
    return true;
}

static void free_texts(case_texts *t)
{
    free(t->config);
    free(t->group);
    free(t->buckets);
}

static void add_inputs(tensor_list *list, const test_case *c, int64_t step, size_t bucket)
{
    for (int k = 0; k < c->world; k++) {
        char name[TENSOR_NAME_SIZE];
        tensor_name_rank(name, "in", step, bucket, k);
        tensor_list_add(list, name, case_in(c, step, bucket, k), &c->numel[bucket], 1);
    }
}

static bool make_list(tensor_list *list, const test_case *c, bool with_q0)
{
    factor_shape *shapes = factor_shapes(c);
    if (shapes == NULL)
        return false;
    for (int64_t step = 0; step < c->steps; step++)
        for (size_t b = 0, first = 0; b < c->bucket_count; first += c->tensor_counts[b++]) {
            add_inputs(list, c, step, b);
            for (size_t i = 0; with_q0 && i < c->tensor_counts[b]; i++) {
                char name[TENSOR_NAME_SIZE];
                tensor_name_factor(name, "q0", step, b, i);
                const size_t dims[] = {shapes[first + i].m, shapes[first + i].r};
                tensor_list_add(list, name, case_q0(c, step, b, i), dims, 2);
            }
        }
    free(shapes);
    return !list->out_of_memory;
}

/* To memory, or to path where that is given. */
static bool write_case(const test_case *c, bool with_q0, const char *path, void **bytes, size_t *count, char *message,
                       size_t message_size)
{
    tensor_list list = {0};
    case_texts texts = {.count = 0};
    bool ok = (make_texts(&texts, c) && make_list(&list, c, with_q0)) ||
              refuse(message, message_size, "no memory to write case %s", c->id);
    if (ok)
        ok = (path != NULL ? psgd_safetensors_write(path, list.tensors, list.count, texts.metadata, texts.count,
                                                    message, message_size)
                           : psgd_safetensors_serialize(bytes, count, list.tensors, list.count, texts.metadata,
                                                        texts.count, message, message_size)) == PSGD_OK;
    tensor_list_free(&list);
    free_texts(&texts);
    return ok;
}

bool casefile_serialize(const test_case *c, bool with_q0, void **bytes, size_t *count, char *message,
                        size_t message_size)
{
    return write_case(c, with_q0, NULL, bytes, count, message, message_size);
}

bool casefile_write(const test_case *c, const char *folder, bool with_q0, char *message, size_t message_size)
{
    if (!id_is_safe(c->id))
        return refuse(message, message_size, "'%.80s' cannot be the name of a case file", c->id);
    const size_t size = strlen(folder) + strlen(c->id) + sizeof "/.safetensors";
    char *path = malloc(size);
    if (path == NULL)
        return refuse(message, message_size, "no memory to write case %s", c->id);
    (void)snprintf(path, size, "%s/%s.safetensors", folder, c->id);
    const bool ok = write_case(c, with_q0, path, NULL, NULL, message, message_size);
    free(path);
    return ok;
}
