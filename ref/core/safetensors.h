/* safetensors.h: reading and writing files of the safetensors format (8 bytes little-endian header length, a JSON
 * header, the tensors' bytes). Checkpoints, cases, results and golden files are such files.
 *
 * The reader is for hostile files: every offset, shape and name is checked before it is used, and anything that the
 * format does not allow (holes, overlaps, duplicate names, truncation, trailing bytes, a shape that does not match its
 * bytes, a header above PSGD_SAFETENSORS_MAX_HEADER) is refused with a message that says what and where. Reads and
 * writes host-endian files on little-endian hosts only.
 */
#ifndef PSGD_CORE_SAFETENSORS_H
#define PSGD_CORE_SAFETENSORS_H

#include "psgd/psgd.h"

#define PSGD_SAFETENSORS_MAX_HEADER ((size_t)100 << 20)
#define PSGD_SAFETENSORS_MAX_NDIM   8

typedef enum psgd_element {                       /* the element types used here */
                            PSGD_ELEMENT_F32 = 1, /* the first four are those of psgd_dtype */
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

/* PSGD_ERR_IO (no such file, not readable), PSGD_ERR_FORMAT, PSGD_ERR_MEMORY; message (may be null) gets the reason. */
psgd_status psgd_safetensors_open(psgd_safetensors **file, const char *path, char *message, size_t message_size);
psgd_status psgd_safetensors_parse(psgd_safetensors **file, const void *bytes, size_t count, char *message,
                                   size_t message_size); /* bytes are copied */
void psgd_safetensors_close(psgd_safetensors *file);     /* null is allowed */

size_t psgd_safetensors_count(const psgd_safetensors *file);
const psgd_tensor *psgd_safetensors_at(const psgd_safetensors *file, size_t index); /* in the order of their bytes */
const psgd_tensor *psgd_safetensors_find(const psgd_safetensors *file, const char *name); /* null if there is none */
const char *psgd_safetensors_metadata(const psgd_safetensors *file, const char *key);     /* null if there is none */

/* Serialises to memory: *bytes is malloc'ed, *count its length. The order of tensors is kept; metadata keys come out
 * sorted, so equal content gives equal bytes. Names and keys must be unique, UTF-8. */
psgd_status psgd_safetensors_serialize(void **bytes, size_t *count, const psgd_tensor *tensors, size_t tensor_count,
                                       const psgd_metadata *metadata, size_t metadata_count, char *message,
                                       size_t message_size);

/* The same to a file, atomically: a temporary file in the same folder, flushed to the disk, then renamed over path. On
 * failure path is as it was and the temporary file is gone. */
psgd_status psgd_safetensors_write(const char *path, const psgd_tensor *tensors, size_t tensor_count,
                                   const psgd_metadata *metadata, size_t metadata_count, char *message,
                                   size_t message_size);

#endif
