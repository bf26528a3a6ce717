/* json_parts.h: what several JSON reports have in common. Each returns a new reference, null without memory. Numbers
 * that are not finite become null; text that comes from elsewhere is made printable. */
#ifndef CONFORMANCE_REPORT_JSON_PARTS_H
#define CONFORMANCE_REPORT_JSON_PARTS_H

#include "report/report.h"

#include <jansson.h>

json_t *json_number(double value);
json_t *json_text(const char *value); /* null: null */
json_t *json_claims(uint64_t claims);
json_t *json_lines(const char *lines); /* as an array, a line each; null: empty */

json_t *json_kit(const run_report *r);
json_t *json_port(const run_report *r);
json_t *json_way(const run_report *r);     /* how the port was reached: "implementation", "files", "command" */
json_t *json_command(const run_report *r); /* how the command of --exec ended; null where there was none */
json_t *json_options(const run_report *r);
json_t *json_counts(const run_report *r);
json_t *json_waivers(const run_report *r);
json_t *json_environment(const run_report *r);

/* The whole report as text, malloc'ed; the reference is dropped. Null (for null, too): no memory. */
char *json_rendered(json_t *report);

#endif
