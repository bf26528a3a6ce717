/* Tests of loaded_blas.c: nothing before, OpenBLAS once it is loaded, and never more than there is room for. */
#include "test_main.h"

#include "harness/loaded_blas.h"

#include <dlfcn.h>
#include <string.h>

static void test_loaded(void **state)
{
    (void)state;
    char names[256] = "something", small[8];
    loaded_blas(names, sizeof names);
    assert_string_equal(names, "");
    assert_non_null(dlopen(OPENBLAS, RTLD_NOW | RTLD_LOCAL));
    loaded_blas(names, sizeof names);
    const char *found = strstr(names, "openblas");
    assert_non_null(found);
    assert_null(strstr(found + 1, "openblas")); /* it is mapped in several pieces, and named once */
    assert_null(strchr(names, '/'));
    loaded_blas(small, sizeof small);
    assert_string_equal(small, ""); /* no room for the whole name: none of it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loaded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
