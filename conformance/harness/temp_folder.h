/* temp_folder.h: private folders for short-lived files, always removed with all that is in them. */
#ifndef CONFORMANCE_HARNESS_TEMP_FOLDER_H
#define CONFORMANCE_HARNESS_TEMP_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* A new folder under TMPDIR (else /tmp) that only its owner can enter; malloc'ed path. Null: message. */
char *temp_folder_make(char *message, size_t message_size);
/* Removes the folder and everything below it; follows no symbolic link. What cannot be removed stays. */
void temp_folder_remove(const char *path);

/* Plain write and read of a whole file, not flushed to the disk. *bytes is malloc'ed. */
bool file_write(const char *path, const void *bytes, size_t count);
bool file_read(void **bytes, size_t *count, const char *path);
/* The last `most` bytes at most, as text without control characters (new lines apart); malloc'ed; null: none. */
char *file_tail(const char *path, size_t most);

#endif
