/* json_schema.c: see json_schema.h. A table of keywords; one function for each. */
#include "json_schema.h"

#include <regex.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DEEPEST 64 /* a $ref that leads to itself ends here */

typedef struct checking {
    json_t *root; /* of the schema: where $ref leads */
    char place[256];
    char *message;
    size_t message_size;
    int depth;
} checking;

typedef struct subject {
    json_t *schema; /* the object that the keyword stands in */
    json_t *argument;
    const json_t *value;
} subject;

typedef bool keyword_check(checking *c, const subject *s);

static bool check(checking *c, json_t *schema, const json_t *value);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
breaks(checking *c, const char *format, ...)
{
    char why[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    snprintf(c->message, c->message_size, "%.200s: %.200s", c->place[0] != '\0' ? c->place : "/", why);
    return false;
}

/* A part of the value by its own schema, with its place in messages. */
static bool check_part(checking *c, json_t *schema, const json_t *value, const char *name)
{
    const size_t length = strlen(c->place);
    snprintf(c->place + length, sizeof c->place - length, "/%s", name);
    const bool holds = check(c, schema, value);
    c->place[length] = '\0';
    return holds;
}

static bool is_of_type(const json_t *value, const char *type)
{
    static const struct {
        const char *name;
        json_type type;
    } types[] = {{"object", JSON_OBJECT},   {"array", JSON_ARRAY},    {"string", JSON_STRING},
                 {"null", JSON_NULL},       {"boolean", JSON_TRUE},   {"boolean", JSON_FALSE},
                 {"integer", JSON_INTEGER}, {"number", JSON_INTEGER}, {"number", JSON_REAL}};
    bool found = false;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        found = found || (strcmp(types[i].name, type) == 0 && json_typeof(value) == types[i].type);
    return found;
}

static bool is_a_type(const char *name)
{
    static const char *const names[] = {"object", "array", "string", "null", "boolean", "integer", "number"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        found = found || (name != NULL && strcmp(names[i], name) == 0);
    return found;
}

static bool check_type(checking *c, const subject *s)
{
    const size_t count = json_is_array(s->argument) ? json_array_size(s->argument) : 1;
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_is_array(s->argument) ? json_array_get(s->argument, i) : s->argument;
        if (!is_a_type(json_string_value(one)))
            return breaks(c, "the schema names an unknown type");
        found = found || is_of_type(s->value, json_string_value(one));
    }
    return found || breaks(c, "is of another type");
}

static bool check_enum(checking *c, const subject *s)
{
    size_t i;
    json_t *one;
    bool found = false;
    json_array_foreach(s->argument, i, one) found = found || json_equal(one, s->value) != 0;
    return found || breaks(c, "is none of the values that are allowed");
}

static bool check_const(checking *c, const subject *s)
{
    return json_equal(s->argument, s->value) != 0 || breaks(c, "is not the value that is wanted");
}

static bool check_minimum(checking *c, const subject *s)
{
    if (!json_is_number(s->argument))
        return breaks(c, "the schema's minimum is no number");
    return !json_is_number(s->value) || json_number_value(s->value) >= json_number_value(s->argument) ||
           breaks(c, "is below the minimum");
}

static bool check_pattern(checking *c, const subject *s)
{
    regex_t expression;
    const char *pattern = json_string_value(s->argument);
    if (pattern == NULL || regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB) != 0)
        return breaks(c, "the schema's pattern cannot be read");
    const bool matches =
        !json_is_string(s->value) || regexec(&expression, json_string_value(s->value), 0, NULL, 0) == 0;
    regfree(&expression);
    return matches || breaks(c, "does not match %.100s", pattern);
}

static bool check_items(checking *c, const subject *s)
{
    size_t i;
    json_t *one;
    json_array_foreach((json_t *)(uintptr_t)s->value, i, one)
    {
        char name[32];
        snprintf(name, sizeof name, "%zu", i);
        if (!check_part(c, s->argument, one, name))
            return false;
    }
    return true;
}

static bool check_properties(checking *c, const subject *s)
{
    const char *name;
    json_t *schema;
    json_object_foreach(s->argument, name, schema)
    {
        const json_t *one = json_object_get(s->value, name);
        if (one != NULL && !check_part(c, schema, one, name))
            return false;
    }
    return true;
}

static bool check_required(checking *c, const subject *s)
{
    size_t i;
    json_t *name;
    json_array_foreach(s->argument, i, name)
    {
        if (json_is_object(s->value) && json_object_get(s->value, json_string_value(name)) == NULL)
            return breaks(c, "has no '%.100s'", json_string_value(name));
    }
    return true;
}

static bool check_additional(checking *c, const subject *s)
{
    const json_t *known = json_object_get(s->schema, "properties");
    const char *name;
    json_t *one;
    json_object_foreach((json_t *)(uintptr_t)s->value, name, one)
    {
        if (json_object_get(known, name) != NULL)
            continue;
        if (json_is_false(s->argument))
            return breaks(c, "has '%.100s', which the schema does not know", name);
        if (!check_part(c, s->argument, one, name))
            return false;
    }
    return true;
}

static bool check_ref(checking *c, const subject *s)
{
    static const char start[] = "#/$defs/";
    const char *text = json_string_value(s->argument);
    json_t *schema = text != NULL && strncmp(text, start, strlen(start)) == 0
                         ? json_object_get(json_object_get(c->root, "$defs"), text + strlen(start))
                         : NULL;
    return schema != NULL ? check(c, schema, s->value) : breaks(c, "the schema's $ref leads nowhere");
}

static bool says_nothing(checking *c, const subject *s)
{
    (void)c;
    (void)s;
    return true;
}

static const struct {
    const char *name;
    keyword_check *holds;
} keywords[] = {{"$ref", check_ref},          {"type", check_type},
                {"enum", check_enum},         {"const", check_const},
                {"minimum", check_minimum},   {"pattern", check_pattern},
                {"items", check_items},       {"properties", check_properties},
                {"required", check_required}, {"additionalProperties", check_additional},
                {"$defs", says_nothing},      {"$schema", says_nothing},
                {"title", says_nothing},      {"description", says_nothing}};

static bool check_keyword(checking *c, const char *name, const subject *s)
{
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (strcmp(keywords[i].name, name) == 0)
            return keywords[i].holds(c, s);
    return breaks(c, "the schema has the keyword '%.100s', which is not known here", name);
}

static bool check(checking *c, json_t *schema, const json_t *value)
{
    if (!json_is_object(schema))
        return breaks(c, "the schema has no object here");
    if (c->depth == DEEPEST)
        return breaks(c, "the schema goes too deep");
    c->depth++;
    bool holds = true;
    const char *name;
    json_t *argument;
    json_object_foreach(schema, name, argument)
    {
        const subject s = {.schema = schema, .argument = argument, .value = value};
        holds = holds && check_keyword(c, name, &s);
    }
    c->depth--;
    return holds;
}

bool json_schema_holds(json_t *schema, const json_t *value, char *message, size_t message_size)
{
    checking c = {.root = schema, .message = message, .message_size = message_size};
    return check(&c, schema, value);
}
