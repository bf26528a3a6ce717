/* fixtures.h: what the tests of cases and files have in common. */
#ifndef CONFORMANCE_TESTS_HARNESS_FIXTURES_H
#define CONFORMANCE_TESTS_HARNESS_FIXTURES_H

#include "harness/case.h"

/* The case of a problem string; fails the test where that cannot be made. */
void build_case(test_case *c, const char *problem_text);

/* A trace of case c as a port might leave it: every array there, filled with numbers of their own. */
trace *full_trace(const test_case *c);

/* FNV-1a over bytes, going on from hash (0: the beginning). */
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count);

/* An empty folder of this process's own; removed with what is in it. */
char *make_folder(void);
void remove_folder(char *folder);

#endif
