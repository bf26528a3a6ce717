/* Tests of report/file.c: whole or not at all, and refusals that are known beforehand. */
#include "tests/cli/unit.h"

#include "report/file.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "psgd-report-test-XXXXXX"; /* in the working folder; mkdtemp fills it in */

static const char *at(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void expect_text(const char *path, const char *expected)
{
    char text[256];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t length = fread(text, 1, sizeof text - 1, file);
    text[length] = '\0';
    fclose(file);
    assert_string_equal(text, expected);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(at("report"));
    unlink(at("link"));
    return rmdir(folder); /* fails if anything else was left behind */
}

static void test_written_and_replaced(void **state)
{
    (void)state;
    char message[256] = "";
    assert_true(report_file_check(at("report"), message, sizeof message));
    assert_int_equal(access(at("report"), F_OK), -1); /* the check leaves nothing */
    assert_true(report_file_write(at("report"), "first", message, sizeof message));
    expect_text(at("report"), "first\n");
    assert_true(report_file_check(at("report"), message, sizeof message));
    assert_true(report_file_write(at("report"), "second", message, sizeof message));
    expect_text(at("report"), "second\n");
    assert_string_equal(message, "");
}

static void test_a_link_stays(void **state)
{
    (void)state;
    char message[256] = "";
    struct stat status;
    assert_true(report_file_write(at("report"), "old", message, sizeof message));
    assert_int_equal(symlink("report", at("link")), 0);
    assert_true(report_file_write(at("link"), "new", message, sizeof message));
    assert_int_equal(lstat(at("link"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    expect_text(at("report"), "new\n");
}

static void refused(const char *path, const char *reason)
{
    char message[512] = "";
    assert_false(report_file_check(path, message, sizeof message));
    assert_non_null(strstr(message, path));
    assert_non_null(strstr(message, reason));
    assert_false(report_file_write(path, "text", message, sizeof message));
}

static void test_refusals(void **state)
{
    (void)state;
    char message[256] = "";
    assert_true(report_file_write(at("report"), "old", message, sizeof message));
    refused(at("no/folder"), "No such file or directory");
    refused(at("report/below"), "Not a directory");
    refused(folder, "Is a directory");
    expect_text(at("report"), "old\n");
    assert_false(report_file_write("/dev/full", "text", message, sizeof message));
    assert_non_null(strstr(message, "/dev/full"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_and_replaced),
        cmocka_unit_test(test_a_link_stays),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
