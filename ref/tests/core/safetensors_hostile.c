/* Tests of the reader in core/safetensors.h: whatever breaks the format is refused, with a message that says what; no
 * input crashes it (run with sanitizers).
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdio.h>

#include "safetensors_bytes.h"

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
    memcpy(header + n + 2 * depth, "}", sizeof "}");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_files_are_refused),
        cmocka_unit_test(hostile_lengths_are_refused),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(messages_have_no_control_characters),
        cmocka_unit_test(messages_are_cut),
        cmocka_unit_test(every_prefix_is_refused),
        cmocka_unit_test(every_flipped_bit_is_refused_or_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
