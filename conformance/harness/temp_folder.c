/* temp_folder.c: see temp_folder.h. */
#include "harness/temp_folder.h"

#include "harness/message.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *temp_folder_make(char *message, size_t message_size)
{
    const char *parent = getenv("TMPDIR");
    if (parent == NULL || parent[0] == '\0')
        parent = "/tmp";
    size_t size = strlen(parent) + 32;
    char *path = malloc(size);
    if (path == NULL) {
        (void)refuse(message, message_size, "no memory for a temporary folder's name");
        return NULL;
    }
    (void)snprintf(path, size, "%s/psgd-conform-XXXXXX", parent);
    if (mkdtemp(path) == NULL) {
        (void)refuse(message, message_size, "no temporary folder can be made in %s: %s", parent, strerror(errno));
        free(path);
        return NULL;
    }
    return path;
}

static void remove_entry(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path == NULL)
        return;
    (void)snprintf(path, size, "%s/%s", folder, name);
    struct stat entry;
    if (lstat(path, &entry) == 0 && S_ISDIR(entry.st_mode))
        temp_folder_remove(path);
    else
        (void)unlink(path);
    free(path);
}

void temp_folder_remove(const char *path)
{
    DIR *folder = opendir(path);
    if (folder != NULL) {
        for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
                remove_entry(path, entry->d_name);
        (void)closedir(folder);
    }
    (void)rmdir(path);
}

bool file_write(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return false;
    bool ok = count == 0 || fwrite(bytes, 1, count, file) == count;
    return fclose(file) == 0 && ok;
}

bool file_read(void **bytes, size_t *count, const char *path)
{
    *bytes = NULL;
    *count = 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    long size = -1;
    if (fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    bool ok = size >= 0 && fseek(file, 0, SEEK_SET) == 0;
    if (ok) {
        *bytes = malloc((size_t)size + 1);
        ok = *bytes != NULL && fread(*bytes, 1, (size_t)size, file) == (size_t)size;
        *count = (size_t)size;
    }
    (void)fclose(file);
    if (!ok) {
        free(*bytes);
        *bytes = NULL;
        *count = 0;
    }
    return ok;
}

char *file_tail(const char *path, size_t most)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    char *text = NULL;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size > 0) {
        size_t wanted = (size_t)size < most ? (size_t)size : most;
        text = malloc(wanted + 1);
        size_t got = 0;
        if (text != NULL && fseek(file, size - (long)wanted, SEEK_SET) == 0)
            got = fread(text, 1, wanted, file);
        if (text != NULL)
            text[got] = '\0';
        for (size_t i = 0; i < got; i++)
            if (((unsigned char)text[i] < 32 && text[i] != '\n' && text[i] != '\t') || text[i] == 127)
                text[i] = '?';
        while (got > 0 && text[got - 1] == '\n')
            text[--got] = '\0';
        if (got == 0) {
            free(text);
            text = NULL;
        }
    }
    (void)fclose(file);
    return text;
}
