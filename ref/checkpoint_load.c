/* checkpoint_load.c: a checkpoint file to a state. Nothing of the file is believed before its checksum is right, and
 * nothing of the state is touched before all of the file has been read and found to fit. */
#include "checkpoint.h"
#include "checkpoint_metadata.h"

#include "core/config.h"
#include "values.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file being read into a state to be. */
typedef struct reading {
    const char *path;
    const psgd_safetensors *file;
    psgd_text values[PSGD_KEY_COUNT]; /* the file's metadata */
    psgd_state *loaded;               /* config and comm of the live state, the rest from the file */
    size_t tensors_read;
    char *message; /* of the live state */
} reading;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static psgd_status
refuse(const reading *r, const char *format, ...)
{
    char reason[PSGD_MESSAGE_SIZE / 2];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return psgd_fail(PSGD_ERR_FORMAT, r->message, PSGD_MESSAGE_SIZE, "%.200s: %s", r->path, reason);
}

static psgd_status out_of_memory(const reading *r)
{
    return psgd_fail(PSGD_ERR_MEMORY, r->message, PSGD_MESSAGE_SIZE, "no memory to load a checkpoint");
}

/* ---- Metadata ---- */

/* Fills r->values and holds the checksum against the content. */
static psgd_status read_metadata(reading *r)
{
    const char *format = psgd_safetensors_metadata(r->file, "format");
    if (!format || strcmp(format, PSGD_CHECKPOINT_FORMAT) != 0) {
        return refuse(r, "format is \"%.40s\", not \"%s\"", format ? format : "", PSGD_CHECKPOINT_FORMAT);
    }
    for (int key = 0; key < PSGD_KEY_COUNT; key++) {
        const char *value = psgd_safetensors_metadata(r->file, psgd_checkpoint_keys[key]);
        if (!value || strlen(value) >= sizeof(psgd_text)) {
            return refuse(r, "metadata %s is missing or too long", psgd_checkpoint_keys[key]);
        }
        snprintf(r->values[key], sizeof(psgd_text), "%s", value);
    }

    size_t count = psgd_safetensors_count(r->file);
    psgd_tensor *tensors = calloc(count > 0 ? count : 1, sizeof *tensors);
    if (!tensors) {
        return out_of_memory(r);
    }
    for (size_t i = 0; i < count; i++) {
        tensors[i] = *psgd_safetensors_at(r->file, i);
    }
    psgd_text stored;
    memcpy(stored, r->values[PSGD_KEY_CHECKSUM], sizeof stored);
    psgd_status status = psgd_checkpoint_checksum(r->values, tensors, count, r->message);
    free(tensors);
    if (status == PSGD_OK && strcmp(stored, r->values[PSGD_KEY_CHECKSUM]) != 0) {
        status = refuse(r, "corrupt: the checksum is %s, the content's is %s", stored, r->values[PSGD_KEY_CHECKSUM]);
    }
    return status;
}

/* Group and configuration must be those of the state that loads. */
static psgd_status compare_fixed(const reading *r)
{
    psgd_text expected[PSGD_KEY_COUNT];
    psgd_checkpoint_describe(expected, r->loaded);
    for (int key = PSGD_KEY_FIRST_FIXED; key < PSGD_KEY_COUNT; key++) {
        if (strcmp(r->values[key], expected[key]) != 0) {
            return refuse(r, "%s is %s in the file, %s in this state", psgd_checkpoint_keys[key], r->values[key],
                          expected[key]);
        }
    }
    return PSGD_OK;
}

static psgd_status read_number(const reading *r, int key, uint64_t *number)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(r->values[key], &end, 10);
    if (r->values[key][0] < '0' || r->values[key][0] > '9' || *end != '\0' || errno != 0) {
        return refuse(r, "metadata %s is \"%s\", not a number", psgd_checkpoint_keys[key], r->values[key]);
    }
    *number = value;
    return PSGD_OK;
}

/* ---- Tensors ---- */

/* The tensor of this name if it has this element and shape ([dim0], or [dim0 dim1] with ndim 2), else null. */
static const psgd_tensor *take(reading *r, const char *name, psgd_element element, size_t ndim, size_t dim0,
                               size_t dim1)
{
    const psgd_tensor *tensor = psgd_safetensors_find(r->file, name);
    if (!tensor || tensor->element != element || tensor->ndim != ndim || tensor->dims[0] != dim0 ||
        (ndim == 2 && tensor->dims[1] != dim1)) {
        refuse(r, "tensor %s is missing, or not of the type and shape it must have", name);
        return NULL;
    }
    r->tensors_read++;
    return tensor;
}

static psgd_status read_seeds(reading *r)
{
    const psgd_tensor *tensor = take(r, "seeds", PSGD_ELEMENT_U32, 1, PSGD_SEED_WORDS, 0);
    if (!tensor) {
        return PSGD_ERR_FORMAT;
    }
    psgd_mt19937 *seeds = &r->loaded->seeds;
    const uint32_t *words = tensor->data;
    memcpy(seeds->word, words, sizeof seeds->word);
    seeds->next = words[PSGD_SEED_WORDS - 1];
    return seeds->next < PSGD_SEED_WORDS ? PSGD_OK : refuse(r, "tensor seeds: position %" PRIu32, seeds->next);
}

/* The layout of a bucket with these n and m: shapes [count 2]. */
static psgd_status read_layout(const reading *r, psgd_bucket_layout *layout, size_t index, uint32_t dtype,
                               const uint64_t *shapes, size_t count)
{
    double anywhere; /* stands for the gradients, which a layout does not look at */
    size_t bytes;
    if (!psgd_size_multiply(count + 1, sizeof(psgd_shape) + 2 * sizeof(size_t), &bytes)) {
        return out_of_memory(r);
    }
    size_t *dims = malloc((count + 1) * 2 * sizeof *dims);
    psgd_shape *matrices = malloc((count + 1) * sizeof *matrices);
    psgd_status status = dims && matrices ? PSGD_OK : out_of_memory(r);
    for (size_t i = 0; status == PSGD_OK && i < 2 * count; i++) {
        dims[i] = (size_t)shapes[i];
        if (dims[i] != shapes[i]) {
            status = refuse(r, "a tensor of bucket %zu is too large", index);
        }
    }
    if (status == PSGD_OK) {
        for (size_t i = 0; i < count; i++) {
            matrices[i] = (psgd_shape){2, dims + 2 * i};
        }
        psgd_bucket bucket = {(uint32_t)sizeof bucket, dtype, index, false, &anywhere, count, matrices};
        char reason[PSGD_MESSAGE_SIZE / 2];
        status = psgd_bucket_layout_make(layout, &bucket, r->loaded->config.matrix_approximation_rank,
                                         r->loaded->config.min_compression_rate, reason, sizeof reason);
        if (status == PSGD_ERR_MEMORY) {
            out_of_memory(r);
        } else if (status != PSGD_OK) {
            status = refuse(r, "bucket %zu: %s", index, reason);
        }
    }
    free(dims);
    free(matrices);
    return status;
}

/* Appends one bucket's memory to the loaded state. */
static psgd_status read_bucket(reading *r, uint64_t index, uint64_t dtype)
{
    const psgd_value_type *type = dtype <= UINT32_MAX ? psgd_value_type_of((uint32_t)dtype) : NULL;
    if (index > SIZE_MAX || !type || psgd_state_find(r->loaded, (size_t)index)) {
        return refuse(r, "bucket %" PRIu64 ": its index is taken, or its dtype %" PRIu64 " is not offered", index,
                      dtype);
    }
    psgd_text name;
    psgd_checkpoint_name(name, "shapes", (size_t)index);
    const psgd_tensor *shapes = psgd_safetensors_find(r->file, name);
    shapes = take(r, name, PSGD_ELEMENT_U64, 2, shapes && shapes->ndim == 2 ? shapes->dims[0] : 0, 2);
    if (!shapes) {
        return PSGD_ERR_FORMAT;
    }
    psgd_bucket_layout layout;
    psgd_status status = read_layout(r, &layout, (size_t)index, type->dtype, shapes->data, shapes->dims[0]);
    if (status != PSGD_OK) {
        return status;
    }

    const struct {
        const char *kind;
        size_t count;
        bool kept;
    } parts[] = {{"p", layout.p_numel, true},
                 {"q", layout.q_numel, true},
                 {"error", layout.numel, r->loaded->config.use_error_feedback}};
    const psgd_tensor *tensors[3] = {0};
    for (int i = 0; i < 3; i++) {
        psgd_checkpoint_name(name, parts[i].kind, (size_t)index);
        if (parts[i].kept) {
            tensors[i] = take(r, name, (psgd_element)type->dtype, 1, parts[i].count, 0);
            if (!tensors[i]) {
                psgd_bucket_layout_free(&layout);
                return PSGD_ERR_FORMAT;
            }
        }
    }
    psgd_bucket_memory *memory = psgd_bucket_memory_new(&layout, r->loaded->config.use_error_feedback);
    if (!memory) {
        psgd_bucket_layout_free(&layout);
        return out_of_memory(r);
    }
    double *places[3] = {memory->p, memory->q, memory->error};
    for (int i = 0; i < 3; i++) {
        if (tensors[i]) {
            type->load(places[i], tensors[i]->data, parts[i].count);
        }
    }
    psgd_state_remember(r->loaded, memory);
    return PSGD_OK;
}

static psgd_status read_buckets(reading *r)
{
    const psgd_tensor *buckets = psgd_safetensors_find(r->file, "buckets");
    buckets = take(r, "buckets", PSGD_ELEMENT_U64, 2, buckets && buckets->ndim == 2 ? buckets->dims[0] : 0, 2);
    if (!buckets) {
        return PSGD_ERR_FORMAT;
    }
    const uint64_t *pairs = buckets->data;
    for (size_t i = 0; i < buckets->dims[0]; i++) {
        psgd_status status = read_bucket(r, pairs[2 * i], pairs[2 * i + 1]);
        if (status != PSGD_OK) {
            return status;
        }
    }
    if (r->tensors_read != psgd_safetensors_count(r->file)) {
        return refuse(r, "%zu tensors, of which %zu belong to a checkpoint", psgd_safetensors_count(r->file),
                      r->tensors_read);
    }
    return PSGD_OK;
}

/* ---- Load ---- */

static psgd_status read_file(reading *r)
{
    psgd_state *loaded = r->loaded;
    psgd_status status = read_metadata(r);
    if (status == PSGD_OK) {
        status = compare_fixed(r);
    }
    if (status == PSGD_OK) {
        status = read_number(r, PSGD_KEY_ITERATION, &loaded->iteration);
    }
    if (status == PSGD_OK) {
        status = read_number(r, PSGD_KEY_NEXT_REPORT, &loaded->next_report);
    }
    if (status == PSGD_OK) {
        status = read_number(r, PSGD_KEY_BEFORE, &loaded->numel_before);
    }
    if (status == PSGD_OK) {
        status = read_number(r, PSGD_KEY_AFTER, &loaded->numel_after);
    }
    if (status == PSGD_OK) {
        status = read_seeds(r);
    }
    if (status == PSGD_OK) {
        status = read_buckets(r);
    }
    return status;
}

psgd_status psgd_checkpoint_load(psgd_state *state, const char *path)
{
    psgd_safetensors *file;
    psgd_status status = psgd_safetensors_open(&file, path, state->message, PSGD_MESSAGE_SIZE);
    if (status != PSGD_OK) {
        return status;
    }
    reading r = {.path = path, .file = file, .message = state->message};
    r.loaded = psgd_state_new(&state->config, &state->comm);
    status = r.loaded ? read_file(&r) : out_of_memory(&r);
    if (status == PSGD_OK) {
        /* The whole state changes hands; what is freed below is the old one. */
        psgd_state old = *state;
        *state = *r.loaded;
        *r.loaded = old;
    }
    psgd_state_free(r.loaded);
    psgd_safetensors_close(file);
    return status;
}
