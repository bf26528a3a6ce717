/* Tests of cli/vectors.c: what a folder of golden files must be. Each test makes its own small folder. */
#include "unit.h"

#include "cli/vectors.h"

#include <sha2.h>
#include <unistd.h>

#define HEAD       "{\"format\": \"psgd-manifest/2\", \"set_ups\": {\"s\": {}}, "
#define ONE(files) HEAD "\"version\": 1, \"files\": {" files "}}"
#define ENTRY      "{\"sha256\": \"0\", \"set_up\": \"s\"}"

static char folder[] = "psgd-vectors-test-XXXXXX"; /* in the working folder; mkdtemp fills it in */

static const char *at(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(at(name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int empty_folder(void **state)
{
    (void)state;
    unlink(at("MANIFEST.json"));
    unlink(at("a"));
    return 0;
}

static int remove_folder(void **state)
{
    empty_folder(state);
    return rmdir(folder);
}

static void refused(const char *manifest, const char *reason)
{
    vectors v;
    char message[1024] = "";
    if (manifest != NULL)
        write_file("MANIFEST.json", manifest);
    assert_false(vectors_open(&v, folder, message, sizeof message));
    if (strstr(message, reason) == NULL)
        print_error("'%s' is not in: %s\n", reason, message);
    assert_non_null(strstr(message, reason));
    assert_null(v.folder);
}

static void test_good(void **state)
{
    (void)state;
    char hex[SHA256_DIGEST_STRING_LENGTH], manifest[256], message[256] = "";
    write_file("a", "some bytes");
    assert_non_null(SHA256File(at("a"), hex));
    snprintf(manifest, sizeof manifest,
             HEAD "\"version\": 7, \"files\": {\"a\": {\"sha256\": \"%s\", \"set_up\": \"s\"}}}", hex);
    write_file("MANIFEST.json", manifest);
    vectors v;
    assert_true(vectors_open(&v, folder, message, sizeof message));
    assert_true(v.version == 7);
    assert_int_equal(v.file_count, 1);
    assert_int_equal(strlen(v.sha256), 64);
    assert_true(vectors_have(&v, "a"));
    assert_false(vectors_have(&v, "b"));
    vectors_free(&v);

    write_file("a", "some other bytes");
    refused(NULL, "a is corrupt");
    unlink(at("a"));
    refused(NULL, "cannot read golden file");
}

static void test_refused(void **state)
{
    (void)state;
    refused(NULL, "MANIFEST.json: No such file or directory");
    refused("", "is not readable as JSON");
    refused("[]", "is of format ''");
    refused("{\"format\": \"psgd-manifest/1\", \"set_ups\": {}, \"version\": 1, \"files\": {}}",
            "is of format 'psgd-manifest/1', not psgd-manifest/2");
    refused(HEAD "\"version\": 1, \"files\": []}", "has no \"files\" object");
    refused(HEAD "\"version\": \"1\", \"files\": {}}", "no \"version\"");
    refused(HEAD "\"files\": {}}", "no \"version\"");
    refused("{\"format\": \"psgd-manifest/2\", \"version\": 1, \"files\": {}}", "no \"set_ups\" object");
    refused(ONE("\"a\": {\"set_up\": \"s\"}"), "'a' has no sha256");
    refused(ONE("\"a\": {\"sha256\": \"0\"}"), "'a' is of set-up '', which it does not describe");
    refused(ONE("\"a\": {\"sha256\": \"0\", \"set_up\": \"t\"}"), "'a' is of set-up 't', which it does not");
    refused(ONE("\"a\": " ENTRY ", \"a\": " ENTRY), "duplicate");
    refused(ONE("\"../a\": " ENTRY), "'../a' is not a plain file name");
    refused(ONE("\"/etc/passwd\": " ENTRY), "is not a plain file name");
    refused(ONE("\"..\": " ENTRY), "is not a plain file name");
    refused(ONE("\"\": " ENTRY), "is not a plain file name");
}

static void test_nowhere(void **state)
{
    (void)state;
    vectors v;
    char message[256] = "";
    assert_false(vectors_open(&v, "no/such/folder", message, sizeof message));
    assert_non_null(strstr(message, "no/such/folder/MANIFEST.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_good, empty_folder),
        cmocka_unit_test_teardown(test_refused, empty_folder),
        cmocka_unit_test(test_nowhere),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
