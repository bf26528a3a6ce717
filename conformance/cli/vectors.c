/* vectors.c: reads MANIFEST.json and verifies what it lists. */
#include "cli/vectors.h"

#include "harness/message.h"
#include "harness/module_folder.h"

#include <errno.h>
#include <jansson.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANIFEST_FORMAT "psgd-manifest/2" /* what golden/generate.py writes */

char *vectors_folder(const char *named)
{
    if (named != NULL)
        return strdup(named);
    char *installed = beside_executable(PSGD_GOLDEN_INSTALLED);
    if (installed == NULL || access(installed, R_OK) == 0)
        return installed;
    free(installed);
    return access(PSGD_GOLDEN_SOURCE, R_OK) == 0 ? strdup(PSGD_GOLDEN_SOURCE) : NULL;
}

static char *joined(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static bool file_sha256(char hex[65], const char *path, char *message, size_t message_size)
{
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) /* a pipe would be read for ever */
        return refuse(message, message_size, "golden file %s is not a regular file", path);
    errno = 0;
    if (SHA256File(path, hex) == NULL)
        return refuse(message, message_size, "cannot read golden file %s: %s", path, strerror(errno));
    return true;
}

static bool verify(vectors *v, const char *name, json_t *entry, json_t *set_ups, char *message, size_t message_size)
{
    const char *expected = json_string_value(json_object_get(entry, "sha256"));
    const char *set_up = json_string_value(json_object_get(entry, "set_up"));
    if (expected == NULL)
        return refuse(message, message_size, "MANIFEST.json: '%s' has no sha256", name);
    if (set_up == NULL || json_object_get(set_ups, set_up) == NULL)
        return refuse(message, message_size, "MANIFEST.json: '%s' is of set-up '%s', which it does not describe", name,
                      set_up != NULL ? set_up : "");
    if (name[0] == '\0' || strchr(name, '/') != NULL || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return refuse(message, message_size, "MANIFEST.json: '%s' is not a plain file name", name);
    char *path = joined(v->folder, name);
    char actual[SHA256_DIGEST_STRING_LENGTH];
    bool ok = path != NULL || refuse(message, message_size, "out of memory");
    ok = ok && file_sha256(actual, path, message, message_size);
    if (ok && strcmp(actual, expected) != 0)
        ok = refuse(message, message_size,
                    "golden file %s is corrupt: its sha256 is not the manifest's (git checkout restores it; "
                    "golden/generate.py makes it anew)",
                    path);
    if (ok) {
        v->files[v->file_count] = strdup(name);
        ok = v->files[v->file_count] != NULL || refuse(message, message_size, "out of memory");
        v->file_count += ok;
    }
    free(path);
    return ok;
}

static bool read_manifest(vectors *v, json_t *manifest, char *message, size_t message_size)
{
    json_t *files = json_object_get(manifest, "files"), *set_ups = json_object_get(manifest, "set_ups");
    json_t *version = json_object_get(manifest, "version");
    const char *format = json_string_value(json_object_get(manifest, "format"));
    if (format == NULL || strcmp(format, MANIFEST_FORMAT) != 0)
        return refuse(message, message_size, "%s/MANIFEST.json is of format '%.40s', not " MANIFEST_FORMAT, v->folder,
                      format != NULL ? format : "");
    if (!json_is_object(files) || !json_is_object(set_ups) || !json_is_integer(version))
        return refuse(message, message_size,
                      "%s/MANIFEST.json has no \"files\" object, no \"set_ups\" object or no \"version\"", v->folder);
    v->version = json_integer_value(version);
    v->files = calloc(json_object_size(files) + 1, sizeof *v->files);
    if (v->files == NULL)
        return refuse(message, message_size, "out of memory");
    const char *name;
    json_t *entry;
    json_object_foreach(files, name, entry)
    {
        if (!verify(v, name, entry, set_ups, message, message_size))
            return false;
    }
    return true;
}

bool vectors_open(vectors *v, const char *folder, char *message, size_t message_size)
{
    *v = (vectors){0};
    v->folder = vectors_folder(folder);
    if (v->folder == NULL)
        return refuse(message, message_size,
                      "no folder of golden files: neither %s, seen from the folder of psgd-conform, nor %s is there "
                      "(--golden FOLDER)",
                      PSGD_GOLDEN_INSTALLED, PSGD_GOLDEN_SOURCE);
    char *path = joined(v->folder, "MANIFEST.json");
    bool ok = path != NULL || refuse(message, message_size, "out of memory");
    ok = ok && file_sha256(v->sha256, path, message, message_size);
    if (ok) {
        json_error_t error;
        json_t *manifest = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
        ok = manifest != NULL ? read_manifest(v, manifest, message, message_size)
                              : refuse(message, message_size, "%s is not readable as JSON: %s", path, error.text);
        json_decref(manifest);
    }
    free(path);
    if (!ok)
        vectors_free(v);
    return ok;
}

void vectors_free(vectors *v)
{
    for (size_t i = 0; i < v->file_count; i++)
        free(v->files[i]);
    free(v->files);
    free(v->folder);
    *v = (vectors){0};
}

bool vectors_have(const vectors *v, const char *file)
{
    for (size_t i = 0; i < v->file_count; i++)
        if (strcmp(v->files[i], file) == 0)
            return true;
    return false;
}
