/* Tests of the reader in core/safetensors.h: what a file holds comes back; whatever breaks the format is refused, with
 * a message that says what; no input crashes it (run with sanitizers). The writer: safetensors_write.c.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/safetensors.h"

enum { message_size = 300 };

/* ---- building files by hand ---- */

typedef struct bytes {
    unsigned char *data;
    size_t count;
} bytes;

/* Length, header text, data_count bytes 0, 1, 2, ... */
static bytes build(const char *header, size_t data_count)
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

static psgd_safetensors *accepted(const char *header, size_t data_count)
{
    bytes b = build(header, data_count);
    psgd_safetensors *file = NULL;
    char message[message_size] = "";
    const psgd_status status = psgd_safetensors_parse(&file, b.data, b.count, message, sizeof message);
    free(b.data);
    assert_string_equal(message, "");
    assert_int_equal(status, PSGD_OK);
    assert_non_null(file);
    return file;
}

static void refused_bytes(const void *data, size_t count, const char *message_part)
{
    psgd_safetensors *file = (psgd_safetensors *)&count; /* anything but null */
    char message[message_size] = "";
    assert_int_equal(psgd_safetensors_parse(&file, data, count, message, sizeof message), PSGD_ERR_FORMAT);
    assert_null(file);
    if (!strstr(message, message_part)) {
        fail_msg("'%s' does not say '%s'", message, message_part);
    }
}

static void refused(const char *header, size_t data_count, const char *message_part)
{
    bytes b = build(header, data_count);
    refused_bytes(b.data, b.count, message_part);
    free(b.data);
}

/* ---- good files ---- */

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

static void everything_comes_back(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        psgd_element element;
        size_t ndim, begin, bytes;
    } expected[rich_count] = {
        {"first", PSGD_ELEMENT_F32, 1, 0, 12},  {"second", PSGD_ELEMENT_F64, 2, 12, 16},
        {"scalar", PSGD_ELEMENT_I32, 0, 28, 4}, {"none", PSGD_ELEMENT_U64, 3, 32, 0},
        {"h", PSGD_ELEMENT_F16, 1, 32, 2},      {"b", PSGD_ELEMENT_BF16, 8, 34, 2},
        {"u", PSGD_ELEMENT_U8, 1, 36, 3},       {"w", PSGD_ELEMENT_U32, 1, 39, 4},
        {"l", PSGD_ELEMENT_I64, 1, 43, 8},      {"q", PSGD_ELEMENT_U64, 1, 51, 8},
    };
    psgd_safetensors *file = accepted(rich_header, rich_data);
    assert_int_equal(psgd_safetensors_count(file), rich_count);
    for (size_t i = 0; i < rich_count; i++) {
        const psgd_tensor *t = psgd_safetensors_at(file, i);
        assert_string_equal(t->name, expected[i].name);
        assert_int_equal(t->element, expected[i].element);
        assert_int_equal(t->ndim, expected[i].ndim);
        assert_int_equal(t->bytes, expected[i].bytes);
        assert_non_null(t->data);
        assert_int_equal((uintptr_t)t->data % 8, 0); /* wherever it lies in the file */
        for (size_t j = 0; j < t->bytes; j++) {
            assert_int_equal(((const unsigned char *)t->data)[j], expected[i].begin + j);
        }
        assert_ptr_equal(psgd_safetensors_find(file, expected[i].name), t);
    }
    assert_int_equal(psgd_safetensors_at(file, 3)->dims[2], 7);
    assert_null(psgd_safetensors_at(file, rich_count));
    assert_null(psgd_safetensors_find(file, "firs"));
    assert_null(psgd_safetensors_find(file, "__metadata__"));
    assert_string_equal(psgd_safetensors_metadata(file, "format"), "psgd-case/1");
    assert_string_equal(psgd_safetensors_metadata(file, "empty"), "");
    assert_string_equal(psgd_safetensors_metadata(file, "umlaut"), "\xc3\xbc\xc3\xa9");
    assert_null(psgd_safetensors_metadata(file, "other"));
    psgd_safetensors_close(file);
}

static void files_without_tensors(void **state)
{
    (void)state;
    psgd_safetensors *file = accepted("{}", 0);
    assert_int_equal(psgd_safetensors_count(file), 0);
    assert_null(psgd_safetensors_find(file, "a"));
    assert_null(psgd_safetensors_metadata(file, "a"));
    psgd_safetensors_close(file);
    file = accepted("{\"__metadata__\":{}}  ", 0);
    assert_int_equal(psgd_safetensors_count(file), 0);
    psgd_safetensors_close(file);
    psgd_safetensors_close(NULL);
}

static void empty_tensors_may_share_a_place(void **state)
{
    (void)state;
    psgd_safetensors *file = accepted("{\"z\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},"
                                      "\"y\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},"
                                      "\"x\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
                                      "\"w\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[2,2]}}",
                                      2);
    static const char *const order[] = {"z", "y", "x", "w"};
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(psgd_safetensors_at(file, i)->name, order[i]);
    }
    psgd_safetensors_close(file);
}

static void element_types(void **state)
{
    (void)state;
    psgd_element element = PSGD_ELEMENT_U8;
    for (int e = PSGD_F32; e <= PSGD_BF16; e++) {
        assert_int_equal(psgd_element_size((psgd_element)e), psgd_dtype_size((uint32_t)e));
    }
    for (int e = PSGD_ELEMENT_F32; e <= PSGD_ELEMENT_I64; e++) {
        assert_true(psgd_element_from_name(&element, psgd_element_name((psgd_element)e)));
        assert_int_equal(element, e);
    }
    assert_int_equal(psgd_element_size((psgd_element)0), 0);
    assert_int_equal(psgd_element_size((psgd_element)10), 0);
    assert_string_equal(psgd_element_name((psgd_element)0), "unknown");
    assert_false(psgd_element_from_name(&element, "f32"));
    assert_int_equal(element, PSGD_ELEMENT_I64);
}

/* ---- hostile files ---- */

#define U8(name, shape, offsets) "\"" name "\":{\"dtype\":\"U8\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static const struct {
    const char *header;
    size_t data_count;
    const char *message_part;
} hostile[] = {
    /* not a header */
    {"", 0, "not a JSON object"},
    {"   ", 0, "not a JSON object"},
    {"[]", 0, "not a JSON object"},
    {"null", 0, "not a JSON object"},
    {" {}", 0, "not a JSON object"},
    {"{}\n", 0, "not a JSON object"},
    {"{} x}", 0, "not valid JSON"},
    {"{}{}", 0, "not valid JSON"},
    {"{\"a\"}", 0, "not valid JSON"},
    {"{'a':1}", 0, "not valid JSON"},
    {"{\"a\":1,}", 0, "not valid JSON"},
    {"{\"a\":NaN}", 0, "not valid JSON"},
    {"{\"\xff\":1}", 0, "not valid JSON"},
    {"{\"\xc0\xaf\":1}", 0, "not valid JSON"},     /* an overlong / */
    {"{\"\xed\xa0\x80\":1}", 0, "not valid JSON"}, /* half of a surrogate pair */
    {"{\"\\ud800\":1}", 0, "not valid JSON"},
    {"{\"a\\u0000b\":1}", 0, "not valid JSON"}, /* would cut the name */
    /* names */
    {"{" U8("a", "[1]", "[0,1]") "," U8("a", "[1]", "[1,2]") "}", 2, "duplicate"},
    {"{" U8("a", "[1]", "[0,1]") "," U8("\\u0061", "[1]", "[1,2]") "}", 2, "duplicate"},
    {"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "duplicate"},
    {"{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}", 0, "duplicate"},
    {"{\"a\":{\"dtype\":\"U8\",\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "duplicate"},
    /* metadata */
    {"{\"__metadata__\":[]}", 0, "__metadata__ is not an object"},
    {"{\"__metadata__\":null}", 0, "__metadata__ is not an object"},
    {"{\"__metadata__\":{\"a\":\"1\",\"k\":1}}", 0, "value of 'k' is not a string"},
    {"{\"__metadata__\":{\"k\":{}}}", 0, "value of 'k' is not a string"},
    /* entries */
    {"{\"a\":1}", 0, "tensor 'a' is not an object of just dtype"},
    {"{\"a\":[]}", 0, "tensor 'a' is not an object of just dtype"},
    {"{\"a\":{\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "tensor 'a' is not an object of just dtype"},
    {"{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,1]}}", 1, "tensor 'a' is not an object of just dtype"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1]}}", 1, "tensor 'a' is not an object of just dtype"},
    {"{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"x\":0}}", 1, "of just dtype"},
    /* dtype */
    {"{\"a\":{\"dtype\":\"F31\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "tensor 'a': dtype 'F31' is not known"},
    {"{\"a\":{\"dtype\":\"u8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "dtype 'u8' is not known"},
    {"{\"a\":{\"dtype\":\"BOOL\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "dtype 'BOOL' is not known"},
    {"{\"a\":{\"dtype\":5,\"shape\":[1],\"data_offsets\":[0,1]}}", 1, "dtype is not a string"},
    /* shape */
    {"{" U8("a", "1", "[0,1]") "}", 1, "shape is not an array"},
    {"{" U8("a", "{}", "[0,1]") "}", 1, "shape is not an array"},
    {"{" U8("a", "[1.0]", "[0,1]") "}", 1, "shape[0] is not a size"},
    {"{" U8("a", "[1,\"1\"]", "[0,1]") "}", 1, "shape[1] is not a size"},
    {"{" U8("a", "[true]", "[0,1]") "}", 1, "shape[0] is not a size"},
    {"{" U8("a", "[null]", "[0,1]") "}", 1, "shape[0] is not a size"},
    {"{" U8("a", "[1e0]", "[0,1]") "}", 1, "shape[0] is not a size"},
    {"{" U8("a", "[-1]", "[0,1]") "}", 1, "shape[0] is not a size"},
    {"{" U8("a", "[-1,-1]", "[0,1]") "}", 1, "shape[0] is not a size"},
    {"{" U8("a", "[18446744073709551617]", "[0,1]") "}", 1, "not valid JSON"},
    {"{" U8("a", "[4294967296,4294967296]", "[0,0]") "}", 0, "shape overflows"},
    {"{" U8("a", "[4294967297,4294967295,2]", "[0,0]") "}", 0, "shape overflows"},
    {"{" U8("a", "[9223372036854775807,3,0]", "[0,0]") "}", 0, "shape overflows"},
    {"{\"a\":{\"dtype\":\"F64\",\"shape\":[4611686018427387904],\"data_offsets\":[0,0]}}", 0, "shape overflows"},
    {"{" U8("a", "[1,1,1,1,1,1,1,1,1]", "[0,1]") "}", 1, "9 dimensions"},
    /* offsets */
    {"{" U8("a", "[1]", "[0]") "}", 1, "data_offsets is not an array of two sizes"},
    {"{" U8("a", "[1]", "[0,1,1]") "}", 1, "data_offsets is not an array of two sizes"},
    {"{" U8("a", "[1]", "{}") "}", 1, "data_offsets is not an array of two sizes"},
    {"{" U8("a", "[1]", "[0,1.5]") "}", 1, "data_offsets is not an array of two sizes"},
    {"{" U8("a", "[1]", "[-1,0]") "}", 1, "data_offsets is not an array of two sizes"},
    {"{" U8("a", "[1]", "[1,0]") "}", 1, "do not lie within"},
    {"{" U8("a", "[2]", "[0,2]") "}", 1, "do not lie within"},
    {"{" U8("a", "[1]", "[9223372036854775806,9223372036854775807]") "}", 1, "do not lie within"},
    {"{" U8("a", "[0]", "[2,2]") "}", 1, "do not lie within"},
    {"{" U8("a", "[2]", "[0,1]") "}", 2, "shape needs 2 bytes, data_offsets give 1"},
    {"{" U8("a", "[]", "[0,0]") "}", 0, "shape needs 1 bytes, data_offsets give 0"},
    {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,7]}}", 7, "shape needs 8 bytes"},
    /* tiling */
    {"{" U8("a", "[1]", "[1,2]") "}", 2, "a hole"},
    {"{" U8("a", "[1]", "[0,1]") "," U8("b", "[1]", "[2,3]") "}", 3, "tensor 'b' begins at byte 2"},
    {"{" U8("a", "[2]", "[0,2]") "," U8("b", "[2]", "[1,3]") "}", 3, "an overlap"},
    {"{" U8("a", "[2]", "[0,2]") "," U8("b", "[2]", "[0,2]") "}", 2, "an overlap"},
    {"{" U8("a", "[3]", "[0,3]") "," U8("b", "[0]", "[1,1]") "}", 3, "an overlap"},
    {"{" U8("a", "[1]", "[0,1]") "}", 2, "1 trailing bytes"},
    {"{}", 1, "1 trailing bytes"},
    {"{\"__metadata__\":{}}", 8, "8 trailing bytes"},
};

static void hostile_files_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        refused(hostile[i].header, hostile[i].data_count, hostile[i].message_part);
    }
}

static void hostile_lengths_are_refused(void **state)
{
    (void)state;
    refused_bytes(NULL, 0, "truncated: 0 bytes");
    refused_bytes("\2\0\0\0\0\0\0", 7, "truncated: 7 bytes");
    refused_bytes("\3\0\0\0\0\0\0\0{}", 10, "truncated: header of 3 bytes, 2 bytes left");
    refused_bytes("\0\0\0\0\0\0\0\0", 8, "not a JSON object");
    refused_bytes("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10, "above the limit");
    refused_bytes("\1\0\x40\6\0\0\0\0{}", 10, "header of 104857601 bytes is above the limit"); /* 100 MiB + 1 */
    refused_bytes("\0\0\x40\6\0\0\0\0{}", 10, "truncated: header of 104857600 bytes");
    refused_bytes("\3\0\0\0\0\0\0\0{}\0", 11, "not a JSON object"); /* padded with a zero byte */
}

/* jansson stops at some depth; we must not run out of stack before. */
static void deep_nesting_is_refused(void **state)
{
    (void)state;
    enum { depth = 200000 };
    char *header = malloc(2 * depth + 10);
    assert_non_null(header);
    size_t n = (size_t)sprintf(header, "{\"a\":");
    memset(header + n, '[', depth);
    memset(header + n + depth, ']', depth);
    strcpy(header + n + 2 * depth, "}");
    refused(header, 0, "not valid JSON");
    free(header);
}

/* A name that would command a terminal does not get into a message as it is. */
static void messages_have_no_control_characters(void **state)
{
    (void)state;
    refused("{\"\\u001b[31m\\r\":1}", 0, "tensor '?[31m?' is not an object");
    refused("{" U8("\\u007f", "[1]", "[0,2]") "}", 2, "tensor '?': shape needs");
}

/* A name longer than the message, and no message at all. */
static void messages_are_cut(void **state)
{
    (void)state;
    char header[3000], name[2000];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    snprintf(header, sizeof header, "{\"%s\":1}", name);
    bytes b = build(header, 0);
    psgd_safetensors *file;
    char message[10] = "";
    assert_int_equal(psgd_safetensors_parse(&file, b.data, b.count, message, sizeof message), PSGD_ERR_FORMAT);
    assert_string_equal(message, "tensor 'n");
    assert_int_equal(psgd_safetensors_parse(&file, b.data, b.count, NULL, 0), PSGD_ERR_FORMAT);
    free(b.data);
}

static void every_prefix_is_refused(void **state)
{
    (void)state;
    bytes b = build(rich_header, rich_data);
    for (size_t count = 0; count < b.count; count++) {
        /* of its own size, so that a read beyond the end is seen by the sanitizer */
        unsigned char *prefix = malloc(count > 0 ? count : 1);
        assert_non_null(prefix);
        memcpy(prefix, b.data, count);
        refused_bytes(prefix, count, "");
        free(prefix);
    }
    free(b.data);
}

/* What was accepted must hang together. */
static void check_consistency(const psgd_safetensors *file, size_t data_count)
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

static void every_flipped_bit_is_refused_or_harmless(void **state)
{
    (void)state;
    bytes b = build(rich_header, rich_data);
    const size_t header_end = 8 + strlen(rich_header);
    size_t taken = 0;
    for (size_t bit = 0; bit < 8 * header_end; bit++) {
        b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        psgd_safetensors *file = NULL;
        const psgd_status status = psgd_safetensors_parse(&file, b.data, b.count, NULL, 0);
        if (status == PSGD_OK) {
            check_consistency(file, rich_data);
            psgd_safetensors_close(file);
            taken++;
        } else {
            assert_int_equal(status, PSGD_ERR_FORMAT);
            assert_null(file);
        }
        b.data[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    /* Only flips within names, metadata, types of equal size, or factors of an empty shape are left: 411 of 5360. */
    assert_in_range(taken, 1, 8 * header_end / 4);
    free(b.data);
}

/* ---- from a file ---- */

static void opens_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/psgd-safetensors-XXXXXX", path[100], pipe_path[100], message[message_size] = "";
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/rich", folder);
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe", folder);
    bytes b = build(rich_header, rich_data);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(b.data, 1, b.count, out), b.count);
    assert_int_equal(fclose(out), 0);
    free(b.data);

    psgd_safetensors *file = NULL;
    assert_int_equal(psgd_safetensors_open(&file, path, message, sizeof message), PSGD_OK);
    assert_string_equal(message, "");
    assert_int_equal(psgd_safetensors_count(file), rich_count);
    check_consistency(file, rich_data);
    psgd_safetensors_close(file);

    assert_int_equal(truncate(path, 500), 0);
    assert_int_equal(psgd_safetensors_open(&file, path, message, sizeof message), PSGD_ERR_FORMAT);
    assert_null(file);
    assert_non_null(strstr(message, path));
    assert_non_null(strstr(message, "truncated"));

    assert_int_equal(psgd_safetensors_open(&file, folder, message, sizeof message), PSGD_ERR_IO);
    assert_non_null(strstr(message, "not a regular file"));
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_int_equal(psgd_safetensors_open(&file, pipe_path, message, sizeof message), PSGD_ERR_IO);
    assert_non_null(strstr(message, "not a regular file"));
    assert_int_equal(unlink(pipe_path), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(psgd_safetensors_open(&file, path, message, sizeof message), PSGD_ERR_IO);
    assert_null(file);
    assert_non_null(strstr(message, "cannot open"));
    assert_int_equal(rmdir(folder), 0);
}

static void null_arguments(void **state)
{
    (void)state;
    psgd_safetensors *file;
    char message[message_size];
    assert_int_equal(psgd_safetensors_parse(&file, NULL, 5, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_string_equal(message, "bytes is null");
    assert_int_equal(psgd_safetensors_parse(NULL, "", 0, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_string_equal(message, "file is null");
    assert_int_equal(psgd_safetensors_open(&file, NULL, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_string_equal(message, "path is null");
    assert_int_equal(psgd_safetensors_open(NULL, "x", message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_string_equal(message, "file is null");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_back),
        cmocka_unit_test(files_without_tensors),
        cmocka_unit_test(empty_tensors_may_share_a_place),
        cmocka_unit_test(element_types),
        cmocka_unit_test(hostile_files_are_refused),
        cmocka_unit_test(hostile_lengths_are_refused),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(messages_have_no_control_characters),
        cmocka_unit_test(messages_are_cut),
        cmocka_unit_test(every_prefix_is_refused),
        cmocka_unit_test(every_flipped_bit_is_refused_or_harmless),
        cmocka_unit_test(opens_files),
        cmocka_unit_test(null_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
