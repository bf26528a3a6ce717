/* exec_command.c: shell commands under watch: how they end, what they say, and that nothing outlives them. */
#include "unit.h"

#include "cli/exec_command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static command_outcome run(const char *command, const char *folder, double timeout)
{
    command_outcome outcome;
    char message[256] = "";
    const exec_result result = exec_command(&outcome, command, folder, timeout, true, message, sizeof message);
    assert_string_equal(message, "");
    assert_int_equal(result, EXEC_ENDED);
    return outcome;
}

static void ends_with(const char *command, int exit_status, int signal_number, const char *tail)
{
    command_outcome outcome = run(command, "/nowhere", 20);
    assert_int_equal(outcome.exit_status, exit_status);
    assert_int_equal(outcome.signal, signal_number);
    assert_false(outcome.timed_out);
    if (tail == NULL)
        assert_null(outcome.error_tail);
    else
        assert_string_equal(outcome.error_tail, tail);
    free(outcome.error_tail);
}

static void test_endings(void **state)
{
    (void)state;
    ends_with("true", 0, 0, NULL);
    ends_with("exit 3;", 3, 0, NULL);
    ends_with("kill -9 $$;", -1, SIGKILL, NULL);
    ends_with("kill -TERM $$; sleep 9;", -1, SIGTERM, NULL);
    ends_with("echo to the terminal; echo one >&2; echo two >&2; :", 0, 0, "one\ntwo");
    ends_with("printf 'a\\tb\\033c\\351' >&2; :", 0, 0, "a b?c?");
    ends_with("exec 2>&-; exec 1>&-; sleep 0.1; exit 4;", 4, 0, NULL);
    ends_with("trap '' TERM; exit 5;", 5, 0, NULL);
}

static void test_not_found(void **state)
{
    (void)state;
    command_outcome outcome = run("./no-such-program-anywhere", "/nowhere", 20);
    assert_int_equal(outcome.exit_status, 127);
    assert_non_null(strstr(outcome.error_tail, "no-such-program-anywhere"));
    free(outcome.error_tail);
}

/* Whatever is in its name, the folder is one word, the last one. */
static void test_folder(void **state)
{
    (void)state;
    static const char folder[] = "/tmp/a b'c\"d$HOME`id`\\*";
    command_outcome outcome = run("printf '%s|' first >&2; printf '%s|' >&2", folder, 20);
    char expected[sizeof folder + 16];
    (void)snprintf(expected, sizeof expected, "first|%s|", folder);
    assert_string_equal(outcome.error_tail, expected);
    free(outcome.error_tail);
}

/* Nothing to read, no terminal to wait at. */
static void test_input(void **state)
{
    (void)state;
    ends_with("cat >&2 -; cat; :", 0, 0, NULL);
}

static void test_tail(void **state)
{
    (void)state;
    command_outcome outcome =
        run("i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo line $i >&2; done; :", "/nowhere", 20);
    assert_int_equal(strncmp(outcome.error_tail, "line 61\n", 8), 0);
    assert_string_equal(outcome.error_tail + strlen(outcome.error_tail) - 8, "line 100");
    free(outcome.error_tail);
    /* A hundred megabytes, in no memory to speak of, and in one line. */
    outcome = run("head -c 100000000 /dev/zero | tr '\\0' x >&2; echo end >&2; :", "/nowhere", 60);
    assert_int_equal(outcome.exit_status, 0);
    assert_int_equal(strlen(outcome.error_tail), EXEC_TAIL_BYTES - 1); /* the last byte was a line's end */
    assert_string_equal(outcome.error_tail + EXEC_TAIL_BYTES - 1 - 4, "xend");
    free(outcome.error_tail);
}

/* ---- what is left behind ---- */

/* Is there a process with this word on its command line? */
static bool is_running(const char *word)
{
    char command[256];
    (void)snprintf(command, sizeof command, "grep -lsa -e '%s' /proc/[0-9]*/cmdline >/dev/null", word);
    return system(command) == 0;
}

static void is_gone(const char *word)
{
    char searched[64];
    (void)snprintf(searched, sizeof searched, "[%c]%s", word[0], word + 1); /* not the search's own */
    assert_false(is_running(searched));
}

static void test_time_limit(void **state)
{
    (void)state;
    command_outcome outcome = run("echo waiting >&2; sleep 71.25;", "/nowhere", 0.5);
    assert_true(outcome.timed_out);
    assert_int_equal(outcome.exit_status, -1);
    assert_true(outcome.seconds >= 0.5 && outcome.seconds < 3);
    assert_string_equal(outcome.error_tail, "waiting");
    free(outcome.error_tail);
    is_gone("71.25");
    /* Deaf to SIGTERM, as are its children. */
    outcome = run("trap '' TERM; sleep 72.25 & sleep 72.25; sleep 72.25;", "/nowhere", 0.2);
    assert_true(outcome.timed_out);
    assert_null(outcome.error_tail);
    is_gone("72.25");
    /* It tidies up when it is asked to end, and is no success. */
    outcome = run("trap 'echo tidy >&2; exit 0' TERM; sleep 73.25 & wait;", "/nowhere", 0.3);
    assert_true(outcome.timed_out);
    assert_int_equal(outcome.exit_status, -1);
    assert_string_equal(outcome.error_tail, "tidy");
    free(outcome.error_tail);
    is_gone("73.25");
}

static void test_left_behind(void **state)
{
    (void)state;
    struct timespec begin, end;
    (void)clock_gettime(CLOCK_MONOTONIC, &begin);
    ends_with("sleep 74.25 & exit 0;", 0, 0, NULL);
    is_gone("74.25");
    ends_with("nohup sleep 75.25 >/dev/null 2>&1 & exit 6;", 6, 0, NULL);
    is_gone("75.25");
    /* In a session of its own, its parents gone; another one below it. */
    ends_with("setsid sh -c 'setsid sleep 76.25 & sleep 76.5' & sleep 0.3; exit 0;", 0, 0, NULL);
    is_gone("76.25");
    is_gone("76.5");
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    assert_true(end.tv_sec - begin.tv_sec < 10); /* nobody waited for a sleep's end */
    command_outcome outcome = run("setsid sleep 77.25 & sleep 77.5;", "/nowhere", 0.3);
    assert_true(outcome.timed_out);
    is_gone("77.25");
    is_gone("77.5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_endings),    cmocka_unit_test(test_not_found),
                                       cmocka_unit_test(test_folder),     cmocka_unit_test(test_input),
                                       cmocka_unit_test(test_tail),       cmocka_unit_test(test_time_limit),
                                       cmocka_unit_test(test_left_behind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
