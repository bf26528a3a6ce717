/* Tests of the formats: JSON and the statement keep to their schemas, JUnit is well-formed and counts right, the text
 * says each thing once; of a run with a check in every state, of a good one, and of an empty one. */
#include "tests/cli/unit.h"

#include "json_schema.h"
#include "made_report.h"
#include "xml_form.h"

#include <unistd.h>

typedef char *renderer(const run_report *r);

static json_t *expect_schema(renderer *render, const run_report *r, const char *schema_name)
{
    char path[1024], message[512] = "", *text = render(r);
    json_error_t error;
    snprintf(path, sizeof path, "%s/%s", SCHEMAS, schema_name);
    assert_non_null(text);
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, &error), *schema = json_load_file(path, 0, &error);
    assert_non_null(value);
    assert_non_null(schema);
    if (!json_schema_holds(schema, value, message, sizeof message))
        print_error("%s: %s\n%s\n", schema_name, message, text);
    assert_string_equal(message, "");
    json_decref(schema);
    free(text);
    return value;
}

static void expect_in(const char *text, const char *fragment)
{
    if (strstr(text, fragment) == NULL)
        print_error("'%s' is not in:\n%s\n", fragment, text);
    assert_non_null(strstr(text, fragment));
}

static size_t occurrences(const char *text, const char *fragment)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, fragment)) != NULL; at++)
        count++;
    return count;
}

static void test_schemas(void **state)
{
    (void)state;
    made_report m;
    made_report_make(&m);
    json_t *report = expect_schema(report_json, &m.r, "report.schema.json");
    const json_t *command = json_object_get(report, "command");
    assert_int_equal(json_integer_value(json_object_get(command, "exit_status")), 3);
    assert_string_equal(json_string_value(json_array_get(json_object_get(command, "error_tail"), 1)), "line? two");
    assert_int_equal(json_array_size(json_object_get(report, "waivers")), 2);
    assert_int_equal(json_array_size(json_object_get(report, "checks")), m.v.count);
    json_decref(report);

    json_t *statement = expect_schema(report_statement_json, &m.r, "statement.schema.json");
    const json_t *lists = json_object_get(statement, "requirements");
    assert_true(json_is_false(json_object_get(statement, "conforms")));
    assert_int_equal(json_integer_value(json_object_get(json_object_get(lists, "failed"), "PSGD-AGG-002")), 3);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(lists, "unsupported"), "PSGD-BAT-001")), 1);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(lists, "too few ranks"), "PSGD-AGG-006")), 1);
    assert_int_equal(json_object_size(json_object_get(lists, "unsupported")), 1);
    json_decref(statement);
    verdict_free(&m.v);

    made_report_make_good(&m);
    json_decref(expect_schema(report_json, &m.r, "report.schema.json"));
    statement = expect_schema(report_statement_json, &m.r, "statement.schema.json");
    assert_true(json_is_true(json_object_get(statement, "conforms")));
    assert_true(json_is_true(json_object_get(statement, "whole")));
    json_decref(statement);
    verdict_free(&m.v);
    m.r.exit_code = 3;
    json_decref(expect_schema(report_json, &m.r, "report.schema.json")); /* not a check */
    json_decref(expect_schema(report_statement_json, &m.r, "statement.schema.json"));
}

static long total(const char *text, const char *attribute)
{
    long sum = 0;
    for (size_t i = 0; i < xml_count(text, "testsuite"); i++)
        sum += xml_number(text, "testsuite", i, attribute);
    assert_int_equal(sum, xml_number(text, "testsuites", 0, attribute)); /* of the suites, and of all of them */
    return sum;
}

static char *junit_of(const run_report *r)
{
    char message[256] = "", *text = report_junit(r);
    assert_non_null(text);
    if (!xml_is_well_formed(text, message, sizeof message))
        print_error("%s\n%s\n", message, text);
    assert_string_equal(message, "");
    assert_int_equal(xml_count(text, "testcase"), total(text, "tests"));
    assert_int_equal(xml_count(text, "failure"), total(text, "failures"));
    assert_int_equal(xml_count(text, "error"), total(text, "errors"));
    assert_int_equal(xml_count(text, "skipped"), total(text, "skipped"));
    return text;
}

static void test_junit(void **state)
{
    (void)state;
    made_report m;
    made_report_make(&m);
    char *text = junit_of(&m.r);
    /* The checks; whether it conforms, and two waivers. */
    assert_int_equal(total(text, "tests"), m.v.count + 3);
    /* Of the MUSTs; then the verdict, the waiver that has expired. */
    assert_int_equal(total(text, "failures"), 5 + 2);
    assert_int_equal(total(text, "errors"), 1);  /* not run */
    assert_int_equal(total(text, "skipped"), 7); /* three skips, unobserved, untrusted, waived, a SHOULD */
    expect_in(text, "a SHOULD failed: ");
    expect_in(text, "waived (known, &lt;see&gt; our list)");
    expect_in(text, "\"untrusted: all zero\"");
    expect_in(text, "&lt;port&gt; &amp; &quot;?[2J??]]&gt;");
    expect_in(text, "got 2, expected 1; ratio 7, limit 4; again: psgd-conform run --exec");
    expect_in(text, "name=\"bad row 1b\"");
    expect_in(text, "name=\"bad row 1b #2\""); /* no two of one name */
    free(text);
    verdict_free(&m.v);

    made_report_make_good(&m);
    text = junit_of(&m.r);
    assert_int_equal(total(text, "failures") + total(text, "errors"), 0);
    free(text);
    verdict_free(&m.v);
    m.r.exit_code = 3; /* nothing was tested: no gate may pass by that */
    text = junit_of(&m.r);
    assert_int_equal(total(text, "errors"), 1);
    expect_in(text, "nothing was tested");
    free(text);
}

/* The checker itself. */
static void test_well_formed(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        bool good;
    } table[] = {
        {"<a/>", true},
        {"<a b=\"c\" d=\"&lt;&#10;\">text &amp; more<e></e></a>\n", true},
        {"", false},
        {"<a>", false},
        {"<a></b>", false},
        {"<a/><b/>", false},
        {"<a/>text", false},
        {"<a>a < b</a>", false},
        {"<a>&</a>", false},
        {"<a>&nbsp;</a>", false},
        {"<a>&#1;</a>", false},
        {"<a>\001</a>", false},
        {"<a>\xff</a>", false},
        {"<a>]]></a>", false},
        {"<a b=\"1\" b=\"2\"/>", false},
        {"<a b='1'/>", false},
        {"<a b=\"<\"/>", false},
        {"<a b=\"1/>", false},
        {"<1/>", false},
        {"</a>", false},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char text[256], message[256];
        snprintf(text, sizeof text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>%s", table[i].body);
        if (xml_is_well_formed(text, message, sizeof message) != table[i].good)
            print_error("%s\n", table[i].body);
        assert_int_equal(xml_is_well_formed(text, message, sizeof message), table[i].good);
    }
}

static void test_text(void **state)
{
    (void)state;
    made_report m;
    made_report_make(&m);
    char *text = report_text_file(&m.r);
    assert_non_null(text);
    assert_null(strchr(text, '\033'));
    assert_null(strchr(text, '\001'));
    assert_int_equal(occurrences(text, "  case       bad"), 2); /* once for each of its two requirements */
    expect_in(text, "first bad  step 3, stage out: got 2, expected 1");
    expect_in(text, "ratio      7 (limit 4, row golden); 6 (limit 4, row 1b); nan (limit 4, row 1b)");
    expect_in(text, "1 FAILED*");
    expect_in(text, "Among the failed cases are those made for: PSGD-SEL-003 (1)");
    expect_in(text, "FAILED PSGD-AGG-007 (SHOULD)");
    assert_true(strstr(text, "FAILED PSGD-ITR-001") < strstr(text, "FAILED PSGD-AGG-007")); /* MUSTs first */
    expect_in(text, "1 skipped: claim not tested: alternating\n");
    expect_in(text, "1 skipped: the port does not support it: no batching\n");
    expect_in(text, "  | line? two");
    expect_in(text, "Waiver of PSGD-EF-* in c7, to 2030-01-31, excused 1 failure: known, <see> our list");
    expect_in(text, "Waiver of PSGD-EF-002 in any case, to 2020-01-31, is out of date: it has expired");
    expect_in(text, "multirank: PSGD-RND-001, PSGD-AGG-001 has no trusted case\n");
    expect_in(text, "core: PSGD-RND-003 has no trusted case\n");
    expect_in(text, "\nmultirank: no case of this claim was executed and passed\n");
    assert_null(strstr(text, "core: PSGD-AGG-002 failed")); /* said above */
    expect_in(text, "1 waived");
    expect_in(text, "Does not conform: core multirank");
    free(text);

    /* Where the failure that it stems from is not in the report, the case is shown under its own requirement. */
    verdict_free(&m.v);
    const check_place nowhere = CHECK_NOWHERE;
    verdict_expect(&m.v, verdict_open(&m.v, "PSGD-SEL-003", "lone", NULL, "case", 0), false, &nowhere, "reason");
    text = report_text_file(&m.r);
    expect_in(text, "FAILED PSGD-SEL-003");
    expect_in(text, "  case       lone\n");
    assert_null(strstr(text, "FAILED*"));
    free(text);
    verdict_free(&m.v);
}

static void test_statement(void **state)
{
    (void)state;
    made_report m;
    made_report_make(&m);
    assert_int_equal(setenv("SOURCE_DATE_EPOCH", "86400", 1), 0);
    char *text = report_statement(&m.r);
    expect_in(text, "good 1.0 does not conform: core multirank.\n");
    expect_in(text, "date            1970-01-02T00:00:00Z\n");
    expect_in(text, "  conforming    ef\n");
    expect_in(text, "  not tested    f64\n");
    expect_in(text, "  out of reach  subgroup\n");
    expect_in(text, "  unsupported   PSGD-BAT-001 (1)\n");
    expect_in(text, "  unobserved    PSGD-RND-001 (1)\n");
    expect_in(text, "  PSGD-EF-002 in any case, to 2020-01-31, 0 failures (out of date): was to be mended\n");
    expect_in(text, "  BLAS          not known\n");
    expect_in(text, "psgd-conform run --exec './a \"bad\" <port>?");
    expect_in(text, "--waive 'list of waivers'");
    free(text);
    verdict_free(&m.v);

    /* A partial run makes no statement, whatever came of it. */
    made_report_make_good(&m);
    text = report_statement(&m.r);
    expect_in(text, "good 1.0 conforms to suite");
    expect_in(text, "  variable      OPENBLAS_NUM_THREADS=1\n"); /* which the kit sees to */
    expect_in(text, "  BLAS          no shared library\n");
    free(text);
    static const char *const only[] = {"PSGD-AGG-002"};
    run_report lacking[4] = {m.r, m.r, m.r, m.r};
    lacking[0].quick = true;
    lacking[1].fuzz = 0;
    lacking[2].partial = true;
    lacking[2].only = only;
    lacking[2].only_count = 1;
    lacking[3].exit_code = 3;
    for (size_t i = 0; i < 4; i++) {
        text = report_statement(&lacking[i]);
        expect_in(text, "no statement of conformance");
        assert_null(strstr(text, "conforms to suite"));
        free(text);
    }
    assert_int_equal(unsetenv("SOURCE_DATE_EPOCH"), 0);
    verdict_free(&m.v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_schemas), cmocka_unit_test(test_junit),
                                       cmocka_unit_test(test_well_formed), cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_statement)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
