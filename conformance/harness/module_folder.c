/* module_folder.c: see module_folder.h. */
#include "harness/module_folder.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef CONFORM_LIBEXEC
#define CONFORM_LIBEXEC "" /* the folder that the modules are installed to; empty: beside the executable only */
#endif

static char *join(const char *folder, size_t folder_length, const char *file)
{
    size_t size = folder_length + 1 + strlen(file) + 1;
    char *path = malloc(size);
    if (path != NULL)
        (void)snprintf(path, size, "%.*s/%s", (int)folder_length, folder, file);
    return path;
}

bool module_folder_find(char **path, const char *file, char *message, size_t message_size)
{
    *path = NULL;
    char own[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    char *beside = NULL;
    if (length > 0) {
        own[length] = '\0';
        char *slash = strrchr(own, '/');
        if (slash != NULL) {
            beside = join(own, (size_t)(slash - own), file);
            if (beside != NULL && access(beside, R_OK) == 0) {
                *path = beside;
                return true;
            }
        }
    }
    char *installed = CONFORM_LIBEXEC[0] != '\0' ? join(CONFORM_LIBEXEC, strlen(CONFORM_LIBEXEC), file) : NULL;
    if (installed != NULL && access(installed, R_OK) == 0) {
        free(beside);
        *path = installed;
        return true;
    }
    (void)snprintf(message, message_size, "the module %s was not found; looked for %s%s%s", file,
                   beside != NULL ? beside : "(the kit's own folder is unknown)", installed != NULL ? " and " : "",
                   installed != NULL ? installed : "");
    free(beside);
    free(installed);
    return false;
}
