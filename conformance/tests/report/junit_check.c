/* junit_check.c: `junit_check JUNIT REPORT` holds a JUnit report against the JSON report of the same run: well-formed,
 * counts that add up and are those of the checks, failures or errors exactly if the exit code is not 0, no two test
 * cases of one name. */
#include "xml_form.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong; /* of this one-shot program */

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    wrong++;
    printf("WRONG: %s\n", what);
}

static char *read_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size = -1;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0)
        text = malloc((size_t)size + 1);
    if (text != NULL)
        text[fread(text, 1, (size_t)size, file)] = '\0';
    if (file != NULL)
        fclose(file);
    return text;
}

static long total(const char *text, const char *attribute)
{
    long sum = 0;
    const size_t suites = xml_count(text, "testsuite");
    for (size_t i = 0; i < suites; i++)
        sum += xml_number(text, "testsuite", i, attribute);
    expect(sum == xml_number(text, "testsuites", 0, attribute), "the suites do not add up");
    return sum;
}

/* Checks in this state; level: null, or only of that level. */
static long count_checks(const json_t *report, const char *state, const char *level)
{
    size_t i;
    long found = 0;
    json_t *check;
    json_array_foreach(json_object_get(report, "checks"), i, check)
    {
        const char *of = json_string_value(json_object_get(check, "level"));
        found += strcmp(json_string_value(json_object_get(check, "state")), state) == 0 &&
                 (level == NULL || strcmp(of, level) == 0);
    }
    return found;
}

/* The suite "verdict" comes first; the others' counts are those of the checks. */
static void check_counts(const char *text, const json_t *report)
{
    const long passed = count_checks(report, "pass", NULL), failed = count_checks(report, "fail", "MUST"),
               not_run = count_checks(report, "not run", NULL),
               all = (long)json_array_size(json_object_get(report, "checks"));
    const long tests = total(text, "tests"), failures = total(text, "failures"), errors = total(text, "errors"),
               skipped = total(text, "skipped");
    expect(tests - xml_number(text, "testsuite", 0, "tests") == all, "there is not a test case for each check");
    expect(failures - xml_number(text, "testsuite", 0, "failures") == failed, "the failures are not those of MUSTs");
    expect(errors - xml_number(text, "testsuite", 0, "errors") == not_run, "the errors are not what was not run");
    expect(skipped == all - passed - failed - not_run, "the skipped are not all the others");
    expect(xml_count(text, "testcase") == (size_t)tests, "the count of test cases is wrong");
    expect(xml_count(text, "failure") == (size_t)failures, "the count of failures is wrong");
    const bool is_bad = json_integer_value(json_object_get(report, "exit_code")) != 0;
    expect((failures + errors > 0) == is_bad, "failures and errors do not agree with the exit code");
    printf("%ld test cases, %ld failures, %ld errors, %ld skipped\n", tests, failures, errors, skipped);
}

static void check_names(const char *text)
{
    static const char start[] = "<testcase classname=";
    json_t *seen = json_object();
    for (const char *at = text; (at = strstr(at, start)) != NULL; at++) {
        const size_t length = strcspn(at, ">");
        char name[512];
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        expect(json_object_get(seen, name) == NULL, "two test cases have one name");
        json_object_set_new(seen, name, json_true());
    }
    json_decref(seen);
}

int main(int argc, char **argv)
{
    json_error_t error;
    char message[256] = "no file";
    if (argc != 3) {
        fprintf(stderr, "usage: junit_check JUNIT REPORT\n");
        return 2;
    }
    char *text = read_whole(argv[1]);
    json_t *report = json_load_file(argv[2], 0, &error);
    const bool readable = text != NULL && report != NULL && xml_is_well_formed(text, message, sizeof message);
    expect(readable, message);
    if (readable) {
        check_counts(text, report);
        check_names(text);
    }
    free(text);
    json_decref(report);
    return wrong == 0 ? 0 : 1;
}
