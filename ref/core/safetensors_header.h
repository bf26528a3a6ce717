/* safetensors_header.h: the JSON header of a safetensors file. Private to the reader, safetensors.c. */
#ifndef PSGD_CORE_SAFETENSORS_HEADER_H
#define PSGD_CORE_SAFETENSORS_HEADER_H

#include "core/safetensors.h"

#include <jansson.h>

/* A header that obeys the format: its tensors tile the data. Names and metadata live in json. */
typedef struct psgd_safetensors_header {
    json_t *json;
    json_t *metadata; /* a member of json, string to string; null if there is none */
    size_t count;
    psgd_tensor *tensors; /* [count], in the order of their bytes; data is null */
} psgd_safetensors_header;

/* text[size] is the header, data_size what follows it in the file. PSGD_ERR_FORMAT or PSGD_ERR_MEMORY: *header is empty
 * then, message (may be null) says why. */
psgd_status psgd_safetensors_header_parse(psgd_safetensors_header *header, const char *text, size_t size,
                                          size_t data_size, char *message, size_t message_size);
void psgd_safetensors_header_free(psgd_safetensors_header *header); /* an empty one is allowed */

#endif
