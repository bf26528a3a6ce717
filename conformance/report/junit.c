/* junit.c: the report for build servers (Jenkins, GitLab and others), in the dialect that all of them read: testsuites,
 * testsuite, properties, testcase, failure, error, skipped, system-out.
 *
 * A suite per area, a test case per check. The suite "verdict" before them has what no single check shows: whether the
 * port conforms, and the waivers. So there are failures or errors exactly if the exit code is not 0:
 * a run in which nothing was tested is an error, and a SHOULD that failed is among the skipped, with all its words. */
#include "report/areas.h"
#include "report/command_line.h"
#include "report/environment.h"
#include "report/place.h"
#include "report/text_parts.h"
#include "report/xml.h"

#include <stdlib.h>
#include <string.h>

typedef struct suite_counts {
    size_t tests, failures, errors, skipped;
} suite_counts;

typedef enum element_kind { ELEMENT_NONE, ELEMENT_FAILURE, ELEMENT_ERROR, ELEMENT_SKIPPED } element_kind;

static void count(suite_counts *c, element_kind kind)
{
    c->tests++;
    c->failures += kind == ELEMENT_FAILURE;
    c->errors += kind == ELEMENT_ERROR;
    c->skipped += kind == ELEMENT_SKIPPED;
}

static element_kind element_of(const check *c)
{
    switch (c->state) {
    case CHECK_PASS: return ELEMENT_NONE;
    case CHECK_FAIL: return c->requirement->level == LEVEL_MUST ? ELEMENT_FAILURE : ELEMENT_SKIPPED;
    case CHECK_NOT_RUN: return ELEMENT_ERROR;
    default: return ELEMENT_SKIPPED;
    }
}

/* What some part of the text report says, as a string to be freed; null: no memory. */
static char *words_of(const run_report *r, const check *c)
{
    static const terminal no_terminal = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return NULL;
    paper p = paper_on(stream, &no_terminal);
    if (c != NULL) {
        const failed_case alone = {.first = c, .checks = &c, .count = 1};
        fprintf(stream, "%s  %s\n", c->requirement->id, c->requirement->sentence);
        text_case(&p, r, &alone);
    } else {
        text_last_line(&p, r);
        text_remarks(&p, r, true);
    }
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

static void print_element(FILE *file, element_kind kind, const char *type, const char *message, const char *content)
{
    static const char *const names[] = {"", "failure", "error", "skipped"};
    fprintf(file, "   <%s", names[kind]);
    if (kind != ELEMENT_SKIPPED)
        xml_attribute(file, "type", type);
    xml_attribute(file, "message", message);
    fputs(">", file);
    xml_content(file, content);
    fprintf(file, "</%s>\n", names[kind]);
}

static void open_case(FILE *file, const char *class_name, const char *name)
{
    fputs("  <testcase", file);
    xml_attribute(file, "classname", class_name);
    xml_attribute(file, "name", name);
}

/* All of a failure in one line. */
static void print_message(FILE *line, const run_report *r, const check *c)
{
    if (c->state == CHECK_WAIVED)
        fprintf(line, "waived (%s): ", c->waiver != NULL ? c->waiver : "");
    else if (c->requirement->level == LEVEL_SHOULD)
        fputs("a SHOULD failed: ", line);
    fprintf(line, "%s ", c->requirement->sentence);
    if (place_is_known(&c->place)) {
        place_print(line, &c->place);
        fputs("; ", line);
    }
    if (c->limit > 0)
        fprintf(line, "ratio %.3g, limit %.3g; ", c->ratio, c->limit);
    if (c->message != NULL && c->message[0] != '\0')
        fprintf(line, "%s; ", c->message);
    fputs("again: ", line);
    command_line_again(line, r, c);
}

/* A check that failed, waived ones included. */
static void print_failed(FILE *file, const run_report *r, const check *c)
{
    char *message = NULL, *words = words_of(r, c);
    size_t size = 0;
    FILE *line = open_memstream(&message, &size);
    if (line != NULL) {
        print_message(line, r, c);
        (void)fclose(line); /* what is lost for want of memory are words, never the failure */
    }
    print_element(file, element_of(c), c->requirement->id, message, words);
    free(message);
    free(words);
}

/* How many checks before this one have the same name: no two test cases may. */
static size_t namesakes_before(const verdict *v, size_t index)
{
    const check *c = &v->checks[index];
    size_t found = 0;
    for (size_t i = 0; i < index; i++) {
        const check *other = &v->checks[i];
        found += other->requirement == c->requirement && strcmp(other->row, c->row) == 0 &&
                 strcmp(other->case_id, c->case_id) == 0;
    }
    return found;
}

static void print_check(FILE *file, const run_report *r, size_t index)
{
    const check *c = &r->verdict->checks[index];
    const size_t before = namesakes_before(r->verdict, index);
    char area[8], class_name[64], name[256], again[32] = "";
    area_name(area, c->requirement);
    if (before > 0)
        snprintf(again, sizeof again, " #%zu", before + 1);
    snprintf(class_name, sizeof class_name, "%s.%s", area, c->requirement->id);
    snprintf(name, sizeof name, "%.200s row %s%s", c->case_id, c->row, again);
    open_case(file, class_name, name);
    if (c->state == CHECK_PASS) {
        fputs("/>\n", file);
        return;
    }
    fputs(">\n", file);
    if (c->state == CHECK_FAIL || c->state == CHECK_WAIVED) {
        print_failed(file, r, c);
    } else {
        char message[700];
        snprintf(message, sizeof message, "%s: %.600s", check_state_name(c->state),
                 c->message != NULL && c->message[0] != '\0' ? c->message : c->requirement->sentence);
        print_element(file, element_of(c), check_state_name(c->state), message, message);
    }
    fputs("  </testcase>\n", file);
}

static void open_suite(FILE *file, const char *name, const suite_counts *c)
{
    char date[ENVIRONMENT_DATE];
    fputs(" <testsuite", file);
    xml_attribute(file, "name", name);
    environment_date(date);
    date[strcspn(date, "Z")] = '\0'; /* the dialect has no place for a time zone */
    xml_attribute(file, "timestamp", date);
    fprintf(file, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\">\n", c->tests, c->failures, c->errors,
            c->skipped);
}

static suite_counts count_area(const verdict *v, const char *of_area)
{
    suite_counts counts = {0};
    for (size_t i = 0; i < v->count; i++) {
        char name[8];
        area_name(name, v->checks[i].requirement);
        if (strcmp(name, of_area) == 0)
            count(&counts, element_of(&v->checks[i]));
    }
    return counts;
}

static void print_area(FILE *file, const run_report *r, const char *of_area)
{
    const suite_counts counts = count_area(r->verdict, of_area);
    open_suite(file, of_area, &counts);
    for (size_t i = 0; i < r->verdict->count; i++) {
        char name[8];
        area_name(name, r->verdict->checks[i].requirement);
        if (strcmp(name, of_area) == 0)
            print_check(file, r, i);
    }
    fputs(" </testsuite>\n", file);
}

/* ---- the suite "verdict" ---- */

static element_kind verdict_element(const run_report *r)
{
    return r->exit_code == 0 ? ELEMENT_NONE : r->exit_code == 1 ? ELEMENT_FAILURE : ELEMENT_ERROR;
}

static element_kind waiver_element(const report_waiver *w)
{
    return WAIVER_IS_STALE(w->state) ? ELEMENT_FAILURE : ELEMENT_NONE;
}

static suite_counts count_verdict(const run_report *r)
{
    suite_counts counts = {0};
    count(&counts, verdict_element(r));
    for (size_t i = 0; i < r->waiver_count; i++)
        count(&counts, waiver_element(&r->waivers[i]));
    return counts;
}

static void print_property(FILE *file, const char *name, const char *value)
{
    fputs("   <property", file);
    xml_attribute(file, "name", name);
    xml_attribute(file, "value", value);
    fputs("/>\n", file);
}

static void print_properties(FILE *file, const run_report *r)
{
    char text[256];
    fputs("  <properties>\n", file);
    print_property(file, "kit", KIT_NAME " " PSGD_KIT_VERSION);
    snprintf(text, sizeof text, "%d", SUITE_VERSION);
    print_property(file, "suite", text);
    print_property(file, "vectors", r->vectors_sha256);
    print_property(file, "port", r->implementation);
    snprintf(text, sizeof text, "%s %s", r->port.name, r->port.version);
    print_property(file, "port version", text);
    claims_print(r->tested, text, sizeof text);
    print_property(file, "claims", text);
    claims_print(r->failed, text, sizeof text);
    print_property(file, "failed claims", text);
    print_property(file, "ranks", environment_ranks_as(r));
    fputs("  </properties>\n", file);
}

static void print_waiver(FILE *file, const report_waiver *w, size_t index)
{
    char name[400];
    snprintf(name, sizeof name, "waiver %zu: %.150s in %.150s", index + 1,
             w->requirement != NULL ? w->requirement : "*", w->case_id != NULL ? w->case_id : "*");
    open_case(file, "verdict", name);
    if (waiver_element(w) == ELEMENT_NONE) {
        fputs("/>\n", file);
        return;
    }
    fputs(">\n", file);
    print_element(file, ELEMENT_FAILURE, "waiver", "the waiver is out of date", w->reason);
    fputs("  </testcase>\n", file);
}

static void print_output(FILE *file, const char *words)
{
    fputs("   <system-out>", file);
    xml_content(file, words);
    fputs("</system-out>\n", file);
}

static void print_verdict(FILE *file, const run_report *r)
{
    const suite_counts counts = count_verdict(r);
    char *words = words_of(r, NULL);
    open_suite(file, "verdict", &counts);
    print_properties(file, r);
    open_case(file, "verdict", "conforms");
    fputs(">\n", file);
    if (verdict_element(r) != ELEMENT_NONE)
        print_element(file, verdict_element(r), "verdict",
                      r->exit_code == 1   ? "does not conform"
                      : r->exit_code == 3 ? "nothing was tested"
                                          : "the kit could not finish",
                      words);
    else
        print_output(file, words);
    fputs("  </testcase>\n", file);
    for (size_t i = 0; i < r->waiver_count; i++)
        print_waiver(file, &r->waivers[i], i);
    fputs(" </testsuite>\n", file);
    free(words);
}

static suite_counts count_all(const run_report *r)
{
    suite_counts all = count_verdict(r);
    for (size_t i = 0; i < r->verdict->count; i++)
        count(&all, element_of(&r->verdict->checks[i]));
    return all;
}

char *report_junit(const run_report *r)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file == NULL)
        return NULL;
    const suite_counts all = count_all(r);
    area_counts areas[AREAS_MOST];
    const size_t area_count = areas_count(areas, r->verdict);
    fprintf(file, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"%s\"", KIT_NAME);
    fprintf(file, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.3f\">\n", all.tests,
            all.failures, all.errors, all.skipped, r->seconds);
    print_verdict(file, r);
    for (size_t i = 0; i < area_count; i++)
        if (areas[i].checks > 0)
            print_area(file, r, areas[i].name);
    fputs("</testsuites>", file);
    const bool whole = !ferror(file);
    if (fclose(file) == 0 && whole)
        return text;
    free(text);
    return NULL;
}
