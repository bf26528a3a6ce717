/* Tests of report/printable.c, shell.c, rows.c and progress.c: text that a terminal and a shell can take, and how near
 * the limits a run came. */
#include "tests/cli/unit.h"

#include "report/printable.h"
#include "report/progress.h"
#include "report/report.h"
#include "report/shell.h"

#include <math.h>
#include <unistd.h>

static void test_printable(void **state)
{
    (void)state;
    char buffer[16];
    assert_string_equal(printable(buffer, sizeof buffer, "plain ~ text"), "plain ~ text");
    assert_string_equal(printable(buffer, sizeof buffer, "\033[31mred"), "?[31mred");
    assert_string_equal(printable(buffer, sizeof buffer, "a\nb\tc\rd"), "a b c d");
    assert_string_equal(printable(buffer, sizeof buffer, "\x7f\x80\xff"), "???");
    assert_string_equal(printable(buffer, sizeof buffer, NULL), "");
    assert_string_equal(printable(buffer, 4, "longer"), "lon");
    assert_string_equal(printable(buffer, 1, "longer"), "");
}

static void expect_quoted(const char *word, const char *quoted)
{
    caught *c = catch_open();
    fputc('>', c->stream);
    shell_print(c->stream, word);
    fputc('<', c->stream);
    char expected[64];
    snprintf(expected, sizeof expected, ">%s<", quoted);
    catch_expect(c, expected);
}

static void test_shell(void **state)
{
    (void)state;
    expect_quoted("./port-1.so", "./port-1.so");
    expect_quoted("", "''");
    expect_quoted("a b", "'a b'");
    expect_quoted("W1/[9x9;3]", "'W1/[9x9;3]'");
    expect_quoted("it's", "'it'\\''s'");
    expect_quoted("$(x)`y`", "'$(x)`y`'");
    expect_quoted("\033[2J", "'?[2J'");
}

static void add(verdict *v, const char *row, double ratio, double limit, const char *case_id)
{
    const check_place nowhere = CHECK_NOWHERE;
    verdict_measure(v, verdict_open(v, "PSGD-AGG-002", case_id, "problem", row, limit), ratio, 0, &nowhere);
}

static void test_rows(void **state)
{
    (void)state;
    verdict v = {0};
    row_maximum rows[ROW_MAXIMA];
    assert_int_equal(report_row_maxima(rows, &v, NULL), 0);
    add(&v, "2", 3, 10, "a");
    add(&v, "2", 4, 100, "b"); /* a larger ratio, but further from its limit */
    add(&v, "4", 0, 8, "c");
    add(&v, "2", 5, 10, "d");
    assert_int_equal(report_row_maxima(rows, &v, NULL), 2);
    assert_string_equal(rows[0].case_id, "d");
    assert_int_equal(rows[0].checks, 3);
    assert_string_equal(rows[1].case_id, "c");

    add(&v, "2", NAN, 10, "nan"); /* NaN is worse than any number, before and after it */
    add(&v, "2", INFINITY, 10, "infinite");
    assert_int_equal(report_row_maxima(rows, &v, NULL), 2);
    assert_string_equal(rows[0].case_id, "nan");
    assert_true(isnan(rows[0].ratio));

    /* What was not measured counts for nothing. */
    verdict_set(&v, verdict_open(&v, "PSGD-AGG-002", "e", "problem", "9", 1), CHECK_SKIP, "%s", "reason");
    assert_int_equal(report_row_maxima(rows, &v, NULL), 2);
    verdict_free(&v);
}

/* Checks count for the type that their problem names, wherever it stands there. */
static void test_types(void **state)
{
    (void)state;
    static const struct {
        const char *problem, *row;
        double ratio;
    } table[] = {{"W1/r1/f16/[9x9]", "2", 3},      {"bf16/W1/r1/[9x9]", "2", 5},          {"W1/r1/[9x9]/f64", "4", 1},
                 {"W1/r1/f16/[9x9]/s2", "2", 0.5}, {"W1/r1/f32/rec:f16/[9x9]", "1", 2.5}, {NULL, "2", 9}};
    const check_place nowhere = CHECK_NOWHERE;
    verdict v = {0};
    row_maximum rows[ROW_MAXIMA];
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        verdict_measure(&v, verdict_open(&v, "PSGD-AGG-002", "case", table[i].problem, table[i].row, 10),
                        table[i].ratio, 0, &nowhere);
    assert_int_equal(report_row_maxima(rows, &v, "f16"), 1);
    assert_true(rows[0].ratio == 3 && rows[0].checks == 2);
    assert_int_equal(report_row_maxima(rows, &v, "bf16"), 1);
    assert_true(rows[0].ratio == 5);
    assert_int_equal(report_row_maxima(rows, &v, "f64"), 1);
    assert_string_equal(rows[0].row, "4");
    assert_int_equal(report_row_maxima(rows, &v, "f32"), 1);
    assert_int_equal(report_row_maxima(rows, &v, NULL), 3);

    const requirement *of = requirement_find("PSGD-AGG-002");
    verdict_measure(&v, verdict_open(&v, "PSGD-AGG-002", "vacuous", "W1/r1/f16/[9x9]", "2", 10), 1, 0.5, &nowhere);
    assert_int_equal(report_trusted(&v, of, "f16"), 2);
    assert_int_equal(report_trusted(&v, of, "bf16"), 1);
    assert_int_equal(report_trusted(&v, requirement_find("PSGD-AGG-001"), "f16"), 0);
    verdict_free(&v);
}

/* What a run of 40 items with 2 failures prints about its progress where standard error is no terminal. */
static size_t progress_text(char *text, size_t size, bool shown)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fflush(stderr), 0);
    const int kept = dup(STDERR_FILENO);
    assert_true(kept >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    progress p = progress_start(40, shown);
    for (size_t i = 0; i < 40; i++)
        progress_step(&p, i, i > 20 ? 2 : 0, "item");
    progress_end(&p);
    fflush(stderr);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
    rewind(file);
    const size_t length = fread(text, 1, size - 1, file);
    text[length] = '\0';
    fclose(file);
    return length;
}

static void test_progress(void **state)
{
    (void)state;
    char text[512];
    assert_int_equal(setenv("TERM", "xterm", 1), 0);
    progress_text(text, sizeof text, true);
    assert_string_equal(text, " 25 % of 40, 0 s\n 50 % of 40, 0 s\n 75 % of 40, 2 failed, 0 s\n");
    assert_int_equal(progress_text(text, sizeof text, false), 0);
    progress none = progress_start(0, true);
    progress_step(&none, 0, 0, "item"); /* nothing to do is no division by zero */
    progress_end(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_printable), cmocka_unit_test(test_shell),    cmocka_unit_test(test_rows),
        cmocka_unit_test(test_types),     cmocka_unit_test(test_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
