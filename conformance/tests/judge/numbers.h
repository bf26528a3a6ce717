/* numbers.h: what the tests of the judge's numerics share. */
#ifndef CONFORMANCE_TESTS_JUDGE_NUMBERS_H
#define CONFORMANCE_TESTS_JUDGE_NUMBERS_H

#include <stddef.h>

/* Fails the test unless got is within tolerance of expected; NaN fails. */
void assert_near(double got, double expected, double tolerance);

/* a[count] uniform in -1 .. 1, by GSL's MT19937. */
void fill_random(double *a, size_t count, unsigned long seed);

#endif
