/* Tests of the writer in core/safetensors.h: what it writes reads back equal, to the byte as specified; what it refuses
 * and what fails leaves no trace.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <signal.h>

#include "core/safetensors.h"

enum { message_size = 300 };

static const float some_floats[3] = {1, -2, 0.5f};
static const double some_doubles[2] = {4, 1e300};

static const psgd_tensor three_tensors[] = {
    {"z", PSGD_ELEMENT_F32, 1, {3}, sizeof some_floats, some_floats},
    {"none", PSGD_ELEMENT_U8, 2, {0, 3}, 0, NULL},
    {"a\"\xc3\xa9", PSGD_ELEMENT_F64, 2, {1, 2}, sizeof some_doubles, some_doubles},
};
static const psgd_metadata two_keys[] = {{"zz", "last"}, {"aa", "{\"x\":1}"}};

static void bytes_are_as_specified(void **state)
{
    (void)state;
    static const char header[] = "{\"__metadata__\":{\"aa\":\"{\\\"x\\\":1}\",\"zz\":\"last\"},"
                                 "\"z\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,12]},"
                                 "\"none\":{\"dtype\":\"U8\",\"shape\":[0,3],\"data_offsets\":[12,12]},"
                                 "\"a\\\"\xc3\xa9\":{\"dtype\":\"F64\",\"shape\":[1,2],\"data_offsets\":[12,28]}}";
    void *bytes = NULL;
    size_t count = 0;
    char message[message_size] = "";
    assert_int_equal(psgd_safetensors_serialize(&bytes, &count, three_tensors, 3, two_keys, 2, message, sizeof message),
                     PSGD_OK);
    assert_string_equal(message, "");
    const size_t length = strlen(header), padded = (length + 7) / 8 * 8;
    const unsigned char *b = bytes;
    assert_int_equal(count, 8 + padded + 28);
    assert_int_equal(b[0] + 256 * b[1], padded);
    for (int i = 2; i < 8; i++) {
        assert_int_equal(b[i], 0);
    }
    assert_memory_equal(b + 8, header, length);
    for (size_t i = length; i < padded; i++) {
        assert_int_equal(b[8 + i], ' ');
    }
    assert_memory_equal(b + 8 + padded, some_floats, 12);
    assert_memory_equal(b + 8 + padded + 12, some_doubles, 16);
    free(bytes);
}

static void metadata_order_does_not_matter(void **state)
{
    (void)state;
    const psgd_metadata other_way[] = {two_keys[1], two_keys[0]};
    void *a = NULL, *b = NULL;
    size_t a_count = 0, b_count = 1;
    assert_int_equal(psgd_safetensors_serialize(&a, &a_count, three_tensors, 3, two_keys, 2, NULL, 0), PSGD_OK);
    assert_int_equal(psgd_safetensors_serialize(&b, &b_count, three_tensors, 3, other_way, 2, NULL, 0), PSGD_OK);
    assert_int_equal(a_count, b_count);
    assert_memory_equal(a, b, a_count);
    free(a);
    free(b);
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    void *bytes = NULL;
    size_t count = 0;
    assert_int_equal(psgd_safetensors_serialize(&bytes, &count, three_tensors, 3, two_keys, 2, NULL, 0), PSGD_OK);
    psgd_safetensors *file = NULL;
    assert_int_equal(psgd_safetensors_parse(&file, bytes, count, NULL, 0), PSGD_OK);
    free(bytes);
    assert_int_equal(psgd_safetensors_count(file), 3);
    for (size_t i = 0; i < 3; i++) {
        const psgd_tensor *t = psgd_safetensors_at(file, i), *expected = &three_tensors[i];
        assert_string_equal(t->name, expected->name);
        assert_int_equal(t->element, expected->element);
        assert_int_equal(t->ndim, expected->ndim);
        assert_memory_equal(t->dims, expected->dims, t->ndim * sizeof *t->dims);
        assert_int_equal(t->bytes, expected->bytes);
        if (t->bytes > 0) {
            assert_memory_equal(t->data, expected->data, t->bytes);
        }
    }
    assert_string_equal(psgd_safetensors_metadata(file, "aa"), two_keys[1].value);
    assert_string_equal(psgd_safetensors_metadata(file, "zz"), "last");
    psgd_safetensors_close(file);
}

static void an_empty_file_is_legal(void **state)
{
    (void)state;
    void *bytes = NULL;
    size_t count = 0;
    assert_int_equal(psgd_safetensors_serialize(&bytes, &count, NULL, 0, NULL, 0, NULL, 0), PSGD_OK);
    assert_int_equal(count, 16);
    assert_memory_equal(bytes, "\10\0\0\0\0\0\0\0{}      ", 16);
    free(bytes);
}

/* ---- refusals ---- */

static void refused(const psgd_tensor *tensors, size_t tensor_count, const psgd_metadata *metadata,
                    size_t metadata_count, const char *message_part)
{
    void *bytes = NULL;
    size_t count = 0;
    char message[message_size] = "";
    assert_int_equal(psgd_safetensors_serialize(&bytes, &count, tensors, tensor_count, metadata, metadata_count,
                                                message, sizeof message),
                     PSGD_ERR_ARGUMENT);
    assert_null(bytes);
    if (!strstr(message, message_part)) {
        fail_msg("'%s' does not say '%s'", message, message_part);
    }
}

static void bad_tensors_are_refused(void **state)
{
    (void)state;
    static const struct {
        psgd_tensor tensor;
        const char *message_part;
    } bad[] = {
        {{NULL, PSGD_ELEMENT_U8, 1, {3}, 3, some_floats}, "tensor name is null"},
        {{"\xff", PSGD_ELEMENT_U8, 1, {3}, 3, some_floats}, "tensor name is not UTF-8"},
        {{"__metadata__", PSGD_ELEMENT_U8, 1, {3}, 3, some_floats}, "reserved"},
        {{"t", (psgd_element)0, 1, {3}, 3, some_floats}, "tensor 't': element is 0"},
        {{"t", PSGD_ELEMENT_U8, 9, {1, 1, 1, 1, 1, 1, 1, 1}, 1, some_floats}, "tensor 't': ndim is 9"},
        {{"t", PSGD_ELEMENT_F32, 1, {3}, 3, some_floats}, "tensor 't': bytes is 3"},
        {{"t", PSGD_ELEMENT_F32, 0, {0}, 0, some_floats}, "tensor 't': bytes is 0"},
        {{"t", PSGD_ELEMENT_F32, 2, {SIZE_MAX, 4}, 12, some_floats}, "tensor 't': bytes is 12"},
        {{"t", PSGD_ELEMENT_U8, 2, {SIZE_MAX, 0}, 0, some_floats}, "tensor 't': bytes is 0"},
        {{"t", PSGD_ELEMENT_F32, 1, {3}, 12, NULL}, "tensor 't': data is null"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        refused(&bad[i].tensor, 1, NULL, 0, bad[i].message_part);
    }
    const psgd_tensor twice[] = {three_tensors[0], three_tensors[1], three_tensors[0]};
    refused(twice, 3, NULL, 0, "tensor name 'z' is there twice");
    refused(NULL, 1, NULL, 0, "null");
    refused(NULL, 0, NULL, 1, "null");
}

static void bad_metadata_is_refused(void **state)
{
    (void)state;
    const psgd_metadata no_key = {NULL, "x"}, no_value = {"x", NULL}, bad_key = {"\xc3", "x"},
                        bad_value = {"x", "\xe9"};
    refused(NULL, 0, &no_key, 1, "metadata key is null");
    refused(NULL, 0, &no_value, 1, "metadata value is null");
    refused(NULL, 0, &bad_key, 1, "metadata key is not UTF-8");
    refused(NULL, 0, &bad_value, 1, "metadata value is not UTF-8");
    const psgd_metadata twice[] = {{"k", "1"}, {"j", "2"}, {"k", "1"}};
    refused(NULL, 0, twice, 3, "metadata key 'k' is there twice");
}

/* ---- files ---- */

typedef struct place {
    char folder[40], path[60];
} place;

static int make_place(void **state)
{
    place *p = calloc(1, sizeof *p);
    if (!p) {
        return -1;
    }
    strcpy(p->folder, "/tmp/psgd-write-XXXXXX");
    if (!mkdtemp(p->folder)) {
        free(p);
        return -1;
    }
    snprintf(p->path, sizeof p->path, "%s/file", p->folder);
    *state = p;
    return 0;
}

static int remove_place(void **state)
{
    place *p = *state;
    (void)unlink(p->path);
    const int result = rmdir(p->folder); /* fails if anything else was left: so no test leaves temporary files */
    free(p);
    return result;
}

static size_t files_in(const char *folder)
{
    size_t count = 0;
    DIR *open_folder = opendir(folder);
    assert_non_null(open_folder);
    for (const struct dirent *entry; (entry = readdir(open_folder)) != NULL;) {
        count += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    }
    closedir(open_folder);
    return count;
}

static void writes_and_replaces(void **state)
{
    const place *p = *state;
    char message[message_size] = "";
    const mode_t before = umask(027);
    assert_int_equal(psgd_safetensors_write(p->path, three_tensors, 3, two_keys, 2, message, sizeof message), PSGD_OK);
    umask(before);
    struct stat info;
    assert_int_equal(stat(p->path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    psgd_safetensors *file = NULL;
    assert_int_equal(psgd_safetensors_open(&file, p->path, message, sizeof message), PSGD_OK);
    assert_int_equal(psgd_safetensors_count(file), 3);
    psgd_safetensors_close(file);

    assert_int_equal(psgd_safetensors_write(p->path, three_tensors, 1, NULL, 0, message, sizeof message), PSGD_OK);
    assert_int_equal(psgd_safetensors_open(&file, p->path, message, sizeof message), PSGD_OK);
    assert_int_equal(psgd_safetensors_count(file), 1);
    psgd_safetensors_close(file);
    assert_int_equal(files_in(p->folder), 1);
}

static void devices_and_pipes_stay(void **state)
{
    const place *p = *state;
    char message[message_size] = "";
    assert_int_equal(mkfifo(p->path, 0600), 0);
    assert_int_equal(psgd_safetensors_write(p->path, three_tensors, 3, NULL, 0, message, sizeof message), PSGD_ERR_IO);
    assert_non_null(strstr(message, "not a regular file"));
    struct stat info;
    assert_int_equal(stat(p->path, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
}

/* Makes or removes what crashed writers of this process would have left in the current folder. */
static void old_temporaries(int count, bool make)
{
    for (int i = 0; i < count; i++) {
        char name[100];
        snprintf(name, sizeof name, ".psgd-%ld-%d.tmp", (long)getpid(), i);
        if (make) {
            FILE *f = fopen(name, "w");
            assert_non_null(f);
            assert_int_equal(fclose(f), 0);
        } else {
            assert_int_equal(unlink(name), 0); /* still there: not the writer's to touch */
        }
    }
}

/* A path without a folder means the current one, where old temporary files are stepped over, up to a thousand. */
static void relative_paths_and_old_temporaries(void **state)
{
    const place *p = *state;
    enum { attempts = 1000 };
    char old_folder[4096], message[message_size] = "";
    assert_non_null(getcwd(old_folder, sizeof old_folder));
    assert_int_equal(chdir(p->folder), 0);
    old_temporaries(attempts, true);
    assert_int_equal(psgd_safetensors_write("file", three_tensors, 3, NULL, 0, message, sizeof message), PSGD_ERR_IO);
    assert_non_null(strstr(message, "cannot make a temporary file in .:"));
    assert_int_equal(access("file", F_OK), -1);
    old_temporaries(attempts, false);
    old_temporaries(2, true);
    assert_int_equal(psgd_safetensors_write("file", three_tensors, 3, NULL, 0, message, sizeof message), PSGD_OK);
    old_temporaries(2, false);
    assert_int_equal(chdir(old_folder), 0);
    assert_int_equal(access(p->path, R_OK), 0);
}

static void failures_leave_no_trace(void **state)
{
    const place *p = *state;
    char message[message_size] = "", path[100];
    snprintf(path, sizeof path, "%s/no/such/file", p->folder);
    assert_int_equal(psgd_safetensors_write(path, three_tensors, 3, NULL, 0, message, sizeof message), PSGD_ERR_IO);
    assert_non_null(strstr(message, "cannot open the folder"));
    assert_int_equal(mkdir(p->path, 0700), 0); /* a folder can't be replaced by a file */
    assert_int_equal(psgd_safetensors_write(p->path, three_tensors, 3, NULL, 0, message, sizeof message), PSGD_ERR_IO);
    assert_non_null(strstr(message, "cannot replace"));
    assert_int_equal(files_in(p->folder), 1);
    assert_int_equal(rmdir(p->path), 0);
    assert_int_equal(psgd_safetensors_write(NULL, three_tensors, 3, NULL, 0, message, sizeof message),
                     PSGD_ERR_ARGUMENT);
    const psgd_tensor bad = {"t", PSGD_ELEMENT_F32, 1, {3}, 3, some_floats};
    assert_int_equal(psgd_safetensors_write(p->path, &bad, 1, NULL, 0, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_int_equal(files_in(p->folder), 0);
}

/* No room for the last byte of the new file (here: a limit on file sizes): the old one stays, the temporary one goes.
 */
static void full_disk_keeps_the_old_file(void **state)
{
    const place *p = *state;
    char message[message_size] = "";
    assert_int_equal(psgd_safetensors_write(p->path, three_tensors, 1, NULL, 0, NULL, 0), PSGD_OK);
    void *bytes = NULL;
    size_t count = 0;
    assert_int_equal(psgd_safetensors_serialize(&bytes, &count, three_tensors, 3, NULL, 0, NULL, 0), PSGD_OK);
    free(bytes);
    struct rlimit old, low;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    low = old;
    low.rlim_cur = count - 1;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    assert_int_equal(sigaction(SIGXFSZ, &ignore, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    const psgd_status status = psgd_safetensors_write(p->path, three_tensors, 3, NULL, 0, message, sizeof message);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(sigaction(SIGXFSZ, &before, NULL), 0);
    assert_int_equal(status, PSGD_ERR_IO);
    assert_non_null(strstr(message, "cannot write"));
    assert_int_equal(files_in(p->folder), 1);
    psgd_safetensors *file = NULL;
    assert_int_equal(psgd_safetensors_open(&file, p->path, NULL, 0), PSGD_OK);
    assert_int_equal(psgd_safetensors_count(file), 1);
    psgd_safetensors_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_as_specified),
        cmocka_unit_test(metadata_order_does_not_matter),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(an_empty_file_is_legal),
        cmocka_unit_test(bad_tensors_are_refused),
        cmocka_unit_test(bad_metadata_is_refused),
        cmocka_unit_test_setup_teardown(writes_and_replaces, make_place, remove_place),
        cmocka_unit_test_setup_teardown(devices_and_pipes_stay, make_place, remove_place),
        cmocka_unit_test_setup_teardown(relative_paths_and_old_temporaries, make_place, remove_place),
        cmocka_unit_test_setup_teardown(failures_leave_no_trace, make_place, remove_place),
        cmocka_unit_test_setup_teardown(full_disk_keeps_the_old_file, make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
