/* xml_form.c: see xml_form.h. */
#include "xml_form.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEEPEST 16
#define NAME    64

static const char NAME_START[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char NAME_REST[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-.";

typedef struct reading {
    const char *start, *at;
    char *message;
    size_t message_size;
} reading;

static bool wrong(const reading *r, const char *what)
{
    snprintf(r->message, r->message_size, "byte %zu: %s", (size_t)(r->at - r->start), what);
    return false;
}

static bool read_name(reading *r, char name[NAME])
{
    const size_t length = strchr(NAME_START, *r->at) != NULL && *r->at != '\0' ? strspn(r->at, NAME_REST) : 0;
    if (length == 0 || length >= NAME)
        return wrong(r, "no name");
    snprintf(name, NAME, "%.*s", (int)length, r->at);
    r->at += length;
    return true;
}

/* "&amp;" or "&#10;"; at the '&'. */
static bool read_reference(reading *r)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strncmp(r->at, known[i], strlen(known[i])) == 0) {
            r->at += strlen(known[i]);
            return true;
        }
    const size_t digits = strncmp(r->at, "&#", 2) == 0 ? strspn(r->at + 2, "0123456789") : 0;
    if (digits == 0 || r->at[2 + digits] != ';')
        return wrong(r, "an unknown reference");
    const long character = strtol(r->at + 2, NULL, 10);
    if (character != 9 && character != 10 && character != 13 && character < 0x20)
        return wrong(r, "a reference to what XML has no place for");
    r->at += 2 + digits + 1;
    return true;
}

/* Text up to one of the ending characters, which are not read. */
static bool read_text(reading *r, const char *endings)
{
    while (*r->at != '\0' && strchr(endings, *r->at) == NULL) {
        const unsigned char c = (unsigned char)*r->at;
        if (c == '&') {
            if (!read_reference(r))
                return false;
        } else if (c == '<' || strncmp(r->at, "]]>", 3) == 0) {
            return wrong(r, "a bare '<' or ']]>'");
        } else if ((c < 0x20 && c != '\n' && c != '\t' && c != '\r') || c >= 0x7f) {
            return wrong(r, "a character that is neither text nor ASCII");
        } else {
            r->at++;
        }
    }
    return *r->at != '\0' || endings[0] == '<' || wrong(r, "the text does not end");
}

/* Behind an element's name, up to its '>' or "/>". */
static bool read_attributes(reading *r)
{
    char names[16][NAME];
    for (size_t count = 0;; count++) {
        const size_t spaces = strspn(r->at, " \n");
        r->at += spaces;
        if (*r->at == '>' || *r->at == '/' || *r->at == '?')
            return true;
        if (spaces == 0 || count == 16 || !read_name(r, names[count]))
            return wrong(r, "no attribute");
        for (size_t i = 0; i < count; i++)
            if (strcmp(names[i], names[count]) == 0)
                return wrong(r, "an attribute twice");
        if (strncmp(r->at, "=\"", 2) != 0)
            return wrong(r, "an attribute without a value");
        r->at += 2;
        if (!read_text(r, "\""))
            return false;
        r->at++;
    }
}

static bool read_elements(reading *r)
{
    char open[DEEPEST][NAME];
    size_t depth = 0, roots = 0;
    for (;;) {
        const char *text = r->at;
        if (!read_text(r, "<"))
            return false;
        if (depth == 0 && strspn(text, " \n") < (size_t)(r->at - text))
            return wrong(r, "text outside of the root");
        if (*r->at == '\0')
            return (depth == 0 && roots == 1) || wrong(r, "an element is open, or there is not one root");
        r->at++;
        char name[NAME];
        const bool closes = *r->at == '/';
        r->at += closes;
        if (!read_name(r, name))
            return false;
        if (closes) {
            if (depth == 0 || strcmp(open[depth - 1], name) != 0 || *r->at != '>')
                return wrong(r, "an end without its start");
            depth--;
            r->at++;
            continue;
        }
        if (!read_attributes(r))
            return false;
        roots += depth == 0;
        if (strncmp(r->at, "/>", 2) == 0) {
            r->at += 2;
        } else if (*r->at == '>' && depth < DEEPEST) {
            memcpy(open[depth++], name, sizeof name);
            r->at++;
        } else {
            return wrong(r, "an element's start does not end, or they are too deep");
        }
    }
}

bool xml_is_well_formed(const char *text, char *message, size_t message_size)
{
    static const char declaration[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
    reading r = {.start = text, .at = text, .message = message, .message_size = message_size};
    if (strncmp(text, declaration, strlen(declaration)) != 0)
        return wrong(&r, "no declaration");
    r.at += strlen(declaration);
    return read_elements(&r);
}

/* The next start of an element of this name; null: none. */
static const char *next_element(const char *text, const char *name)
{
    char start[NAME + 2];
    snprintf(start, sizeof start, "<%s", name);
    const size_t length = strlen(start);
    const char *at = text;
    while ((at = strstr(at, start)) != NULL && strchr(" />\n", at[length]) == NULL)
        at += length;
    return at;
}

size_t xml_count(const char *text, const char *name)
{
    size_t count = 0;
    for (const char *at = text; (at = next_element(at, name)) != NULL; at++)
        count++;
    return count;
}

long xml_number(const char *text, const char *name, size_t index, const char *attribute)
{
    const char *at = next_element(text, name);
    for (size_t i = 0; i < index && at != NULL; i++)
        at = next_element(at + 1, name);
    char wanted[NAME + 4];
    snprintf(wanted, sizeof wanted, " %s=\"", attribute);
    const char *found = at != NULL ? strstr(at, wanted) : NULL;
    return found != NULL && found < strchr(at, '>') ? strtol(found + strlen(wanted), NULL, 10) : -1;
}
