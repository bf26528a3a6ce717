/* group.c: limits, messages and the clock of groups of ranks. Its contract is in group.h. */
#include "group.h"
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

void psgd_group_explain(char *message, size_t message_size, const char *format, ...)
{
    if (message == NULL || message_size == 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(message, message_size, format, arguments) < 0)
        message[0] = '\0';
    va_end(arguments);
}

psgd_status psgd_group_check(int64_t *timeout_nanoseconds, int32_t size, double timeout_seconds, char *message,
                             size_t message_size)
{
    if (size < 1 || size > PSGD_GROUP_MAX_SIZE) {
        psgd_group_explain(message, message_size, "size is %ld; it must be 1 to %d", (long)size,
                           (int)PSGD_GROUP_MAX_SIZE);
        return PSGD_ERR_ARGUMENT;
    }
    if (!(timeout_seconds > 0)) {
        psgd_group_explain(message, message_size, "timeout_seconds is %g; it must be above 0", timeout_seconds);
        return PSGD_ERR_ARGUMENT;
    }
    const double longest = 1e9; /* 30 years, which fit into 64 bits of nanoseconds */
    *timeout_nanoseconds = (int64_t)(1e9 * (timeout_seconds < longest ? timeout_seconds : longest));
    return PSGD_OK;
}

int64_t psgd_monotonic_nanoseconds(void)
{
    struct timespec now = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
