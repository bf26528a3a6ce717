/* safetensors.c: the reader. It trusts nothing in the file.
 *
 * The order of work bounds what a hostile file can cost: the header's length is held against the file's before any of
 * it is read, and all tensors are checked to tile the file (safetensors_header.c) before memory for their bytes is
 * taken. Those bytes are then read once, in file order, each tensor to an address that is a multiple of 8. Writing:
 * safetensors_write.c.
 */
#include "core/safetensors.h"

#include "core/config.h"
#include "core/layout.h"
#include "core/safetensors_header.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { length_bytes = 8, alignment = 8 };

struct psgd_safetensors {
    psgd_safetensors_header header;
    const psgd_tensor **by_name; /* [header.count], sorted for psgd_safetensors_find */
    unsigned char *data;         /* all tensors' bytes */
};

/* ---- element types ---- */

static const struct {
    psgd_element element;
    size_t size;
    const char *name;
} elements[] = {
    {PSGD_ELEMENT_F32, 4, "F32"},   {PSGD_ELEMENT_F64, 8, "F64"}, {PSGD_ELEMENT_F16, 2, "F16"},
    {PSGD_ELEMENT_BF16, 2, "BF16"}, {PSGD_ELEMENT_U8, 1, "U8"},   {PSGD_ELEMENT_U32, 4, "U32"},
    {PSGD_ELEMENT_I32, 4, "I32"},   {PSGD_ELEMENT_U64, 8, "U64"}, {PSGD_ELEMENT_I64, 8, "I64"},
};
enum { element_count = sizeof elements / sizeof elements[0] };

size_t psgd_element_size(psgd_element element)
{
    for (size_t i = 0; i < element_count; i++) {
        if (elements[i].element == element) {
            return elements[i].size;
        }
    }
    return 0;
}

const char *psgd_element_name(psgd_element element)
{
    for (size_t i = 0; i < element_count; i++) {
        if (elements[i].element == element) {
            return elements[i].name;
        }
    }
    return "unknown";
}

bool psgd_element_from_name(psgd_element *element, const char *name)
{
    for (size_t i = 0; i < element_count; i++) {
        if (strcmp(elements[i].name, name) == 0) {
            *element = elements[i].element;
            return true;
        }
    }
    return false;
}

bool psgd_host_is_little_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* ---- where bytes come from: memory, or a file ---- */

typedef struct source {
    const unsigned char *bytes; /* null: the stream */
    FILE *stream;
    size_t left;
    char *message;
    size_t message_size;
} source;

/* Moves count bytes, of which there must be as many left, to to[count]. */
static psgd_status take(source *from, void *to, size_t count)
{
    if (from->bytes) {
        memcpy(to, from->bytes, count);
        from->bytes += count;
    } else if (fread(to, 1, count, from->stream) != count) {
        return psgd_fail(PSGD_ERR_IO, from->message, from->message_size,
                         "reading failed, or the file was cut short meanwhile");
    }
    from->left -= count;
    return PSGD_OK;
}

/* ---- the header ---- */

static psgd_status read_header(psgd_safetensors_header *header, source *from)
{
    if (from->left < length_bytes) {
        return psgd_fail(PSGD_ERR_FORMAT, from->message, from->message_size,
                         "truncated: %zu bytes, not even the header's length", from->left);
    }
    unsigned char raw[length_bytes];
    psgd_status status = take(from, raw, length_bytes);
    if (status != PSGD_OK) {
        return status;
    }
    uint64_t length = 0;
    for (size_t i = length_bytes; i-- > 0;) {
        length = length << 8 | raw[i];
    }
    if (length > PSGD_SAFETENSORS_MAX_HEADER) {
        return psgd_fail(PSGD_ERR_FORMAT, from->message, from->message_size,
                         "header of %" PRIu64 " bytes is above the limit of %zu", length, PSGD_SAFETENSORS_MAX_HEADER);
    }
    if (length > from->left) {
        return psgd_fail(PSGD_ERR_FORMAT, from->message, from->message_size,
                         "truncated: header of %" PRIu64 " bytes, %zu bytes left", length, from->left);
    }
    const size_t size = (size_t)length;
    char *text = malloc(size > 0 ? size : 1);
    if (!text) {
        return psgd_fail(PSGD_ERR_MEMORY, from->message, from->message_size, "no memory for a header of %zu bytes",
                         size);
    }
    status = take(from, text, size);
    if (status == PSGD_OK) {
        status = psgd_safetensors_header_parse(header, text, size, from->left, from->message, from->message_size);
    }
    free(text);
    return status;
}

/* ---- names ---- */

static int compare_names(const void *left, const void *right)
{
    const psgd_tensor *const *a = left, *const *b = right;
    return strcmp((*a)->name, (*b)->name);
}

static psgd_status sort_names(psgd_safetensors *file, const source *from)
{
    file->by_name = calloc(file->header.count > 0 ? file->header.count : 1, sizeof *file->by_name);
    if (!file->by_name) {
        return psgd_fail(PSGD_ERR_MEMORY, from->message, from->message_size, "no memory for %zu tensors",
                         file->header.count);
    }
    for (size_t i = 0; i < file->header.count; i++) {
        file->by_name[i] = &file->header.tensors[i];
    }
    qsort(file->by_name, file->header.count, sizeof *file->by_name, compare_names);
    return PSGD_OK;
}

/* ---- the bytes ---- */

/* Each tensor's bytes in turn to the next multiple of 8. The entries tile the data, so reading on is reading in place.
 */
static psgd_status read_data(psgd_safetensors *file, source *from)
{
    size_t total = 1; /* an address for empty tensors too */
    for (size_t i = 0; i < file->header.count; i++) {
        if (!psgd_size_add(total, file->header.tensors[i].bytes, &total) ||
            !psgd_size_add(total, alignment - 1, &total)) {
            return psgd_fail(PSGD_ERR_MEMORY, from->message, from->message_size, "no memory for the data");
        }
    }
    file->data = malloc(total);
    if (!file->data) {
        return psgd_fail(PSGD_ERR_MEMORY, from->message, from->message_size, "no memory for %zu bytes of data", total);
    }
    size_t at = 0;
    for (size_t i = 0; i < file->header.count; i++) {
        psgd_tensor *t = &file->header.tensors[i];
        t->data = file->data + at;
        const psgd_status status = take(from, file->data + at, t->bytes);
        if (status != PSGD_OK) {
            return status;
        }
        at += (t->bytes + alignment - 1) / alignment * alignment;
    }
    return PSGD_OK;
}

/* ---- a file ---- */

static psgd_status read_all(psgd_safetensors *file, source *from)
{
    psgd_status status = read_header(&file->header, from);
    if (status == PSGD_OK) {
        status = sort_names(file, from);
    }
    return status == PSGD_OK ? read_data(file, from) : status;
}

/* Names come from the file; what a terminal would obey must not come with them. */
static void remove_control_characters(char *message, size_t message_size)
{
    for (size_t i = 0; message && i < message_size && message[i] != '\0'; i++) {
        const unsigned char c = (unsigned char)message[i];
        if (c < 0x20 || c == 0x7f) {
            message[i] = '?';
        }
    }
}

static psgd_status read_source(psgd_safetensors **file, source *from)
{
    *file = NULL;
    if (!psgd_host_is_little_endian()) {
        return psgd_fail(PSGD_ERR_UNSUPPORTED, from->message, from->message_size,
                         "safetensors files are little-endian, this host is not");
    }
    psgd_safetensors *opened = calloc(1, sizeof *opened);
    if (!opened) {
        return psgd_fail(PSGD_ERR_MEMORY, from->message, from->message_size, "no memory");
    }
    const psgd_status status = read_all(opened, from);
    if (status != PSGD_OK) {
        remove_control_characters(from->message, from->message_size);
        psgd_safetensors_close(opened);
        return status;
    }
    *file = opened;
    return PSGD_OK;
}

psgd_status psgd_safetensors_parse(psgd_safetensors **file, const void *bytes, size_t count, char *message,
                                   size_t message_size)
{
    if (!file || (!bytes && count > 0)) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size, "%s is null", file ? "bytes" : "file");
    }
    source from = {.bytes = bytes ? bytes : (const unsigned char *)"",
                   .left = count,
                   .message = message,
                   .message_size = message_size};
    return read_source(file, &from);
}

psgd_status psgd_safetensors_open(psgd_safetensors **file, const char *path, char *message, size_t message_size)
{
    if (!file || !path) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size, "%s is null", file ? "path" : "file");
    }
    *file = NULL;
    /* O_NONBLOCK: a pipe of that name must not make us wait for its writer. It has no effect on regular files. */
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char reason[400] = "";
    if (descriptor < 0) {
        (void)strerror_r(errno, reason, sizeof reason);
        return psgd_fail(PSGD_ERR_IO, message, message_size, "cannot open %s: %s", path, reason);
    }
    struct stat info;
    if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode) || (uintmax_t)info.st_size > SIZE_MAX) {
        close(descriptor);
        return psgd_fail(PSGD_ERR_IO, message, message_size, "%s is not a regular file that fits into memory", path);
    }
    FILE *stream = fdopen(descriptor, "rb");
    if (!stream) {
        close(descriptor);
        return psgd_fail(PSGD_ERR_MEMORY, message, message_size, "no memory to read %s", path);
    }
    source from = {.stream = stream, .left = (size_t)info.st_size, .message = reason, .message_size = sizeof reason};
    const psgd_status status = read_source(file, &from);
    (void)fclose(stream); /* nothing was written: nothing can be lost */
    return status == PSGD_OK ? status : psgd_fail(status, message, message_size, "%s: %s", path, reason);
}

void psgd_safetensors_close(psgd_safetensors *file)
{
    if (file) {
        psgd_safetensors_header_free(&file->header);
        free(file->by_name);
        free(file->data);
        free(file);
    }
}

/* ---- looking things up ---- */

size_t psgd_safetensors_count(const psgd_safetensors *file)
{
    return file->header.count;
}

const psgd_tensor *psgd_safetensors_at(const psgd_safetensors *file, size_t index)
{
    return index < file->header.count ? &file->header.tensors[index] : NULL;
}

const psgd_tensor *psgd_safetensors_find(const psgd_safetensors *file, const char *name)
{
    const psgd_tensor wanted = {.name = name}, *key = &wanted;
    const psgd_tensor *const *found =
        bsearch(&key, file->by_name, file->header.count, sizeof *file->by_name, compare_names);
    return found ? *found : NULL;
}

const char *psgd_safetensors_metadata(const psgd_safetensors *file, const char *key)
{
    return json_string_value(json_object_get(file->header.metadata, key));
}

size_t psgd_safetensors_metadata_count(const psgd_safetensors *file)
{
    return json_object_size(file->header.metadata);
}
