/* test_main.h: a test that is also the kit's hidden command "rank", so that it can start itself as a rank. */
#ifndef CONFORMANCE_TESTS_HARNESS_TEST_MAIN_H
#define CONFORMANCE_TESTS_HARNESS_TEST_MAIN_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "harness/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEST_MAIN(tests)                                                                                               \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        if (argc > 1 && strcmp(argv[1], "rank") == 0)                                                                  \
            return runner_rank_main(argc, argv);                                                                       \
        return cmocka_run_group_tests(tests, NULL, NULL);                                                              \
    }

#endif
