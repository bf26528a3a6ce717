/* json_schema.h: holds a JSON value against a JSON Schema, of the part of draft 2020-12 that this project's schemas
 * use: type, enum, const, minimum, pattern, items, properties, required, additionalProperties, $ref to $defs; title,
 * description and $schema say nothing. A keyword that it does not know, it refuses: nothing passes unlooked at. */
#ifndef CONFORMANCE_TESTS_REPORT_JSON_SCHEMA_H
#define CONFORMANCE_TESTS_REPORT_JSON_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* False: message says where the value breaks the schema, or what is wrong with the schema. */
bool json_schema_holds(json_t *schema, const json_t *value, char *message, size_t message_size);

#endif
