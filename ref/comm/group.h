/* group.h: what groups of processes and groups of threads have in common. Internal to ref/comm. */
#ifndef PSGD_COMM_GROUP_H
#define PSGD_COMM_GROUP_H

#include "psgd/psgd.h"

enum { PSGD_GROUP_MAX_SIZE = 1024 };

/* Writes the reason to message[message_size], if there is room for one. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void psgd_group_explain(char *message, size_t message_size, const char *format, ...);

/* PSGD_ERR_ARGUMENT, with the reason, unless size is 1 .. PSGD_GROUP_MAX_SIZE and timeout_seconds above 0;
 * *timeout_nanoseconds is at most 30 years. */
psgd_status psgd_group_check(int64_t *timeout_nanoseconds, int32_t size, double timeout_seconds, char *message,
                             size_t message_size);

int64_t psgd_monotonic_nanoseconds(void);

#endif
