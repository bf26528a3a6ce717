/* exec_command.c: shell commands under watch: how they end, what they say, and that nothing outlives them. */
#include "unit.h"

#include "cli/exec_command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Runs the command with each % replaced by a time to sleep that no other process sleeps; nobody sleeps it afterwards.
 */
static command_outcome run_sleeping(const char *command, double timeout)
{
    static int count;
    char word[48], text[512] = "";
    (void)snprintf(word, sizeof word, "7%d.%d", count++, (int)getpid());
    for (size_t used = 0; *command != '\0'; command++)
        used += (size_t)snprintf(text + used, sizeof text - used, *command == '%' ? "%s" : "%.1s",
                                 *command == '%' ? word : command);
    const command_outcome outcome = run(text, "/nowhere", timeout);
    char searched[64];
    (void)snprintf(searched, sizeof searched, "[7]%s", word + 1); /* not the search's own */
    assert_false(is_running(searched));
    return outcome;
}

static void test_time_limit(void **state)
{
    (void)state;
    command_outcome outcome = run_sleeping("echo waiting >&2; sleep %;", 0.5);
    assert_true(outcome.timed_out);
    assert_int_equal(outcome.exit_status, -1);
    assert_true(outcome.seconds >= 0.5);
    assert_string_equal(outcome.error_tail, "waiting");
    free(outcome.error_tail);
    /* Deaf to SIGTERM, as are its children. */
    outcome = run_sleeping("trap '' TERM; sleep % & sleep %; sleep %;", 0.2);
    assert_true(outcome.timed_out);
    assert_null(outcome.error_tail);
    /* It tidies up when it is asked to end, and is no success. */
    outcome = run_sleeping("trap 'echo tidy >&2; exit 0' TERM; sleep % & wait;", 1);
    assert_true(outcome.timed_out);
    assert_int_equal(outcome.exit_status, -1);
    assert_string_equal(outcome.error_tail, "tidy");
    free(outcome.error_tail);
}

static void leaves_nothing(const char *command, int exit_status)
{
    command_outcome outcome = run_sleeping(command, 60);
    assert_false(outcome.timed_out);
    assert_int_equal(outcome.exit_status, exit_status);
    assert_null(outcome.error_tail);
}

static void test_left_behind(void **state)
{
    (void)state;
    leaves_nothing("sleep % & exit 0;", 0);
    leaves_nothing("nohup sleep % >/dev/null 2>&1 & exit 6;", 6);
    /* In a session of its own, its parents gone; another one below it. */
    leaves_nothing("setsid sh -c 'setsid sleep % & sleep %' & sleep 0.3; exit 0;", 0);
    command_outcome outcome = run_sleeping("setsid sleep % & sleep %;", 0.3);
    assert_true(outcome.timed_out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_endings),    cmocka_unit_test(test_not_found),
                                       cmocka_unit_test(test_folder),     cmocka_unit_test(test_input),
                                       cmocka_unit_test(test_tail),       cmocka_unit_test(test_time_limit),
                                       cmocka_unit_test(test_left_behind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
