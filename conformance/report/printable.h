/* printable.h: text that comes from a port or a file, made safe for a terminal. */
#ifndef CONFORMANCE_REPORT_PRINTABLE_H
#define CONFORMANCE_REPORT_PRINTABLE_H

#include <stddef.h>

/* Copies text to buffer[size] with control characters, and bytes that are not ASCII, as '?'; newlines and tabs become
 * spaces. Null: "". Returns buffer. */
const char *printable(char *buffer, size_t size, const char *text);

#endif
