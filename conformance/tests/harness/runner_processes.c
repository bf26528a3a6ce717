/* Tests of harness/runner_processes.c: whatever a port does to its process, the kit says what and goes on. */
#include "runner_fixtures.h"

#include <signal.h>
#include <unistd.h>

#define PROBLEM "W2/r2/s9/i5/f32/-/[24x40,17;9x11]/seed=3" /* plain steps only */

static result run(const char *plugin, const char *text, bool seeded, double timeout)
{
    return runner_run(runner_processes, plugin, text, seeded, timeout);
}

static void test_an_honest_port_gives_the_mean(void **state)
{
    (void)state;
    problem p;
    problem_error error;
    test_case c;
    char message[256];
    assert_true(problem_parse(&p, PROBLEM, &error));
    assert_true(case_build(&c, &p, "test", "", 0, NULL, message, sizeof message));
    result got = run("honest_mean", PROBLEM, false, 20);
    assert_int_equal(got.run, RUN_DONE);
    assert_int_equal(got.t->world, 2);
    assert_string_equal(got.t->producer, "honest_mean");
    assert_true(got.t->q_given);
    assert_int_equal(got.t->claims, PSGD_CLAIM_CORE | PSGD_CLAIM_MULTIRANK);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(got.t->ranks[k].outcome, RANK_OK);
        assert_int_equal(got.t->ranks[k].steps_done, 5);
        assert_true(got.t->ranks[k].reports_guard && got.t->ranks[k].guard_bytes_intact);
        for (int64_t step = 0; step < 5; step++) {
            assert_int_equal(got.t->wire[step * 2 + k], 24 * 40 + 17 + 9 * 11);
            for (size_t b = 0; b < 2; b++) {
                const values *out = trace_out(got.t, step, b, k), *x = case_in(&c, step, b, 0),
                             *y = case_in(&c, step, b, 1);
                for (size_t i = 0; i < out->count; i++) {
                    double mean = (values_get(x, i) + values_get(y, i)) / 2, d = values_get(out, i) - mean;
                    assert_true(d <= 1e-6 && d >= -1e-6);
                }
            }
        }
    }
    trace_free(got.t);
    case_free(&c);
    problem_free(&p);
}

static void test_a_crash_is_contained(void **state)
{
    (void)state;
    result got = run("crash_in_step", PROBLEM, false, 20);
    assert_int_equal(got.run, RUN_DONE);
    assert_int_equal(got.t->ranks[0].outcome, RANK_CRASHED);
    holds(got.t->ranks[0].message, "SIGSEGV");
    holds(got.t->ranks[0].message, "step of step 2, bucket 0");
    holds(got.t->ranks[0].message, "about to crash");
    assert_int_equal(got.t->ranks[0].steps_done, 2);
    trace_free(got.t);
}

static void test_peers_of_a_crashed_rank_return(void **state)
{
    (void)state;
    result got = run("crash_on_rank_1", PROBLEM, false, 20);
    assert_int_equal(got.run, RUN_DONE);
    assert_true(got.seconds < 10);
    assert_int_equal(got.t->ranks[1].outcome, RANK_CRASHED);
    holds(got.t->ranks[1].message, "SIGABRT");
    assert_int_equal(got.t->ranks[0].outcome, RANK_ERROR);
    assert_int_equal(got.t->ranks[0].status, PSGD_ERR_COMM);
    holds(got.t->ranks[0].message, "after rank 1 had failed");
    assert_non_null(trace_out(got.t, 0, 0, 0)->data);
    trace_free(got.t);
}

static void test_a_hang_is_ended(void **state)
{
    (void)state;
    result got = run("hang_in_step", PROBLEM, false, 0.7);
    assert_int_equal(got.run, RUN_DONE);
    assert_true(got.seconds >= 0.7 && got.seconds < 10);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(got.t->ranks[k].outcome, RANK_TIMED_OUT);
        holds(got.t->ranks[k].message, "step of step 1");
    }
    trace_free(got.t);
}

static void test_an_exit_is_no_success(void **state)
{
    (void)state;
    result got = run("exit_in_step", PROBLEM, false, 20);
    assert_int_equal(got.run, RUN_DONE);
    assert_true(got.seconds < 10);
    assert_int_equal(got.t->ranks[0].outcome, RANK_CRASHED);
    holds(got.t->ranks[0].message, "exit code 0");
    trace_free(got.t);
}

static void test_endless_output_is_ended(void **state)
{
    (void)state;
    result got = run("chatty", "W1/r2/s9/i3/f32/-/[24x40]", false, 60);
    assert_int_equal(got.run, RUN_DONE);
    assert_int_equal(got.t->ranks[0].outcome, RANK_CRASHED);
    holds(got.t->ranks[0].message, "MiB of printed text");
    holds(got.t->ranks[0].message, "fond of talking");
    assert_true(strlen(got.t->ranks[0].message) < 3000);
    trace_free(got.t);
}

static void test_guard_bytes_tell(void **state)
{
    (void)state;
    static const char *const plugins[] = {"write_past_end", "write_before"};
    for (int i = 0; i < 2; i++) {
        result got = run(plugins[i], PROBLEM, false, 20);
        assert_int_equal(got.run, RUN_DONE);
        assert_int_equal(got.t->ranks[0].outcome, RANK_OK);
        assert_true(got.t->ranks[0].reports_guard);
        assert_false(got.t->ranks[0].guard_bytes_intact);
        trace_free(got.t);
    }
}

static void test_an_error_on_one_rank_ends_all(void **state)
{
    (void)state;
    result got = run("error_on_rank_1", PROBLEM, false, 20);
    assert_int_equal(got.run, RUN_DONE);
    assert_true(got.seconds < 10);
    assert_int_equal(got.t->ranks[1].outcome, RANK_ERROR);
    assert_int_equal(got.t->ranks[1].status, PSGD_ERR_DEVICE);
    assert_int_equal(got.t->ranks[1].steps_done, 2);
    holds(got.t->ranks[1].message, "the device has left the room");
    assert_int_equal(got.t->ranks[0].outcome, RANK_ERROR);
    assert_int_equal(got.t->ranks[0].status, PSGD_ERR_COMM);
    trace_free(got.t);
}

/* Two processes say that they are rank 1: whatever comes of it is the port's doing, not the kit's. */
static void test_a_rank_that_forks_is_blamed(void **state)
{
    (void)state;
    result got = run("forks_in_step", PROBLEM, false, 20);
    assert_int_equal(got.run, RUN_DONE);
    assert_int_not_equal(got.t->ranks[1].outcome, RANK_OK);
    trace_free(got.t);
    for (int i = 0; i < 20; i++) { /* the one may be ended while it writes over the other's results */
        got = run("forks_in_step", "W1/r2/s9/i4/f32/-/[240x400]", false, 20);
        assert_int_equal(got.run, RUN_DONE);
        trace_free(got.t);
    }
}

static void test_unsupported_is_no_error(void **state)
{
    (void)state;
    result got = run("unsupported", PROBLEM, false, 20);
    assert_int_equal(got.run, RUN_DONE);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(got.t->ranks[k].outcome, RANK_UNSUPPORTED);
        holds(got.t->ranks[k].message, "not today");
    }
    trace_free(got.t);
    got = run("honest_mean", "W1/r2/s9/i3/f32/-/[24x40]/ckpt=1", false, 20);
    assert_int_equal(got.t->ranks[0].outcome, RANK_UNSUPPORTED);
    holds(got.t->ranks[0].message, "save");
    trace_free(got.t);
}

static void test_a_port_that_takes_no_q_is_tried_without(void **state)
{
    (void)state;
    result got = run("own_q", PROBLEM, false, 20);
    assert_int_equal(got.run, RUN_DONE);
    assert_int_equal(got.t->ranks[0].outcome, RANK_OK);
    assert_false(got.t->q_given);
    trace_free(got.t);
    got = run("honest_mean", PROBLEM, true, 20);
    assert_false(got.t->q_given);
    trace_free(got.t);
}

static void test_a_q_that_no_case_has_is_named(void **state)
{
    (void)state;
    result got = run("asks_for_more", "W1/r2/s9/i3/f32/-/[24x40]", false, 20);
    assert_int_equal(got.t->ranks[0].outcome, RANK_ERROR);
    holds(got.t->ranks[0].message, "Q of step 5000");
    trace_free(got.t);
}

static void test_buckets_in_device_memory(void **state)
{
    (void)state;
    result got = run("device_memory", PROBLEM, false, 20);
    result host = run("honest_mean", PROBLEM, false, 20);
    assert_int_equal(got.t->ranks[0].outcome, RANK_OK);
    assert_true(got.t->ranks[0].guard_bytes_intact);
    for (int64_t step = 0; step < 5; step++)
        assert_true(values_equal_bits(trace_out(got.t, step, 0, 1), trace_out(host.t, step, 0, 1)));
    trace_free(got.t);
    trace_free(host.t);
}

static void test_ranks_that_do_not_meet(void **state)
{
    (void)state;
    result got = run("world_blind", PROBLEM, false, 20);
    assert_int_equal(got.run, RUN_DONE);
    assert_true(got.seconds < 10);
    assert_int_not_equal(got.t->ranks[0].outcome, RANK_OK);
    trace_free(got.t);
}

static void test_a_subgroup_runs_beside_the_others(void **state)
{
    (void)state;
    result got = run("honest_mean", "W3of5/group=0,2,4/r2/s9/i4/f32/-/[24x40]", false, 20);
    assert_int_equal(got.run, RUN_DONE);
    assert_int_equal(got.t->world, 3);
    for (int k = 0; k < 3; k++)
        assert_int_equal(got.t->ranks[k].outcome, RANK_OK);
    trace_free(got.t);
}

static void test_loading_fails_in_a_child(void **state)
{
    (void)state;
    runner_refuses_ports(runner_processes, "SIGABRT");
}

static void interrupt(int number)
{
    (void)number;
    runner_interrupt(); /* NOLINT(bugprone-signal-handler): it sets one sig_atomic_t */
}

/* Last, since an interrupted process runs nothing any more. */
static void test_an_interrupt_ends_the_run(void **state)
{
    (void)state;
    (void)signal(SIGALRM, interrupt);
    (void)alarm(1);
    result got = run("hang_in_step", PROBLEM, false, 30);
    assert_int_equal(got.run, RUN_KIT_FAILED);
    assert_true(got.seconds < 10);
    holds(got.message, "interrupted");
    assert_null(got.t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_honest_port_gives_the_mean),
    cmocka_unit_test(test_a_crash_is_contained),
    cmocka_unit_test(test_peers_of_a_crashed_rank_return),
    cmocka_unit_test(test_a_hang_is_ended),
    cmocka_unit_test(test_an_exit_is_no_success),
    cmocka_unit_test(test_endless_output_is_ended),
    cmocka_unit_test(test_guard_bytes_tell),
    cmocka_unit_test(test_an_error_on_one_rank_ends_all),
    cmocka_unit_test(test_a_rank_that_forks_is_blamed),
    cmocka_unit_test(test_unsupported_is_no_error),
    cmocka_unit_test(test_a_port_that_takes_no_q_is_tried_without),
    cmocka_unit_test(test_a_q_that_no_case_has_is_named),
    cmocka_unit_test(test_buckets_in_device_memory),
    cmocka_unit_test(test_ranks_that_do_not_meet),
    cmocka_unit_test(test_a_subgroup_runs_beside_the_others),
    cmocka_unit_test(test_loading_fails_in_a_child),
    cmocka_unit_test(test_an_interrupt_ends_the_run),
};

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "rank") == 0)
        return runner_rank_main(argc, argv);
    return cmocka_run_group_tests(tests, runner_setup, runner_teardown);
}
