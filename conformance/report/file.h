/* file.h: where a report goes. A regular file is replaced whole or not at all (the file that a link points to, never
 * the link); a device, a pipe, and what is standard output (/dev/stdout) is simply written to. */
#ifndef CONFORMANCE_REPORT_FILE_H
#define CONFORMANCE_REPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Could a report be written to path, as far as that is known before a run? Nothing is changed. False: message says why
 * not. */
bool report_file_check(const char *path, char *message, size_t message_size);

/* Writes the text and a newline. False: message says why, and a regular file is as it was. */
bool report_file_write(const char *path, const char *text, char *message, size_t message_size);

#endif
