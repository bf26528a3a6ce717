/* vectors.h: the folder of golden files: found, and every file's sha256 held against the manifest before it is used. */
#ifndef CONFORMANCE_CLI_VECTORS_H
#define CONFORMANCE_CLI_VECTORS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct vectors {
    char *folder;
    long long version; /* of the vectors, from the manifest */
    char sha256[65];   /* of the manifest itself: names the whole set */
    size_t file_count;
    char **files; /* [file_count] names in the manifest, verified */
} vectors;

/* The folder of golden files, malloc'ed: `named` if not null, else the one that was installed with this program, else
 * the one in the source tree that it was built from. Null if there is none (or no memory). */
char *vectors_folder(const char *named);

/* folder: null for the project's own. False: message names the file and what is wrong with it. */
bool vectors_open(vectors *v, const char *folder, char *message, size_t message_size);
void vectors_free(vectors *v);
bool vectors_have(const vectors *v, const char *file);

#endif
