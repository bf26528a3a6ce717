/* spans.h: spans of time in the tests of groups of threads. */
#ifndef PSGD_COMM_TESTS_SPANS_H
#define PSGD_COMM_TESTS_SPANS_H

#include "comm/group.h"
#include <time.h>

static inline void pause_for(long milliseconds)
{
    const struct timespec span = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    (void)nanosleep(&span, NULL);
}

static inline double seconds_since(int64_t begin)
{
    return (double)(psgd_monotonic_nanoseconds() - begin) / 1e9;
}

#endif
