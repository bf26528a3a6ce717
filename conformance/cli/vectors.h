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

/* The folder of golden files: `named` if not null, else the project's own; null if that is nowhere. */
const char *vectors_folder(const char *named);

/* folder: null for the project's own. False: message names the file and what is wrong with it. */
bool vectors_open(vectors *v, const char *folder, char *message, size_t message_size);
void vectors_free(vectors *v);
bool vectors_have(const vectors *v, const char *file);

#endif
