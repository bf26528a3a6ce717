/* files_case.c: reads a case. Its metadata are strings, some of them JSON; tensors stay where the file has them. */
#include "files_port.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define ENDING ".safetensors"

static bool complain(char *message, const char *what, const char *why)
{
    (void)snprintf(message, TEXT, "%s: %s", what, why);
    return false;
}

/* ---- the folder ---- */

/* ID.safetensors, but neither ID.result.safetensors nor ID.result.k0.safetensors. */
static int is_case(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name), ending = sizeof ENDING - 1;
    return length > ending && strcmp(entry->d_name + length - ending, ENDING) == 0 &&
           strstr(entry->d_name, ".result.") == NULL;
}

bool file_cases_list(char ***ids, size_t *count, const char *folder, char *message)
{
    struct dirent **entries = NULL;
    *count = 0;
    const int found = scandir(folder, &entries, is_case, alphasort);
    *ids = found >= 0 ? calloc((size_t)found + 1, sizeof **ids) : NULL;
    bool ok = *ids != NULL || complain(message, folder, strerror(errno));
    for (int i = 0; i < found; i++) {
        if (ok)
            ok = ((*ids)[i] = strdup(entries[i]->d_name)) != NULL || complain(message, folder, "no memory");
        if (ok)
            (*ids)[(*count)++][strlen(entries[i]->d_name) - strlen(ENDING)] = '\0';
        free(entries[i]);
    }
    free(entries);
    return ok;
}

/* ---- metadata ---- */

static const struct {
    const char *name;
    uint64_t bit;
} claim_names[] = {{"core", PSGD_CLAIM_CORE},         {"ef", PSGD_CLAIM_ERROR_FEEDBACK},
                   {"warm", PSGD_CLAIM_WARM_START},   {"torch", PSGD_CLAIM_TORCH},
                   {"flat", PSGD_CLAIM_FLATTENED},    {"multirank", PSGD_CLAIM_MULTIRANK},
                   {"subgroup", PSGD_CLAIM_SUBGROUP}, {"checkpoint", PSGD_CLAIM_CHECKPOINT},
                   {"f64", PSGD_CLAIM_F64},           {"f16", PSGD_CLAIM_F16},
                   {"bf16", PSGD_CLAIM_BF16},         {"determinism", PSGD_CLAIM_DETERMINISM},
                   {"async", PSGD_CLAIM_ASYNC},       {"alternating", PSGD_CLAIM_ALTERNATING}};
#define CLAIMS (sizeof claim_names / sizeof claim_names[0])

uint64_t claims_read(const char *text, bool *known)
{
    uint64_t claims = 0;
    *known = true;
    for (; *text != '\0'; text += strspn(text, " ")) {
        const size_t length = strcspn(text, " ");
        size_t i = 0;
        while (i < CLAIMS && (strlen(claim_names[i].name) != length || strncmp(claim_names[i].name, text, length) != 0))
            i++;
        claims |= i < CLAIMS ? claim_names[i].bit : 0;
        *known = *known && i < CLAIMS;
        text += length;
    }
    return claims;
}

void claims_write(char text[TEXT], uint64_t claims)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < CLAIMS; i++)
        if ((claims & claim_names[i].bit) != 0)
            used += (size_t)snprintf(text + used, TEXT - used, "%s%s", used > 0 ? " " : "", claim_names[i].name);
}

static bool read_config(psgd_config *c, const char *text)
{
    const char *variant;
    json_int_t seed;
    int feedback, warm, batch;
    json_int_t rank, start, interval;
    json_t *object = json_loads(text, 0, NULL);
    *c = psgd_config_default();
    const bool ok = json_unpack(object, "{s:s, s:I, s:I, s:F, s:F, s:b, s:b, s:b, s:I, s:I}", "variant", &variant,
                                "matrix_approximation_rank", &rank, "start_iter", &start, "min_compression_rate",
                                &c->min_compression_rate, "orthogonalization_epsilon", &c->orthogonalization_epsilon,
                                "use_error_feedback", &feedback, "warm_start", &warm, "batch_tensors_with_same_shape",
                                &batch, "random_seed", &seed, "compression_stats_logging_frequency", &interval) == 0 &&
                    rank > 0 && start >= 0;
    if (ok) {
        c->variant = strcmp(variant, "flattened") == 0 ? PSGD_FLATTENED : PSGD_LAYERWISE;
        c->matrix_approximation_rank = rank;
        c->start_iter = start;
        c->use_error_feedback = feedback != 0;
        c->warm_start = warm != 0;
        c->batch_tensors_with_same_shape = batch != 0;
        c->random_seed = (uint32_t)seed;
        c->compression_stats_logging_frequency = interval;
    }
    json_decref(object);
    return ok;
}

static bool read_shape(psgd_shape *shape, const json_t *dims)
{
    size_t *made = calloc(json_array_size(dims) + 1, sizeof *made);
    *shape = (psgd_shape){.ndim = json_array_size(dims), .dims = made};
    bool ok = made != NULL && json_is_array(dims);
    for (size_t d = 0; ok && d < shape->ndim; d++) {
        made[d] = (size_t)json_integer_value(json_array_get(dims, d));
        ok = json_integer_value(json_array_get(dims, d)) >= 0;
    }
    return ok;
}

static bool read_bucket(psgd_bucket *b, psgd_dtype dtype, json_t *object)
{
    json_int_t index;
    int is_last;
    json_t *list;
    if (json_unpack(object, "{s:I, s:b, s:o}", "index", &index, "is_last", &is_last, "shapes", &list) != 0)
        return false;
    psgd_shape *shapes = calloc(json_array_size(list) + 1, sizeof *shapes);
    *b = (psgd_bucket){.struct_size = sizeof *b,
                       .dtype = dtype,
                       .index = (size_t)index,
                       .is_last = is_last != 0,
                       .tensor_count = shapes != NULL ? json_array_size(list) : 0,
                       .shapes = shapes};
    bool ok = shapes != NULL;
    for (size_t i = 0; ok && i < b->tensor_count; i++)
        ok = read_shape(&shapes[i], json_array_get(list, i));
    return ok;
}

static bool read_buckets(file_case *c, const char *text)
{
    json_t *array = json_loads(text, 0, NULL);
    const size_t count = json_array_size(array);
    c->buckets = calloc(count + 1, sizeof *c->buckets);
    bool ok = count > 0 && c->buckets != NULL;
    while (ok && c->bucket_count < count) {
        ok = read_bucket(&c->buckets[c->bucket_count], c->dtype, json_array_get(array, c->bucket_count));
        c->bucket_count++;
    }
    json_decref(array);
    return ok;
}

static psgd_dtype dtype_read(const char *text)
{
    return strcmp(text, "f64") == 0    ? PSGD_F64
           : strcmp(text, "f16") == 0  ? PSGD_F16
           : strcmp(text, "bf16") == 0 ? PSGD_BF16
                                       : PSGD_F32;
}

static bool read_number(int64_t *number, const char *text)
{
    char *end;
    *number = strtoll(text, &end, 10);
    return end != text && *end == '\0';
}

static bool read_metadata(file_case *c, uint64_t claims, char *message)
{
    static const char *const keys[] = {"format", "id", "claims", "config", "world", "steps", "dtype", "buckets"};
    const char *value[8];
    for (size_t i = 0; i < 8; i++)
        if ((value[i] = psgd_safetensors_metadata(c->file, keys[i])) == NULL)
            return complain(message, keys[i], "this key of the metadata is missing");
    if (strcmp(value[0], "psgd-case/1") != 0)
        return complain(message, value[0], "not the format psgd-case/1");
    bool known;
    const uint64_t needed = claims_read(value[2], &known);
    if ((claims & PSGD_CLAIM_ALTERNATING) !=
        0) /* starts from the step before by its nature, and does not call it that */
        claims |= PSGD_CLAIM_WARM_START;
    c->id = value[1];
    c->wanted = known && (needed & ~claims) == 0;
    c->dtype = dtype_read(value[6]);
    const char *group = psgd_safetensors_metadata(c->file, "group");
    const char *checkpoint = psgd_safetensors_metadata(c->file, "checkpoint");
    int64_t world = 0;
    const bool numbers = read_number(&world, value[4]) && read_number(&c->steps, value[5]) &&
                         read_number(&c->checkpoint, checkpoint != NULL ? checkpoint : "-1");
    c->world = world > 0 && world < 10000 ? (int)world : 0;
    if (group != NULL) { /* who the members are in a larger world does not matter to them */
        json_t *members = json_loads(group, 0, NULL);
        c->world = (int)json_array_size(members);
        json_decref(members);
    }
    if (!numbers || c->world < 1 || c->steps < 0 || !read_config(&c->config, value[3]) || !read_buckets(c, value[7]))
        return complain(message, c->id, "world, group, steps, checkpoint, config or buckets cannot be read");
    return true;
}

bool file_case_open(file_case *c, const char *folder, const char *id, uint64_t claims, char *message)
{
    *c = (file_case){0};
    const size_t size = strlen(folder) + strlen(id) + sizeof "/" ENDING;
    char *path = malloc(size);
    if (path == NULL)
        return complain(message, id, "no memory");
    (void)snprintf(path, size, "%s/%s" ENDING, folder, id);
    const bool ok = psgd_safetensors_open(&c->file, path, message, TEXT) == PSGD_OK;
    free(path);
    return ok && read_metadata(c, claims, message);
}

void file_case_close(file_case *c)
{
    for (size_t b = 0; b < c->bucket_count; b++) {
        for (size_t i = 0; i < c->buckets[b].tensor_count; i++)
            free((void *)c->buckets[b].shapes[i].dims);
        free((void *)c->buckets[b].shapes);
    }
    free(c->buckets);
    psgd_safetensors_close(c->file);
    *c = (file_case){0};
}

/* ---- sizes ---- */

size_t file_case_numel(const psgd_bucket *bucket)
{
    size_t sum = 0;
    for (size_t i = 0; i < bucket->tensor_count; i++) {
        size_t product = 1;
        for (size_t d = 0; d < bucket->shapes[i].ndim; d++)
            product *= bucket->shapes[i].dims[d];
        sum += product;
    }
    return sum;
}

file_matrix file_case_matrix(const file_case *c, size_t bucket, size_t tensor)
{
    const psgd_bucket *b = &c->buckets[bucket];
    const size_t rank = (size_t)c->config.matrix_approximation_rank;
    file_matrix matrix = {.n = 1, .m = 1, .r = rank};
    if (c->config.variant == PSGD_FLATTENED) { /* the smallest square that holds the bucket */
        while (matrix.n * matrix.n < file_case_numel(b))
            matrix.n++;
        matrix.m = matrix.n;
        return matrix;
    }
    const psgd_shape *shape = &b->shapes[tensor];
    for (size_t d = 0; d < shape->ndim; d++)
        *(d == 0 ? &matrix.n : &matrix.m) *= shape->dims[d];
    matrix.r = matrix.n < matrix.r ? matrix.n : matrix.r;
    matrix.r = matrix.m < matrix.r ? matrix.m : matrix.r;
    return matrix;
}
