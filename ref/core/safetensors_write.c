/* safetensors_write.c: the writer. What it writes, the reader takes; equal content gives equal bytes.
 *
 * The whole file is made in memory first, so that a write that fails has touched nothing but a temporary file. Reading:
 * safetensors.c.
 */
#include "core/safetensors.h"

#include "core/config.h"
#include "core/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char metadata_name[] = "__metadata__";
enum { length_bytes = 8, alignment = 8 };

/* Where an error is told. */
typedef struct report {
    char *message;
    size_t size;
} report;

static psgd_status no_memory(const report *to)
{
    (void)psgd_fail(PSGD_ERR_MEMORY, to->message, to->size, "no memory to write a file");
    return PSGD_ERR_MEMORY;
}

/* ---- the header ---- */

/* A JSON string; what names it in errors. */
static psgd_status make_string(json_t **string, const char *text, const char *what, const report *to)
{
    if (!text) {
        return psgd_fail(PSGD_ERR_ARGUMENT, to->message, to->size, "%s is null", what);
    }
    json_error_t error;
    *string = json_pack_ex(&error, 0, "s", text);
    if (*string) {
        return PSGD_OK;
    }
    if (json_error_code(&error) == json_error_invalid_utf8) {
        return psgd_fail(PSGD_ERR_ARGUMENT, to->message, to->size, "%s is not UTF-8: '%.80s'", what, text);
    }
    return no_memory(to);
}

/* Adds value under a name that must be new; value's reference is taken in any case, and may be null (no memory). */
static psgd_status add_member(json_t *object, const char *name, json_t *value, const char *what, const report *to)
{
    json_t *checked = NULL;
    psgd_status status = make_string(&checked, name, what, to);
    json_decref(checked);
    if (status == PSGD_OK && json_object_get(object, name)) {
        status = psgd_fail(PSGD_ERR_ARGUMENT, to->message, to->size, "%s '%.80s' is there twice", what, name);
    }
    if (status != PSGD_OK) {
        json_decref(value);
        return status;
    }
    return json_object_set_new(object, name, value) == 0 ? PSGD_OK : no_memory(to);
}

static int compare_keys(const void *left, const void *right)
{
    const psgd_metadata *const *a = left, *const *b = right;
    return strcmp((*a)->key, (*b)->key);
}

static psgd_status add_metadata(json_t *header, const psgd_metadata *metadata, size_t count, const report *to)
{
    if (count == 0) {
        return PSGD_OK;
    }
    json_t *object = json_object();
    const psgd_metadata **sorted = calloc(count, sizeof *sorted);
    psgd_status status = object && sorted ? PSGD_OK : no_memory(to);
    for (size_t i = 0; status == PSGD_OK && i < count; i++) {
        sorted[i] = &metadata[i];
        if (!metadata[i].key) {
            status = psgd_fail(PSGD_ERR_ARGUMENT, to->message, to->size, "metadata key is null");
        }
    }
    if (status == PSGD_OK) {
        qsort(sorted, count, sizeof *sorted, compare_keys);
    }
    for (size_t i = 0; status == PSGD_OK && i < count; i++) {
        json_t *value = NULL;
        status = make_string(&value, sorted[i]->value, "metadata value", to);
        if (status == PSGD_OK) {
            status = add_member(object, sorted[i]->key, value, "metadata key", to);
        }
    }
    free(sorted);
    if (status != PSGD_OK) {
        json_decref(object);
        return status;
    }
    return add_member(header, metadata_name, object, "metadata", to);
}

/* The tensor's shape must be as large as its bytes, or no reader would take the file. */
static psgd_status check_tensor(const psgd_tensor *t, const report *to)
{
    const char *name = t->name ? t->name : "(null)";
    if (psgd_element_size(t->element) == 0) {
        return psgd_fail(PSGD_ERR_ARGUMENT, to->message, to->size, "tensor '%.80s': element is %d, which is no type",
                         name, (int)t->element);
    }
    if (t->ndim > PSGD_SAFETENSORS_MAX_NDIM) {
        return psgd_fail(PSGD_ERR_ARGUMENT, to->message, to->size,
                         "tensor '%.80s': ndim is %zu, at most %d are written", name, t->ndim,
                         PSGD_SAFETENSORS_MAX_NDIM);
    }
    size_t bytes = psgd_element_size(t->element);
    bool fits = true;
    for (size_t d = 0; d < t->ndim && fits; d++) {
        fits = t->dims[d] <= INT64_MAX && psgd_size_multiply(bytes, t->dims[d], &bytes);
    }
    if (!fits || bytes != t->bytes) {
        return psgd_fail(PSGD_ERR_ARGUMENT, to->message, to->size, "tensor '%.80s': bytes is %zu, not what dims need",
                         name, t->bytes);
    }
    if (bytes > 0 && !t->data) {
        return psgd_fail(PSGD_ERR_ARGUMENT, to->message, to->size, "tensor '%.80s': data is null", name);
    }
    return PSGD_OK;
}

/* Adds the tensor's entry; *offset moves on to its end. */
static psgd_status add_tensor(json_t *header, size_t *offset, const psgd_tensor *t, const report *to)
{
    psgd_status status = check_tensor(t, to);
    if (status != PSGD_OK) {
        return status;
    }
    size_t end;
    if (!psgd_size_add(*offset, t->bytes, &end) || end > INT64_MAX) {
        return psgd_fail(PSGD_ERR_ARGUMENT, to->message, to->size, "tensors have more bytes than a file can hold");
    }
    json_t *shape = json_array();
    for (size_t d = 0; shape && d < t->ndim; d++) {
        if (json_array_append_new(shape, json_integer((json_int_t)t->dims[d])) != 0) {
            json_decref(shape);
            shape = NULL;
        }
    }
    if (!shape) {
        return no_memory(to);
    }
    json_t *entry = json_pack("{s:s, s:o, s:[I, I]}", "dtype", psgd_element_name(t->element), "shape", shape,
                              "data_offsets", (json_int_t)*offset, (json_int_t)end);
    if (!entry) {
        return no_memory(to); /* json_pack has dropped shape */
    }
    *offset = end;
    return add_member(header, t->name, entry, "tensor name", to);
}

static psgd_status fill_header(json_t *header, size_t *data_size, const psgd_tensor *tensors, size_t tensor_count,
                               const psgd_metadata *metadata, size_t metadata_count, const report *to)
{
    psgd_status status = add_metadata(header, metadata, metadata_count, to);
    *data_size = 0;
    for (size_t i = 0; status == PSGD_OK && i < tensor_count; i++) {
        if (tensors[i].name && strcmp(tensors[i].name, metadata_name) == 0) {
            return psgd_fail(PSGD_ERR_ARGUMENT, to->message, to->size, "tensor name %s is reserved", metadata_name);
        }
        status = add_tensor(header, data_size, &tensors[i], to);
    }
    return status;
}

/* ---- the whole ---- */

/* Length, header text padded with spaces, data. */
static psgd_status assemble(void **bytes, size_t *count, const char *text, const psgd_tensor *tensors,
                            size_t tensor_count, size_t data_size, const report *to)
{
    const size_t text_size = strlen(text);
    const size_t padded = (text_size + alignment - 1) / alignment * alignment;
    if (padded > PSGD_SAFETENSORS_MAX_HEADER) {
        return psgd_fail(PSGD_ERR_ARGUMENT, to->message, to->size, "header of %zu bytes is above the limit of %zu",
                         padded, PSGD_SAFETENSORS_MAX_HEADER);
    }
    size_t total;
    unsigned char *file = psgd_size_add(length_bytes + padded, data_size, &total) ? malloc(total) : NULL;
    if (!file) {
        return no_memory(to);
    }
    for (size_t i = 0; i < length_bytes; i++) {
        file[i] = (unsigned char)((uint64_t)padded >> (8 * i) & 0xff);
    }
    memcpy(file + length_bytes, text, text_size);
    memset(file + length_bytes + text_size, ' ', padded - text_size);
    unsigned char *at = file + length_bytes + padded;
    for (size_t i = 0; i < tensor_count; i++) {
        if (tensors[i].bytes > 0) {
            memcpy(at, tensors[i].data, tensors[i].bytes);
            at += tensors[i].bytes;
        }
    }
    *bytes = file;
    *count = total;
    return PSGD_OK;
}

psgd_status psgd_safetensors_serialize(void **bytes, size_t *count, const psgd_tensor *tensors, size_t tensor_count,
                                       const psgd_metadata *metadata, size_t metadata_count, char *message,
                                       size_t message_size)
{
    const report to = {message, message_size};
    if (!bytes || !count || (!tensors && tensor_count > 0) || (!metadata && metadata_count > 0)) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size, "bytes, count, tensors or metadata is null");
    }
    if (!psgd_host_is_little_endian()) {
        return psgd_fail(PSGD_ERR_UNSUPPORTED, message, message_size,
                         "safetensors files are little-endian, this host is not");
    }
    json_t *header = json_object();
    if (!header) {
        return no_memory(&to);
    }
    size_t data_size;
    psgd_status status = fill_header(header, &data_size, tensors, tensor_count, metadata, metadata_count, &to);
    if (status == PSGD_OK) {
        char *text = json_dumps(header, JSON_COMPACT);
        status = text ? assemble(bytes, count, text, tensors, tensor_count, data_size, &to) : no_memory(&to);
        free(text);
    }
    json_decref(header);
    return status;
}

/* ---- to a file ---- */

/* "cannot WHAT PATH: why", from errno. */
static psgd_status io_error(const char *what, const char *path, const report *to)
{
    char reason[128] = "";
    (void)strerror_r(errno, reason, sizeof reason);
    return psgd_fail(PSGD_ERR_IO, to->message, to->size, "cannot %s %s: %s", what, path, reason);
}

/* Opens a file that was not there, in folder, and gives its name. Not mkstemp, which makes files for their owner only:
 * the umask, which shall decide, can't be asked without changing it for all threads. */
static int open_temporary(char *name, size_t name_size, const char *folder)
{
    enum { attempts = 1000 };
    for (int i = 0; i < attempts; i++) {
        const int length = snprintf(name, name_size, "%s/.psgd-%ld-%d.tmp", folder, (long)getpid(), i);
        if (length < 0 || (size_t)length >= name_size) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) {
            return descriptor;
        }
    }
    return -1;
}

/* Writes bytes[count] and sees them on the disk; closes the descriptor in any case. False: errno says why. */
static bool write_and_close(int descriptor, const unsigned char *bytes, size_t count)
{
    size_t done = 0;
    bool good = true;
    while (good && done < count) {
        const ssize_t written = write(descriptor, bytes + done, count - done);
        if (written > 0) {
            done += (size_t)written;
        } else {
            good = written < 0 && errno == EINTR;
        }
    }
    good = good && fsync(descriptor) == 0;
    const int why = errno;
    const bool closed = close(descriptor) == 0;
    if (!good) {
        errno = why;
    }
    return good && closed;
}

/* Writes to a temporary file in folder, renames it to path, and flushes the folder. */
static psgd_status replace_file(const char *path, const char *folder, const void *bytes, size_t count, const report *to)
{
    const size_t name_size = strlen(folder) + sizeof "/.psgd--.tmp" + 40; /* two numbers of at most 20 characters */
    char *temporary = malloc(name_size);
    if (!temporary) {
        return no_memory(to);
    }
    psgd_status status = PSGD_OK;
    bool renamed = false;
    const int folder_descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int descriptor = folder_descriptor >= 0 ? open_temporary(temporary, name_size, folder) : -1;
    if (descriptor < 0) {
        status = io_error(folder_descriptor < 0 ? "open the folder" : "make a temporary file in", folder, to);
    } else if (!write_and_close(descriptor, bytes, count)) {
        status = io_error("write", path, to);
    } else if (rename(temporary, path) != 0) {
        status = io_error("replace", path, to);
    } else {
        renamed = true;
        if (fsync(folder_descriptor) != 0 &&
            errno != EINVAL) { /* EINVAL: folders on this file system can't be flushed */
            status = io_error("flush to the disk the folder, in which is now all the same,", path, to);
        }
    }
    if (descriptor >= 0 && !renamed) {
        (void)unlink(temporary);
    }
    if (folder_descriptor >= 0) {
        (void)close(folder_descriptor);
    }
    free(temporary);
    return status;
}

psgd_status psgd_safetensors_write(const char *path, const psgd_tensor *tensors, size_t tensor_count,
                                   const psgd_metadata *metadata, size_t metadata_count, char *message,
                                   size_t message_size)
{
    const report to = {message, message_size};
    if (!path) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size, "path is null");
    }
    struct stat there;
    /* Renaming would put a file in the place of a device or a pipe (not of a folder: that fails by itself). */
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode)) {
        return psgd_fail(PSGD_ERR_IO, message, message_size, "%s: not a regular file; it is left as it is", path);
    }
    void *bytes = NULL;
    size_t count = 0;
    psgd_status status = psgd_safetensors_serialize(&bytes, &count, tensors, tensor_count, metadata, metadata_count,
                                                    message, message_size);
    if (status != PSGD_OK) {
        return status;
    }
    /* The folder: what stands before the last slash; "." if there is none, "/" if that is the first character. */
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) : 0;
    char *folder = malloc(length + 2);
    if (!folder) {
        free(bytes);
        return no_memory(&to);
    }
    memcpy(folder, path, length);
    folder[length] = '\0';
    if (length == 0) {
        folder[0] = slash ? '/' : '.';
        folder[1] = '\0';
    }
    status = replace_file(path, folder, bytes, count, &to);
    free(folder);
    free(bytes);
    return status;
}
