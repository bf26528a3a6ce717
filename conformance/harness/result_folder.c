/* result_folder.c: the index of a folder of results. Names are sorted into results, cases and strays; each result is
 * opened once, to learn who made it and for which case. Nothing outside of the folder is looked at, and no name from a
 * file becomes a path. Read next: result_folder_read.c. */
#include "harness/result_folder.h"

#include "core/safetensors.h"
#include "harness/claims.h"
#include "harness/message.h"
#include "harness/result_folder_internal.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char ending[] = ".safetensors", mark[] = ".result";

/* ---- cases ---- */

static int compare_cases(const void *a, const void *b)
{
    return strcmp(((const result_case *)a)->id, ((const result_case *)b)->id);
}

static bool add_cases(result_folder *f, const char *const *ids, size_t count)
{
    f->cases = calloc(count > 0 ? count : 1, sizeof *f->cases);
    for (size_t i = 0; f->cases != NULL && i < count; i++) {
        f->cases[i].id = strdup(ids[i]);
        if (f->cases[i].id == NULL)
            return false;
        f->case_count++;
    }
    if (f->cases != NULL)
        qsort(f->cases, f->case_count, sizeof *f->cases, compare_cases);
    return f->cases != NULL;
}

result_case *result_folder_case(const result_folder *f, const char *id)
{
    const result_case key = {.id = (char *)(uintptr_t)id};
    return bsearch(&key, f->cases, f->case_count, sizeof *f->cases, compare_cases);
}

/* The case whose id is the first `length` characters of name; null: none. */
static result_case *case_named(const result_folder *f, const char *name, size_t length)
{
    char id[NAME_MAX + 1];
    if (length > NAME_MAX)
        return NULL;
    memcpy(id, name, length);
    id[length] = '\0';
    return result_folder_case(f, id);
}

/* ---- names ---- */

static bool ends_with(const char *name, size_t length, const char *end)
{
    const size_t size = strlen(end);
    return length >= size && memcmp(name + length - size, end, size) == 0;
}

/* The number at the end of name[length] after ".k": *rank, INT_MAX where it is larger; *length is then that before it.
 * False: there is none. */
static bool cut_rank(const char *name, size_t *length, int *rank, bool *canonical)
{
    size_t first = *length;
    while (first > 0 && isdigit((unsigned char)name[first - 1]))
        first--;
    if (first == *length || first < 2 || name[first - 1] != 'k' || name[first - 2] != '.')
        return false;
    const size_t digits = *length - first;
    long long number = 0;
    for (size_t i = first; i < *length && number < INT_MAX; i++)
        number = 10 * number + (name[i] - '0');
    *rank = number < INT_MAX ? (int)number : INT_MAX;
    *canonical = digits == 1 || name[first] != '0';
    *length = first - 2;
    return true;
}

/* Is it the name of a result? *length is then that of the case's id. */
static bool parse_name(const char *name, size_t *length, int *rank, bool *canonical)
{
    *length = strlen(name) - strlen(ending);
    *rank = -1;
    *canonical = true;
    size_t before = *length;
    if (cut_rank(name, &before, rank, canonical) && ends_with(name, before, mark))
        *length = before;
    else
        *rank = -1;
    if (!ends_with(name, *length, mark))
        return false;
    *length -= strlen(mark);
    return true;
}

/* ---- the files ---- */

/* Room for one more of an array's elements, doubled at every power of two. */
static bool make_room(void **array, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return true;
    const size_t room = count > 0 ? 2 * count : 1;
    void *larger = room > SIZE_MAX / size ? NULL : realloc(*array, room * size);
    if (larger != NULL)
        *array = larger;
    return larger != NULL;
}

static bool add_stray(result_folder *f, const char *name)
{
    char *copy = strdup(name);
    if (copy == NULL || !make_room((void **)&f->strays, f->stray_count, sizeof *f->strays)) {
        free(copy);
        return false;
    }
    f->strays[f->stray_count++] = copy;
    return true;
}

static bool add_result(result_folder *f, const char *name, const result_case *of, int rank, bool canonical)
{
    char *copy = strdup(name);
    if (copy == NULL || !make_room((void **)&f->files, f->file_count, sizeof *f->files)) {
        free(copy);
        return false;
    }
    f->files[f->file_count++] =
        (result_file){.name = copy, .of = (size_t)(of - f->cases), .rank = rank, .canonical = canonical};
    return true;
}

static bool add_name(result_folder *f, const char *name)
{
    size_t length = strlen(name);
    int rank;
    bool canonical;
    if (!ends_with(name, length, ending) || case_named(f, name, length - strlen(ending)) != NULL)
        return true;
    const bool is_result = parse_name(name, &length, &rank, &canonical);
    const result_case *of = is_result ? case_named(f, name, length) : NULL;
    return of != NULL ? add_result(f, name, of, rank, canonical) : add_stray(f, name);
}

static int compare_files(const void *a, const void *b)
{
    const result_file *x = a, *y = b;
    if (x->of != y->of)
        return x->of < y->of ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool list_files(result_folder *f, char *message, size_t message_size)
{
    DIR *entries = opendir(f->path);
    if (entries == NULL)
        return refuse(message, message_size, "folder %s cannot be read: %s", f->path, strerror(errno));
    bool ok = true;
    const struct dirent *entry;
    while (ok && (entry = readdir(entries)) != NULL)
        ok = add_name(f, entry->d_name);
    closedir(entries);
    if (f->file_count > 0)
        qsort(f->files, f->file_count, sizeof *f->files, compare_files);
    if (f->stray_count > 0)
        qsort(f->strays, f->stray_count, sizeof *f->strays, compare_names);
    return ok || refuse(message, message_size, "no memory for the list of results");
}

/* ---- who made them ---- */

static bool add_port(result_folder *f, const char *producer, const char *version, uint64_t claims, const char *example)
{
    for (size_t i = 0; i < f->port_count; i++) {
        result_port *known = &f->ports[i];
        if (strcmp(known->producer, producer) == 0 && strcmp(known->version, version) == 0 && known->claims == claims) {
            known->files++;
            return true;
        }
    }
    result_port port = {
        .producer = strdup(producer), .version = strdup(version), .claims = claims, .files = 1, .example = example};
    if (port.producer == NULL || port.version == NULL ||
        !make_room((void **)&f->ports, f->port_count, sizeof *f->ports)) {
        free(port.producer);
        free(port.version);
        return false;
    }
    f->ports[f->port_count++] = port;
    return true;
}

/* A file that cannot be opened, or is no result, says nothing of its port: reading the case will say why. */
static bool learn(result_folder *f, result_file *file)
{
    char path[RESULT_PATH_SIZE];
    psgd_safetensors *opened;
    if (!result_path(path, f, file->name) || psgd_safetensors_open(&opened, path, NULL, 0) != PSGD_OK)
        return true;
    const char *id = psgd_safetensors_metadata(opened, "id"), *bad;
    const char *producer = psgd_safetensors_metadata(opened, "producer");
    const char *version = psgd_safetensors_metadata(opened, "version");
    const char *claims_text = psgd_safetensors_metadata(opened, "claims");
    uint64_t claims = 0; /* says nothing of them */
    bool ok = true;
    if (id != NULL && strcmp(id, f->cases[file->of].id) != 0) {
        file->foreign = strdup(id);
        ok = file->foreign != NULL;
    }
    if (claims_text == NULL || claims_parse(&claims, claims_text, &bad))
        ok = ok &&
             add_port(f, producer != NULL ? producer : "unnamed", version != NULL ? version : "", claims, file->name);
    psgd_safetensors_close(opened);
    return ok;
}

bool result_folder_open(result_folder *f, const char *path, const char *const *ids, size_t count, char *message,
                        size_t message_size)
{
    *f = (result_folder){.path = strdup(path)};
    if (f->path == NULL || !add_cases(f, ids, count))
        return refuse(message, message_size, "no memory for the list of results");
    bool ok = list_files(f, message, message_size);
    for (size_t i = 0; ok && i < f->file_count; i++)
        ok = learn(f, &f->files[i]) || refuse(message, message_size, "no memory for the list of results");
    return ok;
}

void result_folder_free(result_folder *f)
{
    for (size_t i = 0; i < f->case_count; i++) {
        free(f->cases[i].id);
        free(f->cases[i].message);
    }
    for (size_t i = 0; i < f->file_count; i++) {
        free(f->files[i].name);
        free(f->files[i].foreign);
    }
    for (size_t i = 0; i < f->stray_count; i++)
        free(f->strays[i]);
    for (size_t i = 0; i < f->port_count; i++) {
        free(f->ports[i].producer);
        free(f->ports[i].version);
    }
    free(f->cases);
    free(f->files);
    free(f->strays);
    free(f->ports);
    free(f->path);
    *f = (result_folder){0};
}
