/* safetensors.h: reading and writing files of the safetensors format (8 bytes little-endian header length, a JSON
 * header, the tensors' bytes). Checkpoints, cases, results and golden files are such files.
 *
 *   {"__metadata__": {KEY: STRING, ...},                                                         (optional)
 *    NAME: {"dtype": "F32", "shape": [2, 3], "data_offsets": [BEGIN, END]}, ...}   and spaces, if any
 *
 * BEGIN and END count bytes from the end of the header. Ordered by them, the tensors cover the rest of the file without
 * holes or overlaps; a tensor may be empty ([0, 3]) or a scalar ([]).
 *
 * The reader is for hostile files: every offset, shape and name is checked before it is used, and anything that the
 * format does not allow (holes, overlaps, duplicate names, truncation, trailing bytes, a shape that does not match its
 * bytes, unknown members, a header above PSGD_SAFETENSORS_MAX_HEADER) is refused with a message that says what and
 * where. So are element types that nothing here uses. Files are little-endian; on a big-endian host reading and writing
 * answer PSGD_ERR_UNSUPPORTED.
 */
#ifndef PSGD_CORE_SAFETENSORS_H
#define PSGD_CORE_SAFETENSORS_H

#include "psgd/psgd.h"

#define PSGD_SAFETENSORS_MAX_HEADER ((size_t)100 << 20)
#define PSGD_SAFETENSORS_MAX_NDIM   8

/* The element types used here; the first four are those of psgd_dtype. */
typedef enum psgd_element {
    PSGD_ELEMENT_F32 = 1,
    PSGD_ELEMENT_F64 = 2,
    PSGD_ELEMENT_F16 = 3,
    PSGD_ELEMENT_BF16 = 4,
    PSGD_ELEMENT_U8 = 5,
    PSGD_ELEMENT_U32 = 6,
    PSGD_ELEMENT_I32 = 7,
    PSGD_ELEMENT_U64 = 8,
    PSGD_ELEMENT_I64 = 9
} psgd_element;

size_t psgd_element_size(psgd_element element);      /* bytes; 0 for an unknown value */
const char *psgd_element_name(psgd_element element); /* "F32" ... as in the header */

bool psgd_element_from_name(psgd_element *element, const char *name); /* false: unknown, *element is untouched */

bool psgd_host_is_little_endian(void);

typedef struct psgd_tensor {
    const char *name;
    psgd_element element;
    size_t ndim;
    size_t dims[PSGD_SAFETENSORS_MAX_NDIM];
    size_t bytes;
    const void *data; /* aligned to 8 bytes in what the reader returns */
} psgd_tensor;

typedef struct psgd_metadata {
    const char *key;
    const char *value;
} psgd_metadata;

/* An open file: everything in memory, owned by this object, valid until psgd_safetensors_close. */
typedef struct psgd_safetensors psgd_safetensors;

/* PSGD_ERR_IO (no such file, not readable, not a regular file), PSGD_ERR_FORMAT, PSGD_ERR_MEMORY; *file is then null.
 * message (may be null) gets the reason, without control characters whatever the file says. */
psgd_status psgd_safetensors_open(psgd_safetensors **file, const char *path, char *message, size_t message_size);
psgd_status psgd_safetensors_parse(psgd_safetensors **file, const void *bytes, size_t count, char *message,
                                   size_t message_size); /* bytes are copied */
void psgd_safetensors_close(psgd_safetensors *file);     /* null is allowed */

size_t psgd_safetensors_count(const psgd_safetensors *file);
const psgd_tensor *psgd_safetensors_at(const psgd_safetensors *file, size_t index); /* in the order of their bytes */
const psgd_tensor *psgd_safetensors_find(const psgd_safetensors *file, const char *name); /* null if there is none */
const char *psgd_safetensors_metadata(const psgd_safetensors *file, const char *key);     /* null if there is none */
size_t psgd_safetensors_metadata_count(const psgd_safetensors *file);                     /* keys; 0 without metadata */

/* Serialises to memory: *bytes is malloc'ed, *count its length. The order of tensors is kept (so a tensor's bytes in
 * the file may lie at any address; the first one's at a multiple of 8); metadata keys come out sorted, so equal content
 * gives equal bytes. Names and keys must be unique, UTF-8; PSGD_ERR_ARGUMENT otherwise. */
psgd_status psgd_safetensors_serialize(void **bytes, size_t *count, const psgd_tensor *tensors, size_t tensor_count,
                                       const psgd_metadata *metadata, size_t metadata_count, char *message,
                                       size_t message_size);

/* The same to a file, atomically: a temporary file in the same folder, flushed to the disk, then renamed over path;
 * permissions as the umask has it. On failure path is as it was and the temporary file is gone; only when the folder
 * itself can't be flushed at the very end is the new file in place all the same, as the message then says. */
psgd_status psgd_safetensors_write(const char *path, const psgd_tensor *tensors, size_t tensor_count,
                                   const psgd_metadata *metadata, size_t metadata_count, char *message,
                                   size_t message_size);

#endif
