/* export_folder.c: see export_folder.h. The list is written last: a folder of an export that was broken off has none.
 */
#include "cli/export_folder.h"

#include "cli/export_list.h"
#include "cli/vectors.h"
#include "harness/casefile.h"
#include "harness/message.h"
#include "harness/temp_folder.h"

#include <dirent.h>
#include <errno.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What an export or a port leaves: the list, cases, results. */
static bool is_remnant(const char *name)
{
    static const char ending[] = ".safetensors";
    const size_t length = strlen(name), end = sizeof ending - 1;
    return strcmp(name, EXPORT_LIST_FILE) == 0 || (length >= end && strcmp(name + length - end, ending) == 0);
}

export_place export_folder_prepare(const char *folder, char *message, size_t message_size)
{
    if (mkdir(folder, 0777) == 0)
        return EXPORT_PLACE_READY;
    DIR *entries = errno == EEXIST ? opendir(folder) : NULL;
    if (entries == NULL) {
        refuse(message, message_size, "cannot make folder %s: %s", folder, strerror(errno));
        return EXPORT_PLACE_FAILED;
    }
    export_place place = EXPORT_PLACE_READY;
    const struct dirent *entry;
    while (place == EXPORT_PLACE_READY && (entry = readdir(entries)) != NULL)
        if (is_remnant(entry->d_name)) {
            refuse(message, message_size,
                   "%s holds %s already, of an older export or of results for it: name another folder, or empty this "
                   "one first",
                   folder, entry->d_name);
            place = EXPORT_PLACE_TAKEN;
        }
    closedir(entries);
    return place;
}

/* Where the seeding is tested, a Q in the file would prove nothing. */
static bool shows_q0(const options *o, const test_case *c)
{
    return o->with_q0 || !case_is_seeded(c);
}

static bool write_case(const options *o, export_entry *e, const test_case *c, const char *folder, char *message,
                       size_t message_size)
{
    void *bytes;
    size_t count;
    if (!casefile_serialize(c, shows_q0(o, c), &bytes, &count, message, message_size))
        return false;
    SHA256Data(bytes, count, e->sha256);
    const size_t size = strlen(folder) + strlen(e->id) + sizeof "/.safetensors";
    char *path = malloc(size);
    bool ok = path != NULL || refuse(message, message_size, "out of memory");
    if (ok) {
        snprintf(path, size, "%s/%s.safetensors", folder, e->id);
        errno = 0;
        ok = file_write(path, bytes, count) ||
             refuse(message, message_size, "%s cannot be written: %s", path, strerror(errno));
    }
    free(path);
    free(bytes);
    return ok;
}

static bool export_entry_write(const options *o, export_entry *e, const char *folder, const char *golden, char *message,
                               size_t message_size)
{
    const plan_item *item = e->item;
    problem other;
    if (e->second && !suite_companion_problem(&other, &item->problem, item->companion))
        return refuse(message, message_size, "out of memory");
    test_case c;
    bool ok = case_build(&c, e->second ? &other : &item->problem, e->id, e->second ? "" : item->requirements,
                         item->claims, golden, message, message_size);
    if (e->second)
        problem_free(&other);
    if (ok) {
        ok = write_case(o, e, &c, folder, message, message_size);
        case_free(&c);
    }
    return ok;
}

bool export_folder_write(const options *o, const plan *p, const char *folder, size_t *written, char *message,
                         size_t message_size)
{
    export_list list;
    char reason[1024];
    char *golden = vectors_folder(o->golden);
    bool ok = export_list_make(&list, o, p) || refuse(message, message_size, "out of memory");
    for (size_t i = 0; ok && i < list.count; i++)
        if (!export_entry_write(o, &list.entries[i], folder, golden, reason, sizeof reason))
            ok = refuse(message, message_size, "%s: %s", list.entries[i].id, reason);
    if (ok && list.count > 0)
        ok = export_list_write(&list, o, folder, message, message_size);
    *written = ok ? list.count : 0;
    export_list_free(&list);
    free(golden);
    return ok;
}
