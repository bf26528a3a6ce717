/* Tests of report/paper.c and terminal.c: where lines go on, and that a terminal is asked for nothing it cannot give.
 */
#include "tests/cli/unit.h"

#include "report/paper.h"

#include <unistd.h>

static void expect_lines(int width, bool colour, paper_kind kind, const char *line, const char *expected)
{
    caught *c = catch_open();
    const terminal t = {.width = width, .moves_cursor = colour, .colour = colour};
    paper p = paper_on(c->stream, &t);
    fputs(line, paper_begin(&p));
    paper_end(&p, kind, 4);
    assert_int_equal(fclose(c->stream), 0);
    assert_string_equal(c->text, expected);
    free(c->text);
    free(c);
}

static void test_lines(void **state)
{
    (void)state;
    static const char text[] = "  one two  three";
    expect_lines(0, false, PAPER_TEXT, text, "  one two  three\n");
    expect_lines(16, false, PAPER_TEXT, text, "  one two  three\n"); /* just as long as the paper is wide */
    expect_lines(15, false, PAPER_TEXT, text, "  one two\n    three\n");
    expect_lines(8, false, PAPER_TEXT, text, "  one\n  two\n  three\n"); /* narrow paper has no room for the indent */
    expect_lines(20, false, PAPER_TEXT, "case W1/r2/f32/[24x40]/seed=7", "case W1/r2/f32/\n    [24x40]/seed=7\n");
    expect_lines(20, false, PAPER_TEXT, "abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz\n");
    expect_lines(16, false, PAPER_TEXT, "case [16x24,24x40,17]", "case [16x24,\n    24x40,17]\n");
    expect_lines(12, false, PAPER_TEXT, "", "\n");
}

/* A shell reads what it is given as one command, with every word whole. */
static void test_commands(void **state)
{
    (void)state;
    expect_lines(20, false, PAPER_COMMAND, "run --impl ./a/long/path.so --quick",
                 "run --impl \\\n    ./a/long/path.so \\\n    --quick\n");
    expect_lines(15, false, PAPER_COMMAND, "run --impl ./p --q", "run --impl \\\n    ./p --q\n"); /* room for it */
    expect_lines(0, false, PAPER_COMMAND, "run --impl ./a/long/path.so", "run --impl ./a/long/path.so\n");
}

static void test_colours(void **state)
{
    (void)state;
    static const char text[] = PAPER_RED "bad" PAPER_PLAIN " news";
    expect_lines(0, false, PAPER_TEXT, text, "bad news\n");
    expect_lines(0, true, PAPER_TEXT, text, "\033[1;31mbad\033[0m news\n");
    expect_lines(8, true, PAPER_TEXT, text, "\033[1;31mbad\033[0m news\n"); /* marks take no room */
    expect_lines(7, true, PAPER_TEXT, text, "\033[1;31mbad\033[0m\n news\n");
    expect_lines(8, false, PAPER_TEXT, "b\xc3\xa4r news", "b\xc3\xa4r news\n"); /* nor does a character's second byte */
}

static void test_no_terminal(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(setenv("COLUMNS", "40", 1), 0);
    assert_int_equal(setenv("TERM", "xterm", 1), 0);
    assert_int_equal(pipe(ends), 0);
    const terminal t = terminal_of(ends[1]);
    assert_int_equal(t.width, 0);
    assert_false(t.moves_cursor);
    assert_false(t.colour);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_commands),
                                       cmocka_unit_test(test_colours), cmocka_unit_test(test_no_terminal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
