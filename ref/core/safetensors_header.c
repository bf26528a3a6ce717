/* safetensors_header.c: the JSON header of a safetensors file, held against every rule of the format.
 *
 * It takes the header's text and the number of bytes that follow it, and touches neither files nor tensor data. Called
 * from safetensors.c.
 */
#include "core/safetensors_header.h"

#include "core/config.h"
#include "core/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char metadata_name[] = "__metadata__";

/* What the checks need beside what they check. */
typedef struct context {
    size_t data_size;
    char *message;
    size_t message_size;
} context;

/* The header must begin with { and end with } and spaces: other white space around is legal JSON, but not of this
 * format. */
static psgd_status parse_json(json_t **json, const char *text, size_t size, const context *c)
{
    size_t end = size;
    while (end > 0 && text[end - 1] == ' ') {
        end--;
    }
    if (end == 0 || text[0] != '{' || text[end - 1] != '}') {
        return psgd_fail(PSGD_ERR_FORMAT, c->message, c->message_size,
                         "header is not a JSON object from its first byte on, padded with spaces");
    }
    json_error_t error;
    *json = json_loadb(text, end, JSON_REJECT_DUPLICATES, &error);
    if (!*json) {
        const bool memory = json_error_code(&error) == json_error_out_of_memory;
        return psgd_fail(memory ? PSGD_ERR_MEMORY : PSGD_ERR_FORMAT, c->message, c->message_size,
                         "header is not valid JSON: %s, at byte %d", error.text, error.position);
    }
    return PSGD_OK;
}

static psgd_status check_metadata(json_t *metadata, const context *c)
{
    if (!json_is_object(metadata)) {
        return psgd_fail(PSGD_ERR_FORMAT, c->message, c->message_size, "%s is not an object", metadata_name);
    }
    const char *key;
    json_t *value;
    json_object_foreach(metadata, key, value)
    {
        if (!json_is_string(value)) {
            return psgd_fail(PSGD_ERR_FORMAT, c->message, c->message_size, "%s: value of '%.80s' is not a string",
                             metadata_name, key);
        }
    }
    return PSGD_OK;
}

/* ---- one tensor's entry ---- */

/* A tensor and the bytes that the header gives it. */
typedef struct entry {
    psgd_tensor tensor;
    size_t begin, end; /* from the end of the header */
    size_t position;   /* in the header: the order of empty tensors at the same place */
} entry;

static bool read_size(size_t *size, const json_t *value)
{
    if (!json_is_integer(value)) {
        return false;
    }
    const json_int_t integer = json_integer_value(value);
    if (integer < 0 || (uint64_t)integer > SIZE_MAX) {
        return false;
    }
    *size = (size_t)integer;
    return true;
}

static psgd_status read_element(psgd_element *element, const char *name, const json_t *dtype, const context *c)
{
    if (!json_is_string(dtype)) {
        return psgd_fail(PSGD_ERR_FORMAT, c->message, c->message_size, "tensor '%.80s': dtype is not a string", name);
    }
    if (psgd_element_from_name(element, json_string_value(dtype))) {
        return PSGD_OK;
    }
    return psgd_fail(PSGD_ERR_FORMAT, c->message, c->message_size, "tensor '%.80s': dtype '%.20s' is not known", name,
                     json_string_value(dtype));
}

/* Dimensions and their product times the element's size. */
static psgd_status read_shape(psgd_tensor *t, const json_t *shape, const context *c)
{
    if (!json_is_array(shape)) {
        return psgd_fail(PSGD_ERR_FORMAT, c->message, c->message_size, "tensor '%.80s': shape is not an array",
                         t->name);
    }
    t->ndim = json_array_size(shape);
    if (t->ndim > PSGD_SAFETENSORS_MAX_NDIM) {
        return psgd_fail(PSGD_ERR_FORMAT, c->message, c->message_size,
                         "tensor '%.80s': %zu dimensions, at most %d are read", t->name, t->ndim,
                         PSGD_SAFETENSORS_MAX_NDIM);
    }
    t->bytes = psgd_element_size(t->element);
    for (size_t d = 0; d < t->ndim; d++) {
        if (!read_size(&t->dims[d], json_array_get(shape, d))) {
            return psgd_fail(PSGD_ERR_FORMAT, c->message, c->message_size, "tensor '%.80s': shape[%zu] is not a size",
                             t->name, d);
        }
        if (!psgd_size_multiply(t->bytes, t->dims[d], &t->bytes)) {
            return psgd_fail(PSGD_ERR_FORMAT, c->message, c->message_size,
                             "tensor '%.80s': shape overflows the memory's size", t->name);
        }
    }
    return PSGD_OK;
}

static psgd_status read_entry(entry *e, const char *name, const json_t *value, const context *c)
{
    const json_t *dtype = json_object_get(value, "dtype"), *shape = json_object_get(value, "shape");
    const json_t *offsets = json_object_get(value, "data_offsets");
    if (!dtype || !shape || !offsets || json_object_size(value) != 3) {
        return psgd_fail(PSGD_ERR_FORMAT, c->message, c->message_size,
                         "tensor '%.80s' is not an object of just dtype, shape and data_offsets", name);
    }
    e->tensor.name = name;
    psgd_status status = read_element(&e->tensor.element, name, dtype, c);
    if (status == PSGD_OK) {
        status = read_shape(&e->tensor, shape, c);
    }
    if (status != PSGD_OK) {
        return status;
    }
    if (!json_is_array(offsets) || json_array_size(offsets) != 2 || !read_size(&e->begin, json_array_get(offsets, 0)) ||
        !read_size(&e->end, json_array_get(offsets, 1))) {
        return psgd_fail(PSGD_ERR_FORMAT, c->message, c->message_size,
                         "tensor '%.80s': data_offsets is not an array of two sizes", name);
    }
    if (e->begin > e->end || e->end > c->data_size) {
        return psgd_fail(PSGD_ERR_FORMAT, c->message, c->message_size,
                         "tensor '%.80s': data_offsets [%zu, %zu] do not lie within the file's %zu bytes of data", name,
                         e->begin, e->end, c->data_size);
    }
    if (e->end - e->begin != e->tensor.bytes) {
        return psgd_fail(PSGD_ERR_FORMAT, c->message, c->message_size,
                         "tensor '%.80s': shape needs %zu bytes, data_offsets give %zu", name, e->tensor.bytes,
                         e->end - e->begin);
    }
    return PSGD_OK;
}

/* ---- all entries: they must tile the data ---- */

static int compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

static int compare_entries(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    const int by_begin = compare_sizes(a->begin, b->begin), by_end = compare_sizes(a->end, b->end);
    return by_begin != 0 ? by_begin : by_end != 0 ? by_end : compare_sizes(a->position, b->position);
}

static psgd_status check_tiling(const entry *sorted, size_t count, const context *c)
{
    size_t covered = 0;
    for (size_t i = 0; i < count; i++) {
        if (sorted[i].begin != covered) {
            return psgd_fail(PSGD_ERR_FORMAT, c->message, c->message_size,
                             "tensor '%.80s' begins at byte %zu of the data, the one before ends at %zu: %s",
                             sorted[i].tensor.name, sorted[i].begin, covered,
                             sorted[i].begin > covered ? "a hole" : "an overlap");
        }
        covered = sorted[i].end;
    }
    if (covered != c->data_size) {
        return psgd_fail(PSGD_ERR_FORMAT, c->message, c->message_size, "%zu trailing bytes after the last tensor",
                         c->data_size - covered);
    }
    return PSGD_OK;
}

/* Fills entries[count] from the header, sorted by place. */
static psgd_status read_entries(entry *entries, json_t *json, const context *c)
{
    size_t count = 0;
    const char *name;
    json_t *value;
    json_object_foreach(json, name, value)
    {
        if (strcmp(name, metadata_name) == 0) {
            continue;
        }
        const psgd_status status = read_entry(&entries[count], name, value, c);
        if (status != PSGD_OK) {
            return status;
        }
        entries[count].position = count;
        count++;
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    return check_tiling(entries, count, c);
}

/* ---- a header ---- */

static psgd_status read_tensors(psgd_safetensors_header *header, const context *c)
{
    header->count = json_object_size(header->json) - (header->metadata ? 1 : 0);
    const size_t at_least_one = header->count > 0 ? header->count : 1;
    header->tensors = calloc(at_least_one, sizeof *header->tensors);
    entry *entries = calloc(at_least_one, sizeof *entries);
    psgd_status status;
    if (!header->tensors || !entries) {
        status = psgd_fail(PSGD_ERR_MEMORY, c->message, c->message_size, "no memory for %zu tensors", header->count);
    } else {
        status = read_entries(entries, header->json, c);
        for (size_t i = 0; status == PSGD_OK && i < header->count; i++) {
            header->tensors[i] = entries[i].tensor;
        }
    }
    free(entries);
    return status;
}

psgd_status psgd_safetensors_header_parse(psgd_safetensors_header *header, const char *text, size_t size,
                                          size_t data_size, char *message, size_t message_size)
{
    const context c = {.data_size = data_size, .message = message, .message_size = message_size};
    psgd_safetensors_header parsed = {0};
    psgd_status status = parse_json(&parsed.json, text, size, &c);
    if (status == PSGD_OK) {
        parsed.metadata = json_object_get(parsed.json, metadata_name);
        status = parsed.metadata ? check_metadata(parsed.metadata, &c) : PSGD_OK;
    }
    if (status == PSGD_OK) {
        status = read_tensors(&parsed, &c);
    }
    if (status != PSGD_OK) {
        psgd_safetensors_header_free(&parsed);
    }
    *header = parsed;
    return status;
}

void psgd_safetensors_header_free(psgd_safetensors_header *header)
{
    json_decref(header->json);
    free(header->tensors);
    *header = (psgd_safetensors_header){0};
}
