/* checkpoint_read.c: a file to a checkpoint. Nothing of the file is believed before its checksum is right, and nothing
 * is handed out before all of the file has been read and found to fit. */
#include "core/checkpoint_metadata.h"
#include "core/config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASON_SIZE = 256 };

/* A file being read into a checkpoint to be. */
typedef struct reading {
    const char *path;
    const psgd_safetensors *file;
    psgd_text values[PSGD_KEY_COUNT]; /* the file's metadata */
    psgd_checkpoint loaded;           /* config, rank and size of the loader, the rest from the file */
    size_t tensors_read;
    char *message; /* the loader's, may be null */
    size_t message_size;
} reading;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static psgd_status
refuse(const reading *r, const char *format, ...)
{
    char reason[REASON_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    (void)psgd_fail(PSGD_ERR_FORMAT, r->message, r->message_size, "%.200s: %s", r->path, reason);
    return PSGD_ERR_FORMAT;
}

static psgd_status out_of_memory(const reading *r)
{
    (void)psgd_fail(PSGD_ERR_MEMORY, r->message, r->message_size, "no memory to load a checkpoint");
    return PSGD_ERR_MEMORY;
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
    /* The checksum, taken over what a writer would write, does not see another key. */
    const size_t key_count = psgd_safetensors_metadata_count(r->file);
    if (key_count != PSGD_KEY_COUNT) {
        return refuse(r, "%zu metadata keys, of which %d belong to a checkpoint", key_count, (int)PSGD_KEY_COUNT);
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
    psgd_status status = psgd_checkpoint_checksum(r->values, tensors, count, r->message, r->message_size);
    free(tensors);
    if (status == PSGD_OK && strcmp(stored, r->values[PSGD_KEY_CHECKSUM]) != 0) {
        status = refuse(r, "corrupt: the checksum is %s, the content's is %s", stored, r->values[PSGD_KEY_CHECKSUM]);
    }
    return status;
}

/* Group and configuration must be the loader's. */
static psgd_status compare_fixed(const reading *r)
{
    psgd_text expected[PSGD_KEY_COUNT];
    psgd_checkpoint_describe(expected, &r->loaded);
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
    psgd_mt19937 *seeds = &r->loaded.seeds;
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
        char reason[REASON_SIZE];
        const psgd_config *config = &r->loaded.config;
        status = psgd_bucket_layout_make(layout, &bucket, config->matrix_approximation_rank,
                                         config->min_compression_rate, reason, sizeof reason);
        if (status == PSGD_OK && config->variant == PSGD_FLATTENED) {
            status = psgd_bucket_layout_flatten(layout, config->matrix_approximation_rank, reason, sizeof reason);
            if (status != PSGD_OK) {
                psgd_bucket_layout_free(layout);
            }
        }
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

static bool is_taken(const reading *r, uint64_t index)
{
    for (size_t i = 0; i < r->loaded.bucket_count; i++) {
        if (r->loaded.buckets[i].layout.index == index) {
            return true;
        }
    }
    return false;
}

/* Appends one bucket to those loaded; there is room for it. */
static psgd_status read_bucket(reading *r, uint64_t index, uint64_t dtype)
{
    if (index > SIZE_MAX || dtype > UINT32_MAX || psgd_dtype_size((uint32_t)dtype) == 0 || is_taken(r, index)) {
        return refuse(r, "bucket %" PRIu64 ": its index is taken, or its dtype %" PRIu64 " is unknown", index, dtype);
    }
    psgd_text name;
    psgd_checkpoint_name(name, "shapes", (size_t)index);
    const psgd_tensor *shapes = psgd_safetensors_find(r->file, name);
    shapes = take(r, name, PSGD_ELEMENT_U64, 2, shapes && shapes->ndim == 2 ? shapes->dims[0] : 0, 2);
    if (!shapes) {
        return PSGD_ERR_FORMAT;
    }
    psgd_checkpoint_bucket *bucket = &r->loaded.buckets[r->loaded.bucket_count];
    psgd_bucket_layout *layout = &bucket->layout;
    psgd_status status = read_layout(r, layout, (size_t)index, (uint32_t)dtype, shapes->data, shapes->dims[0]);
    if (status != PSGD_OK) {
        return status;
    }
    r->loaded.bucket_count++; /* from here on it is freed with the others */

    const struct {
        const char *kind;
        size_t count;
        const void **data;
    } parts[] = {{"p", layout->p_numel, &bucket->p},
                 {"q", layout->q_numel, &bucket->q},
                 {"error", layout->error_numel, &bucket->error}};
    const int part_count = r->loaded.config.use_error_feedback ? 3 : 2;
    for (int i = 0; i < part_count; i++) {
        psgd_checkpoint_name(name, parts[i].kind, (size_t)index);
        const psgd_tensor *tensor = take(r, name, (psgd_element)dtype, 1, parts[i].count, 0);
        if (!tensor) {
            return PSGD_ERR_FORMAT;
        }
        *parts[i].data = tensor->data;
    }
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
    const size_t count = buckets->dims[0];
    r->loaded.buckets = calloc(count > 0 ? count : 1, sizeof *r->loaded.buckets);
    if (!r->loaded.buckets) {
        return out_of_memory(r);
    }
    for (size_t i = 0; i < count; i++) {
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

/* ---- The file ---- */

static psgd_status read_file(reading *r)
{
    const struct {
        int key;
        uint64_t *number;
    } numbers[] = {
        {PSGD_KEY_ITERATION, &r->loaded.iteration},
        {PSGD_KEY_NEXT_REPORT, &r->loaded.next_report},
        {PSGD_KEY_BEFORE, &r->loaded.numel_before},
        {PSGD_KEY_AFTER, &r->loaded.numel_after},
    };
    psgd_status status = read_metadata(r);
    if (status == PSGD_OK) {
        status = compare_fixed(r);
    }
    for (size_t i = 0; status == PSGD_OK && i < sizeof numbers / sizeof numbers[0]; i++) {
        status = read_number(r, numbers[i].key, numbers[i].number);
    }
    if (status == PSGD_OK) {
        status = read_seeds(r);
    }
    if (status == PSGD_OK) {
        status = read_buckets(r);
    }
    return status;
}

psgd_status psgd_checkpoint_read(psgd_checkpoint *checkpoint, const char *path, char *message, size_t message_size)
{
    psgd_safetensors *file;
    psgd_status status = psgd_safetensors_open(&file, path, message, message_size);
    if (status != PSGD_OK) {
        return status;
    }
    reading r = {.path = path, .file = file, .message = message, .message_size = message_size};
    r.loaded.config = checkpoint->config;
    r.loaded.rank = checkpoint->rank;
    r.loaded.size = checkpoint->size;
    r.loaded.file = file;
    status = read_file(&r);
    if (status == PSGD_OK) {
        *checkpoint = r.loaded;
    } else {
        psgd_checkpoint_free(&r.loaded);
    }
    return status;
}

void psgd_checkpoint_free(psgd_checkpoint *checkpoint)
{
    for (size_t i = 0; i < checkpoint->bucket_count; i++) {
        psgd_bucket_layout_free(&checkpoint->buckets[i].layout);
    }
    free(checkpoint->buckets);
    psgd_safetensors_close(checkpoint->file);
    checkpoint->bucket_count = 0;
    checkpoint->buckets = NULL;
    checkpoint->file = NULL;
}
