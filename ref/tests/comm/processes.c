/* Tests of comm/processes_*.c: the launcher's side. What the ranks do is in processes_scenarios.c.
 *
 * Ranks that fail must be back long before a time limit of 60 s: the tests allow them 10 s. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "comm/processes.h"
#include "processes_scenarios.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_RANKS = 4, KILLED = 1000, MICROSECONDS_NEVER = -1 };

static char *program; /* this file's executable */

/* One group that plays one scenario. */
typedef struct play {
    char *scenario;
    int32_t size;
    double timeout_seconds;
    int32_t kill_rank; /* killed after kill_after microseconds */
    long kill_after;   /* or MICROSECONDS_NEVER */
    bool kill_last;    /* the last rank still running is killed when the others ended */
} play;

typedef struct outcome {
    int codes[MAX_RANKS]; /* exit codes, KILLED by a signal */
    double seconds;
} outcome;

static void pause_for(long microseconds)
{
    struct timespec span = {microseconds / 1000000, microseconds % 1000000 * 1000};
    (void)nanosleep(&span, NULL);
}

/* What a launcher does: start all, wait for all, fail the group when one ended without success. */
static outcome run(play what)
{
    outcome result = {{0}, 0};
    int64_t pids[MAX_RANKS] = {0};
    char message[256] = "";
    psgd_processes *group = NULL;
    int64_t begin = psgd_monotonic_nanoseconds();
    assert_int_equal(psgd_processes_create(&group, what.size, what.timeout_seconds, message, sizeof message), PSGD_OK);
    for (int32_t rank = 0; rank < what.size; rank++) {
        char word[] = "rank";
        char *argv[] = {program, word, what.scenario, NULL};
        assert_int_equal(psgd_processes_start(group, rank, argv, &pids[rank], message, sizeof message), PSGD_OK);
    }
    if (what.kill_after != MICROSECONDS_NEVER) {
        pause_for(what.kill_after);
        assert_int_equal(kill((pid_t)pids[what.kill_rank], SIGKILL), 0);
    }
    for (int32_t running = what.size; running > 0; running--) {
        if (running == 1 && what.kill_last)
            for (int32_t rank = 0; rank < what.size; rank++)
                if (pids[rank] != 0)
                    (void)kill((pid_t)pids[rank], SIGKILL);
        int status = 0;
        pid_t ended;
        do
            ended = waitpid(-1, &status, 0);
        while (ended < 0 && errno == EINTR);
        assert_true(ended > 0);
        for (int32_t rank = 0; rank < what.size; rank++)
            if (pids[rank] == (int64_t)ended) {
                result.codes[rank] = WIFEXITED(status) ? WEXITSTATUS(status) : KILLED;
                pids[rank] = 0;
                if (result.codes[rank] != RANK_OK)
                    psgd_processes_fail(group);
            }
    }
    result.seconds = (double)(psgd_monotonic_nanoseconds() - begin) / 1e9;
    psgd_processes_release(group);
    return result;
}

static play plain(char *scenario, int32_t size)
{
    return (play){scenario, size, 60, 0, MICROSECONDS_NEVER, false};
}

/* Every rank of every size from `smallest` on ends with this code. */
static void expect_all(char *scenario, int32_t smallest, int code)
{
    for (int32_t size = smallest; size <= MAX_RANKS; size++) {
        outcome result = run(plain(scenario, size));
        for (int32_t rank = 0; rank < size; rank++)
            assert_int_equal(result.codes[rank], code);
        assert_true(result.seconds < 10);
    }
}

/* The rank ends with its code, the others come back with PSGD_ERR_COMM. */
static void expect_others_failed(outcome result, int32_t size, int32_t rank, int code)
{
    for (int32_t k = 0; k < size; k++)
        assert_int_equal(result.codes[k], k == rank ? code : RANK_GROUP_FAILED);
    assert_true(result.seconds < 10);
}

static void sums_are_exact_in_rank_order(void **state)
{
    (void)state;
    expect_all("sums", 1, RANK_OK);
    expect_all("halves", MAX_RANKS, RANK_OK);
}

static void empty_buffers_are_collectives_too(void **state)
{
    (void)state;
    expect_all("empty", 1, RANK_OK);
    expect_all("empty_synchronises", 2, RANK_OK);
}

static void small_sums_are_quick(void **state)
{
    (void)state;
    expect_all("many_small", 1, RANK_OK);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    expect_all("arguments", 1, RANK_OK);
    expect_all("joins_twice", 1, RANK_OK);
}

static void ranks_that_disagree_all_fail(void **state)
{
    (void)state;
    expect_all("counts_differ", 2, RANK_GROUP_FAILED);
    expect_all("chunk_counts_differ", 2, RANK_GROUP_FAILED);
    expect_all("empty_differs", 2, RANK_GROUP_FAILED);
    expect_all("dtypes_differ", 2, RANK_GROUP_FAILED);
}

static void a_rank_that_leaves_fails_the_others(void **state)
{
    (void)state;
    for (int32_t size = 2; size <= MAX_RANKS; size++) {
        expect_others_failed(run(plain("released_early", size)), size, 1, RANK_OK);
        expect_others_failed(run(plain("exits_early", size)), size, 1, RANK_LEAVES_ON_ERROR);
        expect_others_failed(run(plain("killed", size)), size, 1, KILLED);
    }
}

static void a_rank_may_be_killed_while_it_waits(void **state)
{
    (void)state;
    play what = plain("killed_while_waiting", 4);
    what.kill_rank = 2;
    what.kill_after = 250000;
    expect_others_failed(run(what), 4, 2, KILLED);
}

static void a_rank_may_be_killed_at_any_instant(void **state)
{
    (void)state;
    uint32_t random = 12345;
    for (int32_t i = 0; i < 30; i++) {
        random = random * 1664525u + 1013904223u;
        play what = plain("endless", 2 + i % 3);
        what.kill_rank = i % what.size;
        what.kill_after = (long)(random >> 8) % 30000;
        expect_others_failed(run(what), what.size, what.kill_rank, KILLED);
    }
}

static void a_rank_that_hangs_meets_the_time_limit(void **state)
{
    (void)state;
    play what = plain("hung", 4);
    what.timeout_seconds = 1;
    what.kill_last = true;
    outcome result = run(what);
    expect_others_failed(result, 4, 1, KILLED);
    assert_true(result.seconds >= 1);
}

static void creation_checks_its_arguments(void **state)
{
    (void)state;
    char message[256] = "";
    psgd_processes *group = NULL;
    const double zero = 0;
    const double bad_limits[] = {0, -1, zero / zero};
    assert_int_equal(psgd_processes_create(NULL, 1, 1, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_non_null(strstr(message, "group"));
    assert_int_equal(psgd_processes_create(&group, 0, 1, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_non_null(strstr(message, "size"));
    assert_int_equal(psgd_processes_create(&group, PSGD_GROUP_MAX_SIZE + 1, 1, NULL, 0), PSGD_ERR_ARGUMENT);
    for (size_t i = 0; i < sizeof bad_limits / sizeof *bad_limits; i++) {
        assert_int_equal(psgd_processes_create(&group, 1, bad_limits[i], message, sizeof message), PSGD_ERR_ARGUMENT);
        assert_non_null(strstr(message, "timeout_seconds"));
    }
    assert_null(group);
    psgd_processes_fail(NULL);
    psgd_processes_release(NULL);
}

static void starting_checks_its_arguments(void **state)
{
    (void)state;
    char message[256] = "";
    int64_t pid = 0;
    psgd_processes *group = NULL;
    char word[] = "rank";
    char scenario[] = "empty";
    char *argv[] = {program, word, scenario, NULL};
    char *nothing[] = {NULL};
    assert_int_equal(psgd_processes_create(&group, 1, 1e300, message, sizeof message), PSGD_OK);
    assert_int_equal(psgd_processes_start(NULL, 0, argv, &pid, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_non_null(strstr(message, "group"));
    assert_int_equal(psgd_processes_start(group, -1, argv, &pid, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_non_null(strstr(message, "rank"));
    assert_int_equal(psgd_processes_start(group, 1, argv, &pid, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_int_equal(psgd_processes_start(group, 0, NULL, &pid, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_non_null(strstr(message, "argv"));
    assert_int_equal(psgd_processes_start(group, 0, nothing, &pid, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_int_equal(psgd_processes_start(group, 0, argv, NULL, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_non_null(strstr(message, "pid"));
    psgd_processes_release(group);
}

static void a_program_that_cannot_be_executed_is_an_error(void **state)
{
    (void)state;
    char missing[] = "/nonexistent/program";
    char folder[] = "/";
    char word[] = "rank";
    char scenario[] = "empty";
    char *bad[][2] = {{missing, NULL}, {folder, NULL}};
    char *good[] = {program, word, scenario, NULL};
    char message[256] = "";
    int64_t pid = -1;
    psgd_processes *group = NULL;
    assert_int_equal(psgd_processes_create(&group, 1, 60, message, sizeof message), PSGD_OK);
    for (size_t i = 0; i < 2; i++) {
        message[0] = '\0';
        assert_int_equal(psgd_processes_start(group, 0, bad[i], &pid, message, sizeof message), PSGD_ERR_IO);
        assert_non_null(strstr(message, bad[i][0]));
        assert_non_null(strstr(message, i == 0 ? "No such file" : "denied"));
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no process is left behind */
        assert_int_equal(errno, ECHILD);
    }
    assert_int_equal(psgd_processes_start(group, 0, good, &pid, message, sizeof message), PSGD_OK);
    int64_t again = 0;
    assert_int_equal(psgd_processes_start(group, 0, good, &again, message, sizeof message), PSGD_ERR_ARGUMENT);
    int status = -1;
    assert_int_equal(waitpid((pid_t)pid, &status, 0), pid);
    assert_int_equal(status, 0);
    psgd_processes_release(group);
}

static void expect_join_refused(const char *variable)
{
    psgd_processes *group = NULL;
    psgd_comm comm;
    char message[256] = "";
    assert_int_equal(setenv(PSGD_PROCESSES_VARIABLE, variable, 1), 0);
    assert_int_equal(psgd_processes_join(&group, &comm, message, sizeof message), PSGD_ERR_IO);
    assert_null(group);
    assert_true(message[0] != '\0');
}

static void joining_refuses_what_is_no_group(void **state)
{
    (void)state;
    psgd_processes *group = NULL;
    psgd_comm comm;
    char message[256] = "";
    assert_int_equal(unsetenv(PSGD_PROCESSES_VARIABLE), 0);
    assert_int_equal(psgd_processes_join(&group, &comm, message, sizeof message), PSGD_ERR_IO);
    assert_non_null(strstr(message, PSGD_PROCESSES_VARIABLE));
    assert_int_equal(psgd_processes_join(NULL, &comm, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_int_equal(psgd_processes_join(&group, NULL, message, sizeof message), PSGD_ERR_ARGUMENT);

    const char *bad[] = {
        "", ":", "3", "3:", ":0", "-1:0", "3:-1", "3:0 ", "3:0:0", "x:0", "99999999999999999999:0", "1000000:0", "0:0"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_join_refused(bad[i]);

    /* A file that holds a group of another version, and a group without this rank. */
    char text[64];
    assert_int_equal(psgd_processes_create(&group, 2, 1, message, sizeof message), PSGD_OK);
    FILE *other = tmpfile();
    assert_non_null(other);
    psgd_segment_head head;
    memcpy(&head, group->segment.head, sizeof head);
    head.magic += 1;
    assert_int_equal(fwrite(&head, sizeof head, 1, other), 1);
    assert_int_equal(fflush(other), 0);
    assert_int_equal(ftruncate(fileno(other), (off_t)group->segment.bytes), 0);
    (void)snprintf(text, sizeof text, "%d:0", fileno(other));
    expect_join_refused(text);
    assert_int_equal(fclose(other), 0);
    (void)snprintf(text, sizeof text, "%d:2", group->descriptor);
    expect_join_refused(text);
    psgd_processes_release(group);

    /* A launcher that is itself a rank of another group replaces the variable. */
    assert_int_equal(setenv(PSGD_PROCESSES_VARIABLE, "1000000:0", 1), 0);
    expect_all("empty", 2, RANK_OK);
    assert_int_equal(unsetenv(PSGD_PROCESSES_VARIABLE), 0);
}

static void a_rank_is_taken_once(void **state)
{
    (void)state;
    psgd_processes *launcher = NULL;
    psgd_processes *rank = NULL;
    psgd_comm comm;
    char text[64];
    assert_int_equal(psgd_processes_create(&launcher, 1, 1, NULL, 0), PSGD_OK);
    int descriptor = dup(launcher->descriptor);
    assert_true(descriptor >= 0);
    (void)snprintf(text, sizeof text, "%d:0", descriptor);
    assert_int_equal(setenv(PSGD_PROCESSES_VARIABLE, text, 1), 0);
    assert_int_equal(psgd_processes_join(&rank, &comm, NULL, 0), PSGD_OK);
    assert_int_equal(comm.rank, 0);
    assert_int_equal(comm.size, 1);
    assert_int_equal(close(descriptor), -1); /* join did it */
    (void)snprintf(text, sizeof text, "%d:0", launcher->descriptor);
    expect_join_refused(text);
    psgd_processes_release(rank);
    psgd_processes_release(launcher);
    assert_int_equal(unsetenv(PSGD_PROCESSES_VARIABLE), 0);
}

static int open_descriptors(void)
{
    int count = 0;
    for (int descriptor = 0; descriptor < 1024; descriptor++)
        count += fcntl(descriptor, F_GETFD) >= 0;
    return count;
}

static void descriptors_are_given_back(void **state)
{
    (void)state;
    int before = open_descriptors();
    (void)run(plain("empty", 3));
    (void)run(plain("exits_early", 3));
    assert_int_equal(open_descriptors(), before);

    /* Where standard input is closed, a group does not take its number: the ranks would take the group for their input.
     */
    psgd_processes *group = NULL;
    int input = dup(0);
    assert_true(input >= 0);
    assert_int_equal(close(0), 0);
    psgd_status status = psgd_processes_create(&group, 2, 1, NULL, 0);
    int descriptor = group == NULL ? -1 : group->descriptor;
    psgd_processes_release(group);
    assert_int_equal(dup2(input, 0), 0);
    assert_int_equal(close(input), 0);
    assert_int_equal(status, PSGD_OK);
    assert_true(descriptor > 2);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "rank") == 0)
        return run_scenario(argv[2]);
    program = argv[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_exact_in_rank_order),
        cmocka_unit_test(empty_buffers_are_collectives_too),
        cmocka_unit_test(small_sums_are_quick),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(ranks_that_disagree_all_fail),
        cmocka_unit_test(a_rank_that_leaves_fails_the_others),
        cmocka_unit_test(a_rank_may_be_killed_while_it_waits),
        cmocka_unit_test(a_rank_may_be_killed_at_any_instant),
        cmocka_unit_test(a_rank_that_hangs_meets_the_time_limit),
        cmocka_unit_test(creation_checks_its_arguments),
        cmocka_unit_test(starting_checks_its_arguments),
        cmocka_unit_test(a_program_that_cannot_be_executed_is_an_error),
        cmocka_unit_test(joining_refuses_what_is_no_group),
        cmocka_unit_test(a_rank_is_taken_once),
        cmocka_unit_test(descriptors_are_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
