/* export_list.c: see export_list.h. The reader takes nothing for granted: whatever it reads is compared with what this
 * kit would export by itself (command_check.c), and is never used as the name of a file. */
#include "cli/export_list.h"

#include "harness/message.h"
#include "harness/result_folder.h"
#include "harness/temp_folder.h"
#include "report/report.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_BYTES (64 << 20) /* of a list: some 300 000 cases */

uint64_t export_plan_claims(const options *o)
{
    return o->claims_given ? o->claims : CLAIMS_UNSTATED;
}

static bool add_entry(export_list *l, const plan_item *item, char *id, char *problem_text, bool second)
{
    bool ok = id != NULL && problem_text != NULL;
    if (ok && l->count == l->capacity) {
        const size_t capacity = l->capacity == 0 ? 64 : 2 * l->capacity;
        export_entry *entries = realloc(l->entries, capacity * sizeof *entries);
        ok = entries != NULL;
        l->entries = ok ? entries : l->entries;
        l->capacity = ok ? capacity : l->capacity;
    }
    if (ok) {
        l->entries[l->count++] = (export_entry){.id = id, .problem = problem_text, .item = item, .second = second};
    } else {
        free(id);
        free(problem_text);
    }
    return ok;
}

static bool add_item(export_list *l, const plan_item *item)
{
    problem other;
    if (!add_entry(l, item, strdup(item->id), problem_print(&item->problem), false))
        return false;
    if (item->companion == COMPANION_NONE)
        return true;
    if (!suite_companion_problem(&other, &item->problem, item->companion))
        return false;
    const bool ok = add_entry(l, item, suite_companion_id(item->id), problem_print(&other), true);
    problem_free(&other);
    return ok;
}

bool export_list_make(export_list *l, const options *o, const plan *p)
{
    const uint64_t claims = (o->claims_given ? o->claims : UINT64_MAX) & ~CLAIMS_NOT_IN_FILES;
    *l = (export_list){0};
    bool ok = true;
    for (size_t i = 0; i < p->count && ok; i++)
        if (p->items[i].scenario == NULL && plan_claims_missing(&p->items[i], claims) == 0)
            ok = add_item(l, &p->items[i]);
    return ok;
}

/* ---- writing ---- */

static json_t *words_to_json(const word_list *words)
{
    json_t *array = json_array();
    for (size_t i = 0; array != NULL && i < words->count; i++)
        if (json_array_append_new(array, json_string(words->words[i])) != 0) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

static json_t *options_to_json(const options *o)
{
    char claims[256] = "";
    if (o->claims_given)
        claims_print(o->claims, claims, sizeof claims);
    return json_pack("{s:s, s:I, s:I, s:b, s:b, s:o, s:o}", "claims", claims, "seed", (json_int_t)o->seed, "fuzz",
                     (json_int_t)o->fuzz, "quick", (int)o->quick, "with_q0", (int)o->with_q0, "only",
                     words_to_json(&o->only), "problems", words_to_json(&o->cases));
}

static json_t *entries_to_json(const export_list *l)
{
    json_t *array = json_array();
    for (size_t i = 0; array != NULL && i < l->count; i++) {
        const export_entry *e = &l->entries[i];
        json_t *entry = json_pack("{s:s, s:s, s:s}", "id", e->id, "problem", e->problem, "sha256", e->sha256);
        if (json_array_append_new(array, entry) != 0) { /* null too */
            json_decref(array);
            array = NULL;
        }
    }
    return array;
}

static char *list_path(const char *folder)
{
    const size_t size = strlen(folder) + sizeof "/" EXPORT_LIST_FILE;
    char *path = malloc(size);
    if (path != NULL)
        snprintf(path, size, "%s/%s", folder, EXPORT_LIST_FILE);
    return path;
}

bool export_list_write(const export_list *l, const options *o, const char *folder, char *message, size_t message_size)
{
    json_t *root = json_pack("{s:s, s:i, s:s, s:o, s:o}", "format", EXPORT_FORMAT, "suite", SUITE_VERSION, "generator",
                             CASE_GENERATOR, "options", options_to_json(o), "cases", entries_to_json(l));
    char *text = root != NULL ? json_dumps(root, JSON_INDENT(1)) : NULL, *path = list_path(folder);
    json_decref(root);
    bool ok = (text != NULL && path != NULL) ||
              refuse(message, message_size, "no memory for %s, or an option that is not UTF-8", EXPORT_LIST_FILE);
    errno = 0;
    if (ok && !file_write(path, text, strlen(text)))
        ok = refuse(message, message_size, "%s cannot be written: %s", path, strerror(errno));
    free(text);
    free(path);
    return ok;
}

/* ---- reading ---- */

static bool read_words(word_list *list, const json_t *array)
{
    const size_t count = json_array_size(array);
    list->words = calloc(count + 1, sizeof *list->words);
    bool ok = list->words != NULL && json_is_array(array);
    for (size_t i = 0; ok && i < count; i++) {
        list->words[i] = json_string_value(json_array_get(array, i));
        ok = list->words[i] != NULL;
        list->count += ok;
    }
    return ok;
}

static bool read_options(options *o, json_t *object)
{
    const char *claims, *bad;
    json_int_t seed, fuzz;
    int quick, with_q0;
    json_t *only, *problems;
    if (json_unpack(object, "{s:s, s:I, s:I, s:b, s:b, s:o, s:o !}", "claims", &claims, "seed", &seed, "fuzz", &fuzz,
                    "quick", &quick, "with_q0", &with_q0, "only", &only, "problems", &problems) != 0)
        return false;
    o->claims_given = claims[0] != '\0';
    o->seed = (uint64_t)seed;
    o->fuzz = fuzz;
    o->quick = quick != 0;
    o->with_q0 = with_q0 != 0;
    return seed >= 0 && fuzz >= 0 && fuzz <= FUZZ_MOST && claims_parse(&o->claims, claims, &bad) &&
           read_words(&o->only, only) && read_words(&o->cases, problems);
}

static bool read_entry(export_list *l, json_t *object)
{
    const char *id, *problem_text, *sha256;
    if (json_unpack(object, "{s:s, s:s, s:s !}", "id", &id, "problem", &problem_text, "sha256", &sha256) != 0 ||
        strlen(sha256) != 64)
        return false;
    if (!add_entry(l, NULL, strdup(id), strdup(problem_text), false))
        return false;
    memcpy(l->entries[l->count - 1].sha256, sha256, 65);
    return true;
}

static bool read_list(export_list *l, const char *path, char *message, size_t message_size)
{
    const char *format, *generator;
    int suite;
    json_t *chosen, *cases;
    bool ok = json_unpack(l->json, "{s:s, s:i, s:s, s:o, s:o !}", "format", &format, "suite", &suite, "generator",
                          &generator, "options", &chosen, "cases", &cases) == 0 ||
              refuse(message, message_size, "%s is not a list of exported cases (%s)", path, EXPORT_FORMAT);
    if (ok && strcmp(format, EXPORT_FORMAT) != 0)
        ok =
            refuse(message, message_size, "%s: format '%.40s', expected %s; export again", path, format, EXPORT_FORMAT);
    if (ok && (suite != SUITE_VERSION || strcmp(generator, CASE_GENERATOR) != 0))
        ok = refuse(message, message_size,
                    "%s is of suite %d, generator '%.60s'; this kit is suite %d, generator '%s': export again, and run "
                    "the port on what comes of it",
                    path, suite, generator, SUITE_VERSION, CASE_GENERATOR);
    ok = ok && (read_options(&l->chosen, chosen) ||
                refuse(message, message_size, "%s: \"options\" are not those of an export", path));
    for (size_t i = 0; ok && i < json_array_size(cases); i++)
        ok = read_entry(l, json_array_get(cases, i)) ||
             refuse(message, message_size, "%s: entry %zu of \"cases\" lacks id, problem or sha256", path, i);
    if (ok && l->count == 0)
        ok = refuse(message, message_size, "%s lists no case", path);
    return ok;
}

/* A pipe in the list's place would be waited for, and a device never end. */
static bool is_readable_list(const char *folder, const char *path, char *message, size_t message_size)
{
    struct stat info;
    if (stat(folder, &info) != 0)
        return refuse(message, message_size, "folder %s: %s", folder, strerror(errno));
    if (!S_ISDIR(info.st_mode))
        return refuse(message, message_size, "%s is not a folder", folder);
    if (stat(path, &info) != 0)
        return refuse(message, message_size, "%s: %s (a folder to check is one that psgd-conform export wrote)", path,
                      strerror(errno));
    return (S_ISREG(info.st_mode) && info.st_size <= MOST_BYTES) ||
           refuse(message, message_size, "%s is not a regular file of a list's size", path);
}

bool export_list_read(export_list *l, const char *folder, char *message, size_t message_size)
{
    *l = (export_list){0};
    char *path = list_path(folder);
    if (path == NULL)
        return refuse(message, message_size, "out of memory");
    void *bytes = NULL;
    size_t count = 0;
    json_error_t error = {.text = ""};
    errno = 0;
    bool ok = is_readable_list(folder, path, message, message_size) &&
              (file_read(&bytes, &count, path) ||
               refuse(message, message_size, "%s cannot be read: %s", path, strerror(errno)));
    if (ok) {
        l->json = json_loadb(bytes, count, JSON_REJECT_DUPLICATES, &error);
        ok = l->json != NULL || refuse(message, message_size, "%s is not readable as JSON: %s", path, error.text);
    }
    ok = ok && read_list(l, path, message, message_size);
    free(bytes);
    free(path);
    return ok;
}

void export_list_free(export_list *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->entries[i].id);
        free(l->entries[i].problem);
    }
    free(l->entries);
    options_free(&l->chosen);
    json_decref(l->json);
    *l = (export_list){0};
}
