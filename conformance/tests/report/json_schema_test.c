/* Tests of json_schema.c: each keyword is seen to refuse, and to let pass; what it does not know it refuses. */
#include "tests/cli/unit.h"

#include "json_schema.h"

typedef struct example {
    const char *schema, *value;
    const char *refusal; /* a part of the message; null: it holds */
} example;

static const example examples[] = {
    {"{}", "1", NULL},
    {"{'type': 'object'}", "{}", NULL},
    {"{'type': 'object'}", "[]", "another type"},
    {"{'type': 'array'}", "{}", "another type"},
    {"{'type': 'string'}", "'a'", NULL},
    {"{'type': 'string'}", "1", "another type"},
    {"{'type': 'integer'}", "1", NULL},
    {"{'type': 'integer'}", "1.5", "another type"},
    {"{'type': 'number'}", "1", NULL},
    {"{'type': 'number'}", "1.5", NULL},
    {"{'type': 'number'}", "null", "another type"},
    {"{'type': 'boolean'}", "true", NULL},
    {"{'type': 'boolean'}", "false", NULL},
    {"{'type': 'boolean'}", "0", "another type"},
    {"{'type': ['number', 'null']}", "null", NULL},
    {"{'type': ['number', 'null']}", "'a'", "another type"},
    {"{'type': 'numbr'}", "1", "unknown type"},
    {"{'enum': ['a', 1, null]}", "1", NULL},
    {"{'enum': ['a', 1, null]}", "null", NULL},
    {"{'enum': ['a', 1, null]}", "'b'", "none of the values"},
    {"{'const': 'a'}", "'a'", NULL},
    {"{'const': 'a'}", "'b'", "not the value"},
    {"{'minimum': -1}", "-1", NULL},
    {"{'minimum': -1}", "-2", "below the minimum"},
    {"{'minimum': 0}", "-0.5", "below the minimum"},
    {"{'minimum': 0}", "'a'", NULL},
    {"{'pattern': '^[0-9]{2}$'}", "'12'", NULL},
    {"{'pattern': '^[0-9]{2}$'}", "'123'", "does not match"},
    {"{'pattern': '('}", "'a'", "cannot be read"},
    {"{'items': {'type': 'integer'}}", "[1, 2]", NULL},
    {"{'items': {'type': 'integer'}}", "[1, 'a']", "/1: is of another type"},
    {"{'properties': {'a': {'type': 'null'}}}", "{'a': null, 'b': 1}", NULL},
    {"{'properties': {'a': {'type': 'null'}}}", "{'a': 1}", "/a: is of another type"},
    {"{'required': ['a']}", "{'a': 1}", NULL},
    {"{'required': ['a', 'b']}", "{'a': 1}", "has no 'b'"},
    {"{'properties': {'a': {}}, 'additionalProperties': false}", "{'a': 1}", NULL},
    {"{'properties': {'a': {}}, 'additionalProperties': false}", "{'b': 1}", "has 'b'"},
    {"{'additionalProperties': {'type': 'integer'}}", "{'b': 1}", NULL},
    {"{'additionalProperties': {'type': 'integer'}}", "{'b': 'c'}", "/b: is of another type"},
    {"{'$ref': '#/$defs/n', '$defs': {'n': {'minimum': 3}}}", "3", NULL},
    {"{'$ref': '#/$defs/n', '$defs': {'n': {'minimum': 3}}}", "2", "below the minimum"},
    {"{'$ref': '#/$defs/m', '$defs': {'n': {}}}", "2", "leads nowhere"},
    {"{'$ref': '#/$defs/n', '$defs': {'n': {'$ref': '#/$defs/n'}}}", "2", "too deep"},
    {"{'maximum': 3}", "2", "keyword 'maximum'"},
    {"{'items': {'oneOf': []}}", "[1]", "keyword 'oneOf'"},
    {"{'items': 3}", "[1]", "no object"},
};

/* With ' for ". */
static json_t *parsed(const char *text)
{
    char copy[256];
    snprintf(copy, sizeof copy, "%s", text);
    for (char *at = copy; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    json_error_t error;
    json_t *value = json_loads(copy, JSON_DECODE_ANY, &error);
    if (value == NULL)
        print_error("%s: %s\n", copy, error.text);
    assert_non_null(value);
    return value;
}

static void test_examples(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        char message[512] = "";
        json_t *schema = parsed(examples[i].schema), *value = parsed(examples[i].value);
        const bool holds = json_schema_holds(schema, value, message, sizeof message);
        const bool as_wanted =
            examples[i].refusal == NULL ? holds : !holds && strstr(message, examples[i].refusal) != NULL;
        if (!as_wanted)
            print_error("%s of %s: %s\n", examples[i].schema, examples[i].value, message);
        assert_true(as_wanted);
        json_decref(schema);
        json_decref(value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_examples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
