/* module_folder.c: what is found beside the executable, and what is said when nothing is. */
#include "harness/module_folder.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

static void the_executable_lies_beside_itself(void **state)
{
    (void)state;
    char *path = NULL, message[1024] = "";
    assert_true(module_folder_find(&path, "test_harness_module_folder", message, sizeof message));
    char *expected = beside_executable("test_harness_module_folder");
    assert_non_null(expected);
    assert_int_equal(expected[0], '/');
    assert_string_equal(path, expected);
    assert_string_equal(message, "");
    free(expected);
    free(path);
}

static void what_is_nowhere_is_refused_with_both_places(void **state)
{
    (void)state;
    char *path = NULL, message[4096] = "";
    assert_false(module_folder_find(&path, "no-such-module.so", message, sizeof message));
    assert_null(path);
    char *beside = beside_executable("no-such-module.so"), *installed = beside_executable(CONFORM_MODULES);
    assert_non_null(beside);
    assert_non_null(installed);
    assert_non_null(strstr(message, beside));
    assert_non_null(strstr(message, installed));
    free(installed);
    free(beside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_executable_lies_beside_itself),
        cmocka_unit_test(what_is_nowhere_is_refused_with_both_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
