/* module_folder.c: see module_folder.h. */
#include "harness/module_folder.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *beside_executable(const char *relative)
{
    char own[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0)
        return NULL;
    own[length] = '\0';
    const char *slash = strrchr(own, '/');
    if (slash == NULL)
        return NULL;
    const size_t folder_length = (size_t)(slash - own), size = folder_length + 1 + strlen(relative) + 1;
    char *path = malloc(size);
    if (path != NULL)
        (void)snprintf(path, size, "%.*s/%s", (int)folder_length, own, relative);
    return path;
}

/* CONFORM_MODULES: from the folder of executables to the one that modules are installed to. */
static char *installed_path(const char *file)
{
    const size_t size = strlen(CONFORM_MODULES) + 1 + strlen(file) + 1;
    char *relative = malloc(size);
    if (relative == NULL)
        return NULL;
    (void)snprintf(relative, size, "%s/%s", CONFORM_MODULES, file);
    char *path = beside_executable(relative);
    free(relative);
    return path;
}

bool module_folder_find(char **path, const char *file, char *message, size_t message_size)
{
    char *candidates[] = {beside_executable(file), installed_path(file)};
    *path = NULL;
    for (int i = 0; i < 2; i++)
        if (*path == NULL && candidates[i] != NULL && access(candidates[i], R_OK) == 0) {
            *path = candidates[i];
            candidates[i] = NULL;
        }
    if (*path == NULL) {
        const char *unknown = "(the kit's own folder is unknown)";
        (void)snprintf(message, message_size, "the module %s was not found; looked for %s and %s", file,
                       candidates[0] != NULL ? candidates[0] : unknown,
                       candidates[1] != NULL ? candidates[1] : unknown);
    }
    free(candidates[0]);
    free(candidates[1]);
    return *path != NULL;
}
