/* waivers_read.c: the file of --waive, checked before anything is run (format: waivers.h). Refuses what it does not
 * know: a misspelt key would be a waiver without an end. */
#include "cli/waivers.h"

#include "cli/lookup.h"
#include "harness/message.h"
#include "report/printable.h"

#include <errno.h>
#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAIVERS_FORMAT "psgd-waivers/1"

/* Where a complaint is made: the file, and the waiver counted from 1 (0: the file as a whole). */
typedef struct place {
    const char *path;
    size_t number;
    char *message;
    size_t size;
} place;

static bool wrong(const place *at, const char *what, const char *word)
{
    char where[40] = "", shown[120];
    if (at->number > 0)
        snprintf(where, sizeof where, "waiver %zu: ", at->number);
    const char *quote = word != NULL ? "'" : "";
    return refuse(at->message, at->size, "--waive %s: %s%s%s%s%s%s", at->path, where, what, word != NULL ? " " : "",
                  quote, printable(shown, sizeof shown, word), quote);
}

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n")] == '\0';
}

static int days_of_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

static bool is_date(const char *text)
{
    static const char form[] = "dddd-dd-dd";
    if (strlen(text) != strlen(form))
        return false;
    for (size_t i = 0; form[i] != '\0'; i++)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    const int year = atoi(text), month = atoi(text + 5), day = atoi(text + 8);
    return month >= 1 && month <= 12 && day >= 1 && day <= days_of_month(year, month);
}

typedef enum glob_match { GLOB_NONE, GLOB_FILES_ONLY, GLOB_SOME } glob_match;

static glob_match match_requirements(const char *glob)
{
    glob_match found = GLOB_NONE;
    size_t count;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count; i++)
        if (fnmatch(glob, all[i].id, 0) == 0)
            found = all[i].files_only && found != GLOB_SOME ? GLOB_FILES_ONLY : GLOB_SOME;
    return found;
}

static bool check_waiver(const place *at, const report_waiver *w)
{
    if (w->requirement == NULL && w->case_id == NULL)
        return wrong(at, "neither \"requirement\" nor \"case\" is there: it must say what it is for", NULL);
    if (w->reason == NULL || is_blank(w->reason))
        return wrong(at, "\"reason\" is missing or empty", NULL);
    if (w->expires == NULL)
        return wrong(at, "\"expires\" is missing: the last day that it counts on, YYYY-MM-DD", NULL);
    if (!is_date(w->expires))
        return wrong(at, "\"expires\" is no day of the form YYYY-MM-DD:", w->expires);
    if (w->case_id != NULL && is_blank(w->case_id))
        return wrong(at, "\"case\" is empty", NULL);
    const glob_match match = w->requirement != NULL ? match_requirements(w->requirement) : GLOB_SOME;
    if (match == GLOB_FILES_ONLY)
        return wrong(at, "what is said of the files and of the command cannot be waived:", w->requirement);
    if (match == GLOB_NONE) {
        const char *near = nearest_name(w->requirement);
        char text[160];
        snprintf(text, sizeof text, "unknown requirement%s%s:", near != NULL ? ", nearest is " : "",
                 near != NULL ? near : "");
        return wrong(at, text, w->requirement);
    }
    return true;
}

static bool read_waiver(const place *at, report_waiver *w, json_t *entry)
{
    const struct {
        const char *key;
        const char **value;
    } members[] = {
        {"requirement", &w->requirement}, {"case", &w->case_id}, {"reason", &w->reason}, {"expires", &w->expires}};
    if (!json_is_object(entry))
        return wrong(at, "is no object", NULL);
    const char *key;
    json_t *value;
    json_object_foreach(entry, key, value)
    {
        size_t i = 0;
        while (i < sizeof members / sizeof members[0] && strcmp(members[i].key, key) != 0)
            i++;
        if (i == sizeof members / sizeof members[0])
            return wrong(at, "keys are requirement, case, reason, expires; unknown key", key);
        if (!json_is_string(value))
            return wrong(at, "is no string:", key);
        *members[i].value = json_string_value(value);
    }
    return check_waiver(at, w);
}

static bool is_same_word(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool check_duplicates(const place *at, const waivers *w, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (is_same_word(w->list[i].requirement, w->list[index].requirement) &&
            is_same_word(w->list[i].case_id, w->list[index].case_id)) {
            char first[32];
            snprintf(first, sizeof first, "waiver %zu", i + 1);
            return wrong(at, "is for the same requirement and case as", first);
        }
    return true;
}

static bool check_top(const place *at, json_t *document)
{
    if (!json_is_object(document))
        return wrong(at, "is no JSON object", NULL);
    const char *key;
    json_t *value;
    json_object_foreach(document, key, value)
    {
        if (strcmp(key, "format") != 0 && strcmp(key, "waivers") != 0)
            return wrong(at, "keys are format, waivers; unknown key", key);
    }
    const char *format = json_string_value(json_object_get(document, "format"));
    if (format == NULL || strcmp(format, WAIVERS_FORMAT) != 0)
        return wrong(at, "\"format\" must be \"" WAIVERS_FORMAT "\", not", format != NULL ? format : "");
    if (!json_is_array(json_object_get(document, "waivers")))
        return wrong(at, "\"waivers\" is missing or no array", NULL);
    return true;
}

static json_t *load(const place *at)
{
    FILE *file = fopen(at->path, "r");
    if (file == NULL) {
        wrong(at, strerror(errno), NULL);
        return NULL;
    }
    json_error_t error;
    errno = 0;
    json_t *document = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    if (document == NULL && ferror(file)) {
        wrong(at, errno != 0 ? strerror(errno) : "cannot be read", NULL);
    } else if (document == NULL) {
        char text[JSON_ERROR_TEXT_LENGTH + 60];
        snprintf(text, sizeof text, "line %d, column %d: %s", error.line, error.column, error.text);
        wrong(at, text, NULL);
    }
    fclose(file); /* only read */
    return document;
}

waivers_result waivers_read(waivers *w, const char *path, char *message, size_t message_size)
{
    place at = {.path = path, .message = message, .size = message_size};
    *w = (waivers){.document = load(&at)};
    if (w->document == NULL || !check_top(&at, w->document))
        return WAIVERS_BAD;
    json_t *entries = json_object_get(w->document, "waivers");
    const size_t count = json_array_size(entries);
    w->list = calloc(count + 1, sizeof *w->list);
    if (w->list == NULL) {
        refuse(message, message_size, "out of memory");
        return WAIVERS_NO_MEMORY;
    }
    for (; w->count < count; w->count++) {
        at.number = w->count + 1;
        if (!read_waiver(&at, &w->list[w->count], json_array_get(entries, w->count)) ||
            !check_duplicates(&at, w, w->count))
            return WAIVERS_BAD;
    }
    return WAIVERS_OK;
}

void waivers_free(waivers *w)
{
    free(w->list);
    json_decref(w->document);
    *w = (waivers){0};
}
