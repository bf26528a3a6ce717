/* Tests of the reader in core/safetensors.h: what a file holds comes back. Files that break the format:
 * safetensors_hostile.c; the writer: safetensors_write.c.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "safetensors_bytes.h"

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

/* ---- good files ---- */

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
    assert_int_equal(psgd_safetensors_metadata_count(file), 3);
    psgd_safetensors_close(file);
}

static void files_without_tensors(void **state)
{
    (void)state;
    psgd_safetensors *file = accepted("{}", 0);
    assert_int_equal(psgd_safetensors_count(file), 0);
    assert_null(psgd_safetensors_find(file, "a"));
    assert_null(psgd_safetensors_metadata(file, "a"));
    assert_int_equal(psgd_safetensors_metadata_count(file), 0);
    psgd_safetensors_close(file);
    file = accepted("{\"__metadata__\":{}}  ", 0);
    assert_int_equal(psgd_safetensors_count(file), 0);
    psgd_safetensors_close(file);
    psgd_safetensors_close(NULL);
}

static void empty_tensors_may_share_a_place(void **state)
{
    (void)state;
    /* empty tensors come before what begins at their place, and among themselves as in the header */
    psgd_safetensors *file = accepted("{\"x\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
                                      "\"z\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},"
                                      "\"y\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]},"
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
        cmocka_unit_test(opens_files),
        cmocka_unit_test(null_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
