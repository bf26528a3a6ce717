/* message.h: why something was refused, in words, into the caller's buffer. */
#ifndef CONFORMANCE_HARNESS_MESSAGE_H
#define CONFORMANCE_HARNESS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

/* printf into message[size] (null or size 0: nowhere). Returns false, so that a refusal is one line: return
 * refuse(...). */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool refuse(char *message, size_t size, const char *format, ...);

#endif
