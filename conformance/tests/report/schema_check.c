/* schema_check.c: `schema_check SCHEMA FILE` holds a JSON file against a schema; for the shell tests. */
#include "json_schema.h"

#include <stdio.h>

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (root == NULL)
        printf("WRONG: %s: %s\n", path, error.text);
    return root;
}

int main(int argc, char **argv)
{
    char message[512] = "";
    if (argc != 3) {
        fprintf(stderr, "usage: schema_check SCHEMA FILE\n");
        return 2;
    }
    json_t *schema = load(argv[1]), *value = load(argv[2]);
    const bool holds = schema != NULL && value != NULL && json_schema_holds(schema, value, message, sizeof message);
    if (message[0] != '\0')
        printf("WRONG: %s: %s\n", argv[2], message);
    json_decref(schema);
    json_decref(value);
    return holds ? 0 : 1;
}
