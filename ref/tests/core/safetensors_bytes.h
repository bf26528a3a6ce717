/* safetensors_bytes.h: files made by hand, for the tests of the reader. Included after cmocka.h. */
#ifndef PSGD_TESTS_CORE_SAFETENSORS_BYTES_H
#define PSGD_TESTS_CORE_SAFETENSORS_BYTES_H

#include <stdlib.h>
#include <string.h>

#include "core/safetensors.h"

enum { message_size = 300 };

typedef struct bytes {
    unsigned char *data;
    size_t count;
} bytes;

/* Length, header text, data_count bytes 0, 1, 2, ... */
static inline bytes build(const char *header, size_t data_count)
{
    const size_t length = strlen(header);
    bytes b = {malloc(8 + length + data_count), 8 + length + data_count};
    assert_non_null(b.data);
    for (size_t i = 0; i < 8; i++) {
        b.data[i] = (unsigned char)((uint64_t)length >> 8 * i & 0xff);
    }
    memcpy(b.data + 8, header, length);
    for (size_t i = 0; i < data_count; i++) {
        b.data[8 + length + i] = (unsigned char)i;
    }
    return b;
}

/* All nine types, metadata, an empty tensor, a scalar, tensors out of order in the header, padding. */
static const char rich_header[] =
    "{\"__metadata__\":{\"format\":\"psgd-case/1\",\"empty\":\"\",\"umlaut\":\"\xc3\xbc\\u00e9\"},"
    "\"second\":{\"dtype\":\"F64\",\"shape\":[2,1],\"data_offsets\":[12,28]},"
    "\"first\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]},"
    "\"scalar\":{\"data_offsets\":[28,32],\"shape\":[],\"dtype\":\"I32\"},"
    "\"none\":{\"dtype\":\"U64\",\"shape\":[4,0,7],\"data_offsets\":[32,32]},"
    "\"h\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[32,34]},"
    "\"b\":{\"dtype\":\"BF16\",\"shape\":[1,1,1,1,1,1,1,1],\"data_offsets\":[34,36]},"
    "\"u\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[36,39]},"
    "\"w\":{\"dtype\":\"U32\",\"shape\":[1],\"data_offsets\":[39,43]},"
    "\"l\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[43,51]},"
    "\"q\":{\"dtype\":\"U64\",\"shape\":[1],\"data_offsets\":[51,59]}}     ";
enum { rich_data = 59, rich_count = 10 };

/* What was accepted must hang together. */
static inline void check_consistency(const psgd_safetensors *file, size_t data_count)
{
    size_t total = 0;
    unsigned sum = 0;
    for (size_t i = 0; i < psgd_safetensors_count(file); i++) {
        const psgd_tensor *t = psgd_safetensors_at(file, i);
        size_t size = psgd_element_size(t->element);
        assert_true(t->ndim <= PSGD_SAFETENSORS_MAX_NDIM);
        for (size_t d = 0; d < t->ndim; d++) {
            size *= t->dims[d];
        }
        assert_int_equal(size, t->bytes);
        assert_int_equal((uintptr_t)t->data % 8, 0);
        assert_ptr_equal(psgd_safetensors_find(file, t->name), t);
        for (size_t j = 0; j < t->bytes; j++) {
            sum += ((const unsigned char *)t->data)[j];
        }
        total += t->bytes;
    }
    assert_int_equal(total, data_count);
    assert_int_equal(sum, data_count * (data_count - 1) / 2);
}

#endif
