/* Tests of cli/waivers.h: what is refused in a list, what a waiver excuses, and each way of going out of date. */
#include "unit.h"

#include "cli/waivers.h"

#include <unistd.h>

#define TODAY "2030-06-15"

/* Reads a list of this text; the message is in `message`. */
static waivers_result read_text(waivers *w, const char *text, char message[512])
{
    char path[] = "/tmp/psgd-waivers.XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(close(file), 0);
    const waivers_result result = waivers_read(w, path, message, 512);
    if (result != WAIVERS_OK && strstr(message, path) == NULL)
        fail_msg("the file is not named: %s", message);
    assert_int_equal(unlink(path), 0);
    return result;
}

static void test_malformed_lists(void **state)
{
    (void)state;
#define LIST(entries) "{\"format\": \"psgd-waivers/1\", \"waivers\": [" entries "]}"
#define REST          "\"reason\": \"known\", \"expires\": \"2030-01-31\"}"
    static const struct {
        const char *text, *says;
    } lists[] = {
        {"", "line 1"},
        {"{\n\"format\": }", "line 2"},
        {"[]", "is no JSON object"},
        {"{\"format\": \"psgd-waivers/1\", \"format\": \"psgd-waivers/1\"}", "duplicate"},
        {"{\"waivers\": []}", "\"format\" must be \"psgd-waivers/1\""},
        {"{\"format\": \"psgd-waivers/2\", \"waivers\": []}", "not 'psgd-waivers/2'"},
        {"{\"format\": \"psgd-waivers/1\"}", "\"waivers\" is missing"},
        {"{\"format\": \"psgd-waivers/1\", \"waivers\": {}}", "\"waivers\" is missing or no array"},
        {"{\"format\": \"psgd-waivers/1\", \"waivers\": [], \"owner\": 1}", "unknown key 'owner'"},
        {LIST("1"), "waiver 1: is no object"},
        {LIST("{\"case\": \"a\", " REST ", {" REST), "waiver 2: neither"},
        {LIST("{\"case\": \"a\", \"expires\": \"2030-01-31\"}"), "waiver 1: \"reason\" is missing"},
        {LIST("{\"case\": \"a\", \"reason\": \" \", \"expires\": \"2030-01-31\"}"), "\"reason\" is missing or empty"},
        {LIST("{\"case\": \"a\", \"reason\": \"b\"}"), "\"expires\" is missing"},
        {LIST("{\"case\": \"a\", \"reason\": \"b\", \"expires\": \"soon\"}"), "YYYY-MM-DD: 'soon'"},
        {LIST("{\"case\": \"a\", \"reason\": \"b\", \"expires\": \"2030-02-29\"}"), "'2030-02-29'"},
        {LIST("{\"case\": \"a\", \"reason\": \"b\", \"expires\": \"2030-13-01\"}"), "'2030-13-01'"},
        {LIST("{\"case\": \"a\", \"reason\": \"b\", \"expires\": \"2030-04-31\"}"), "'2030-04-31'"},
        {LIST("{\"case\": \"a\", \"reason\": \"b\", \"expires\": \"2030-1-1\"}"), "'2030-1-1'"},
        {LIST("{\"case\": \"a\", \"reason\": \"b\", \"expires\": 20300131}"), "is no string: 'expires'"},
        {LIST("{\"case\": \"a\", \"until\": \"b\", " REST), "unknown key 'until'"},
        {LIST("{\"case\": \"\", " REST), "\"case\" is empty"},
        {LIST("{\"requirement\": \"PSGD-EF-01\", " REST), "nearest is PSGD-EF-001: 'PSGD-EF-01'"},
        {LIST("{\"requirement\": \"PSGD-XX-*\", " REST), "unknown requirement"},
        {LIST("{\"requirement\": \"PSGD-FIL-*\", " REST), "cannot be waived: 'PSGD-FIL-*'"},
        {LIST("{\"case\": \"a\", " REST ", {\"case\": \"a\", " REST), "waiver 2: is for the same requirement and case"},
        {LIST("{\"case\": \"\\u001b[31m\", \"x\\u001b\": \"\", " REST), "unknown key 'x?'"},
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        waivers w;
        char message[512] = "";
        const waivers_result result = read_text(&w, lists[i].text, message);
        if (result != WAIVERS_BAD || strstr(message, lists[i].says) == NULL)
            fail_msg("'%s' is not said of %s: %s", lists[i].says, lists[i].text, message);
        waivers_free(&w);
    }
}

static void test_unreadable_files(void **state)
{
    (void)state;
    waivers w;
    char message[512] = "";
    assert_int_equal(waivers_read(&w, "/nowhere/waivers", message, sizeof message), WAIVERS_BAD);
    assert_non_null(strstr(message, "--waive /nowhere/waivers: No such file"));
    waivers_free(&w);
    assert_int_equal(waivers_read(&w, "/tmp", message, sizeof message), WAIVERS_BAD);
    assert_non_null(strstr(message, "/tmp: Is a directory"));
    waivers_free(&w);
}

static void test_a_list_is_read(void **state)
{
    (void)state;
    waivers w;
    char message[512] = "";
    assert_int_equal(read_text(&w, LIST(""), message), WAIVERS_OK);
    assert_int_equal(w.count, 0);
    waivers_free(&w);
    assert_int_equal(read_text(&w,
                               LIST("{\"requirement\": \"PSGD-EF-*\", \"reason\": \"r\", \"expires\": \"2028-02-29\"},"
                                    "{\"requirement\": \"PSGD-EF-*\", \"case\": \"core-?\", " REST),
                               message),
                     WAIVERS_OK);
    assert_int_equal(w.count, 2);
    assert_null(w.list[0].case_id);
    assert_string_equal(w.list[0].expires, "2028-02-29");
    assert_string_equal(w.list[1].case_id, "core-?");
    assert_string_equal(w.list[1].reason, "known");
    waivers_free(&w);
}

/* A run of four checks: one fails, one passes in the same case, one passes elsewhere, one is skipped. */
#define PROBLEM "W2/r2/s2/i4/f32/ef,ws/rate2/eps0/[24x40]/grad=gauss/seed=1"
#define TESTED  (PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_WARM_START)
enum { FAILED, PASSED_THERE, PASSED_ELSEWHERE, SKIPPED, CHECK_COUNT };

static verdict a_run(void)
{
    static const struct {
        const char *id, *case_id;
        check_state state;
    } checks[CHECK_COUNT] = {
        [FAILED] = {"PSGD-EF-001", "core-a", CHECK_FAIL},
        [PASSED_THERE] = {"PSGD-AGG-002", "core-a", CHECK_PASS},
        [PASSED_ELSEWHERE] = {"PSGD-EF-001", "core-b", CHECK_PASS},
        [SKIPPED] = {"PSGD-AGG-002", "core-c", CHECK_SKIP},
    };
    verdict v = {0};
    for (size_t i = 0; i < CHECK_COUNT; i++) {
        const char *text = i == FAILED || i == PASSED_THERE ? PROBLEM : NULL;
        verdict_set(&v, verdict_open(&v, checks[i].id, checks[i].case_id, text, "2", 10), checks[i].state, "%s", "");
    }
    assert_false(v.out_of_memory);
    return v;
}

static report_waiver waiver_of(const char *of, const char *case_id)
{
    return (report_waiver){
        .requirement = of, .case_id = case_id, .reason = "known", .expires = "2030-12-31", .state = -1};
}

static waiver_state applied(verdict *v, report_waiver *one, bool whole)
{
    waivers w = {.list = one, .count = 1};
    waivers_apply(&w, v, TESTED, whole, TODAY);
    return one->state;
}

/* What becomes of this waiver, and how many failures it leaves. */
static void expect_waiver(report_waiver one, bool whole, waiver_state wanted, size_t failures_left)
{
    verdict v = a_run();
    const waiver_state state = applied(&v, &one, whole);
    const verdict_counts counts = verdict_count(&v);
    if (state != wanted || counts.by_state[CHECK_FAIL] != failures_left)
        fail_msg("%s in %s: state %d, expected %d; %zu failures", one.requirement != NULL ? one.requirement : "any",
                 one.case_id != NULL ? one.case_id : "any", (int)state, (int)wanted, counts.by_state[CHECK_FAIL]);
    assert_int_equal(counts.by_state[CHECK_FAIL] + counts.by_state[CHECK_WAIVED], 1);
    assert_int_equal(counts.by_state[CHECK_PASS], 2);
    assert_int_equal(one.waived, 1 - failures_left);
    if (failures_left == 0)
        assert_string_equal(v.checks[FAILED].waiver, "known");
    verdict_free(&v);
}

static void test_what_a_waiver_excuses(void **state)
{
    (void)state;
    expect_waiver(waiver_of("PSGD-EF-001", NULL), true, WAIVER_USED, 0);
    expect_waiver(waiver_of("PSGD-EF-001", "core-a"), true, WAIVER_USED, 0);
    expect_waiver(waiver_of(NULL, "core-*"), true, WAIVER_USED, 0);
    expect_waiver(waiver_of("PSGD-*", NULL), false, WAIVER_USED, 0);
    expect_waiver(waiver_of(NULL, PROBLEM), true, WAIVER_USED, 0);
    /* Another requirement, case or problem is not excused. */
    expect_waiver(waiver_of("PSGD-EF-004", "core-a"), true, WAIVER_UNMATCHED, 1);
    expect_waiver(waiver_of("PSGD-AGG-002", "core-a"), true, WAIVER_NEEDLESS, 1);
    expect_waiver(waiver_of("PSGD-EF-001", "core-b"), true, WAIVER_NEEDLESS, 1);
    expect_waiver(waiver_of("PSGD-EF-00", "core-a"), true, WAIVER_NOT_REACHED, 1);
    expect_waiver(waiver_of(NULL, "W2/r2/f32/[24x40]"), true, WAIVER_UNMATCHED, 1);
}

static void test_ways_of_going_stale(void **state)
{
    (void)state;
    report_waiver expired = waiver_of("PSGD-EF-001", "core-a"), last_day = expired;
    expired.expires = "2030-06-14";
    last_day.expires = TODAY;
    expect_waiver(expired, true, WAIVER_EXPIRED, 1);
    expect_waiver(expired, false, WAIVER_EXPIRED, 1);
    expect_waiver(last_day, true, WAIVER_USED, 0);
    expect_waiver(waiver_of(NULL, "core-nowhere"), true, WAIVER_UNMATCHED, 1);
    expect_waiver(waiver_of("PSGD-AGG-002", NULL), true, WAIVER_NEEDLESS, 1);
    expect_waiver(waiver_of("PSGD-EF-001", "core-b"), false, WAIVER_NEEDLESS, 1);
    assert_true(WAIVER_IS_STALE(WAIVER_UNMATCHED) && WAIVER_IS_STALE(WAIVER_EXPIRED) &&
                WAIVER_IS_STALE(WAIVER_NEEDLESS));
    assert_false(WAIVER_IS_STALE(WAIVER_USED) || WAIVER_IS_STALE(WAIVER_NOT_REACHED));
}

static void test_what_was_not_run_is_not_stale(void **state)
{
    (void)state;
    expect_waiver(waiver_of(NULL, "core-nowhere"), false, WAIVER_NOT_REACHED, 1);
    expect_waiver(waiver_of("PSGD-AGG-002", NULL), false, WAIVER_NOT_REACHED, 1);    /* its failure may be elsewhere */
    expect_waiver(waiver_of("PSGD-AGG-002", "core-c"), true, WAIVER_NOT_REACHED, 1); /* skipped */
    expect_waiver(waiver_of("PSGD-EF-001", "core-c"), true, WAIVER_NOT_REACHED, 1);  /* its case was */
    expect_waiver(waiver_of("PSGD-CKP-001", NULL), true, WAIVER_NOT_REACHED, 1);     /* a claim that is not tested */
}

static void test_what_was_not_run_is_not_excused(void **state)
{
    (void)state;
    verdict v = {0};
    verdict_set(&v, verdict_open(&v, "PSGD-EF-001", "core-a", NULL, "case", 0), CHECK_NOT_RUN, "time-outs");
    report_waiver one = waiver_of("PSGD-EF-001", "core-a");
    assert_int_equal(applied(&v, &one, true), WAIVER_NOT_REACHED);
    assert_int_equal(v.checks[0].state, CHECK_NOT_RUN);
    verdict_free(&v);
}

static void test_what_is_said_of_files_is_not_excused(void **state)
{
    (void)state;
    verdict v = a_run();
    verdict_set(&v, verdict_open(&v, "PSGD-FIL-001", "core-a", NULL, "structure", 0), CHECK_FAIL, "%s", "");
    report_waiver one = waiver_of("PSGD-*", "core-a");
    assert_int_equal(applied(&v, &one, true), WAIVER_USED);
    assert_int_equal(one.waived, 1);
    assert_int_equal(v.checks[CHECK_COUNT].state, CHECK_FAIL);
    verdict_free(&v);
}

static void test_two_for_one_failure(void **state)
{
    (void)state;
    verdict v = a_run();
    report_waiver both[] = {waiver_of("PSGD-EF-001", NULL), waiver_of(NULL, "core-a")};
    both[1].reason = "the other";
    waivers w = {.list = both, .count = 2};
    waivers_apply(&w, &v, TESTED, true, TODAY);
    assert_int_equal(both[0].state, WAIVER_USED);
    assert_int_equal(both[1].state, WAIVER_USED);
    assert_string_equal(v.checks[FAILED].waiver, "known");
    verdict_free(&v);
}

static void test_an_expired_one_is_no_other_ones_excuse(void **state)
{
    (void)state;
    verdict v = a_run();
    report_waiver both[] = {waiver_of("PSGD-EF-001", NULL), waiver_of(NULL, "core-a")};
    both[0].expires = "2029-12-31";
    both[1].reason = "the other";
    waivers w = {.list = both, .count = 2};
    waivers_apply(&w, &v, TESTED, true, TODAY);
    assert_int_equal(both[0].state, WAIVER_EXPIRED);
    assert_int_equal(both[0].waived, 0);
    assert_int_equal(both[1].state, WAIVER_USED);
    assert_string_equal(v.checks[FAILED].waiver, "the other");
    verdict_free(&v);
}

static void test_today(void **state)
{
    (void)state;
    char today[DATE_SIZE] = "";
    assert_true(date_today(today));
    assert_int_equal(strlen(today), 10);
    assert_true(strcmp(today, "2024-01-01") > 0 && today[4] == '-' && today[7] == '-');
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_malformed_lists),
                                       cmocka_unit_test(test_unreadable_files),
                                       cmocka_unit_test(test_a_list_is_read),
                                       cmocka_unit_test(test_what_a_waiver_excuses),
                                       cmocka_unit_test(test_ways_of_going_stale),
                                       cmocka_unit_test(test_what_was_not_run_is_not_stale),
                                       cmocka_unit_test(test_what_was_not_run_is_not_excused),
                                       cmocka_unit_test(test_what_is_said_of_files_is_not_excused),
                                       cmocka_unit_test(test_two_for_one_failure),
                                       cmocka_unit_test(test_an_expired_one_is_no_other_ones_excuse),
                                       cmocka_unit_test(test_today)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
