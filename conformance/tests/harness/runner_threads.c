/* Tests of harness/runner_threads.c and rank_threads.c: what a port does to the process that all ranks share is
 * contained and, where it can be known, held against the rank that did it. */
#include "runner_fixtures.h"

#define PROBLEM "W3/r2/s9/i5/f32/-/[24x40,17;9x11]/seed=3" /* plain steps only */

static result run(const char *plugin, const char *text, double timeout)
{
    return runner_run(runner_threads, plugin, text, false, timeout);
}

static bool same_outputs(const trace *a, const trace *b)
{
    for (int64_t step = 0; step < a->steps; step++)
        for (size_t bucket = 0; bucket < a->bucket_count; bucket++)
            for (int k = 0; k < a->world; k++)
                if (trace_out(a, step, bucket, k)->data == NULL ||
                    !values_equal_bits(trace_out(a, step, bucket, k), trace_out(b, step, bucket, k)))
                    return false;
    return true;
}

static void test_the_same_bits_as_with_processes(void **state)
{
    (void)state;
    result got = run("honest_mean", PROBLEM, 20);
    result like = runner_run(runner_processes, "honest_mean", PROBLEM, false, 20);
    assert_int_equal(got.run, RUN_DONE);
    assert_int_equal(got.t->world, 3);
    assert_string_equal(got.t->producer, "honest_mean");
    for (int k = 0; k < 3; k++) {
        assert_int_equal(got.t->ranks[k].outcome, RANK_OK);
        assert_int_equal(got.t->ranks[k].steps_done, 5);
        assert_true(got.t->ranks[k].reports_guard && got.t->ranks[k].guard_bytes_intact);
        for (int64_t step = 0; step < 5; step++)
            assert_int_equal(got.t->wire[step * 3 + k], 24 * 40 + 17 + 9 * 11);
    }
    assert_true(same_outputs(got.t, like.t));
    trace_free(got.t);
    trace_free(like.t);
}

/* The crash is rank 1's; the others went down with it. */
static void test_a_crash_is_held_against_its_rank(void **state)
{
    (void)state;
    result got = run("crash_on_rank_1", PROBLEM, 20);
    assert_int_equal(got.run, RUN_DONE);
    assert_true(got.seconds < 10);
    assert_int_equal(got.t->ranks[1].outcome, RANK_CRASHED);
    assert_int_equal(got.t->ranks[1].steps_done, 1);
    holds(got.t->ranks[1].message, "signal SIGABRT in step of step 1, bucket 0");
    for (int k = 0; k < 3; k += 2) {
        assert_int_equal(got.t->ranks[k].outcome, RANK_ERROR);
        assert_int_equal(got.t->ranks[k].status, PSGD_ERR_COMM);
        holds(got.t->ranks[k].message, "after rank 1 had failed");
        holds(got.t->ranks[k].message, "by another rank");
    }
    trace_free(got.t);
}

static int count_of(const trace *t, rank_outcome outcome)
{
    int count = 0;
    for (int k = 0; k < t->world; k++)
        count += t->ranks[k].outcome == outcome;
    return count;
}

/* All ranks write through null; one of them is the first. */
static void test_one_of_many_crashes_is_the_first(void **state)
{
    (void)state;
    result got = run("crash_in_step", PROBLEM, 20);
    assert_int_equal(got.run, RUN_DONE);
    assert_int_equal(count_of(got.t, RANK_CRASHED), 1);
    for (int k = 0; k < 3; k++)
        if (got.t->ranks[k].outcome == RANK_CRASHED) {
            holds(got.t->ranks[k].message, "SIGSEGV");
            holds(got.t->ranks[k].message, "step of step 2, bucket 0");
            holds(got.t->ranks[k].message, "about to crash");
        }
    trace_free(got.t);
}

static void test_a_stack_that_is_used_up_is_a_crash(void **state)
{
    (void)state;
    result got = run("endless_recursion", PROBLEM, 20);
    assert_int_equal(got.run, RUN_DONE);
    assert_int_equal(got.t->ranks[2].outcome, RANK_CRASHED);
    holds(got.t->ranks[2].message, "SIGSEGV in step of step 1");
    assert_int_equal(count_of(got.t, RANK_CRASHED), 1);
    trace_free(got.t);
}

static void test_a_hang_is_ended(void **state)
{
    (void)state;
    result got = run("hang_in_step", PROBLEM, 0.7);
    assert_int_equal(got.run, RUN_DONE);
    assert_true(got.seconds >= 0.7 && got.seconds < 10);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(got.t->ranks[k].outcome, RANK_TIMED_OUT);
        holds(got.t->ranks[k].message, "step of step 1");
    }
    trace_free(got.t);
}

static void test_an_exit_is_no_success(void **state)
{
    (void)state;
    result got = run("exit_in_step", PROBLEM, 20);
    assert_int_equal(got.run, RUN_DONE);
    assert_true(got.seconds < 10);
    assert_int_equal(count_of(got.t, RANK_CRASHED), 1);
    assert_int_equal(count_of(got.t, RANK_ERROR), 2);
    for (int k = 0; k < 3; k++)
        holds(got.t->ranks[k].message, "exit code 0");
    trace_free(got.t);
}

/* Nothing tells whose thread it was: all are told of, and the message says why. */
static void test_an_end_that_nobody_is_known_for(void **state)
{
    (void)state;
    result got = run("quits_at_once", PROBLEM, 20);
    assert_int_equal(got.run, RUN_DONE);
    assert_int_equal(count_of(got.t, RANK_CRASHED), 3);
    holds(got.t->ranks[0].message, "exit code 7");
    holds(got.t->ranks[0].message, "it is not known which");
    trace_free(got.t);
}

static void test_an_error_on_one_rank_ends_all(void **state)
{
    (void)state;
    result got = run("error_on_rank_1", PROBLEM, 20);
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

static void test_guard_bytes_tell(void **state)
{
    (void)state;
    static const char *const plugins[] = {"write_past_end", "write_before"};
    for (int i = 0; i < 2; i++) {
        result got = run(plugins[i], PROBLEM, 20);
        assert_int_equal(got.run, RUN_DONE);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(got.t->ranks[k].outcome, RANK_OK);
            assert_false(got.t->ranks[k].guard_bytes_intact);
        }
        trace_free(got.t);
    }
}

static void test_unsupported_is_no_error(void **state)
{
    (void)state;
    result got = run("unsupported", PROBLEM, 20);
    assert_int_equal(got.run, RUN_DONE);
    assert_int_equal(count_of(got.t, RANK_UNSUPPORTED), 3);
    trace_free(got.t);
}

static void test_a_subgroup_runs_beside_the_others(void **state)
{
    (void)state;
    result got = run("honest_mean", "W3of5/group=0,2,4/r2/s9/i4/f32/-/[24x40]", 20);
    assert_int_equal(got.run, RUN_DONE);
    assert_int_equal(got.t->world, 3);
    assert_int_equal(count_of(got.t, RANK_OK), 3);
    trace_free(got.t);
}

/* The group has two ranks and the others three: the crash of a third rank is one of theirs. */
static void test_a_crash_among_the_others_is_told(void **state)
{
    (void)state;
    result got = run("endless_recursion", "W2of5/group=0,2/r2/s9/i4/f32/-/[24x40]", 20);
    assert_int_equal(got.run, RUN_DONE);
    assert_int_equal(got.t->world, 2);
    assert_int_equal(got.t->ranks[0].outcome, RANK_CRASHED);
    holds(got.t->ranks[0].message, "rank 2 of the ranks outside the group");
    holds(got.t->ranks[0].message, "SIGSEGV in step of step 1");
    trace_free(got.t);
}

static void test_many_ranks(void **state)
{
    (void)state;
    static const char *const problems[] = {"W16/r2/s9/i3/f32/-/[24x40]", "W64/r2/s9/i2/f32/-/[24x40]"};
    for (int i = 0; i < 2; i++) {
        result got = run("honest_mean", problems[i], 60);
        assert_int_equal(got.run, RUN_DONE);
        assert_int_equal(count_of(got.t, RANK_OK), i == 0 ? 16 : 64);
        trace_free(got.t);
    }
}

/* One state as good as another: what one rank writes, the others see. */
static void test_a_static_variable_is_found(void **state)
{
    (void)state;
    static const char text[] = "W3/r2/s2/i6/f32/ef,ws/[24x40,17]/seed=3";
    result apart = runner_run(runner_processes, "static_state", text, false, 20);
    result got = run("static_state", text, 20);
    assert_int_equal(apart.run, RUN_DONE);
    assert_int_equal(count_of(apart.t, RANK_OK), 3);
    assert_int_equal(got.run, RUN_DONE);
    assert_true(count_of(got.t, RANK_OK) < 3 || !same_outputs(apart.t, got.t));
    trace_free(apart.t);
    trace_free(got.t);
}

static void test_loading_fails_in_a_child(void **state)
{
    (void)state;
    runner_refuses_ports(runner_threads, "SIGABRT in being loaded");
}

static void test_scenarios(void **state)
{
    (void)state;
    scenario_outcome outcome = runner_scenario(runner_threads, "honest_mean", "scenario/lost-rank", 20);
    assert_int_equal(outcome.state, SCENARIO_PASS);
    outcome = runner_scenario(runner_threads, "crash_on_rank_1", "scenario/lost-rank", 20);
    assert_int_equal(outcome.state, SCENARIO_FAIL);
    holds(outcome.message, "rank 1: the port's process was ended by signal SIGABRT");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_same_bits_as_with_processes),
    cmocka_unit_test(test_a_crash_is_held_against_its_rank),
    cmocka_unit_test(test_one_of_many_crashes_is_the_first),
    cmocka_unit_test(test_a_stack_that_is_used_up_is_a_crash),
    cmocka_unit_test(test_a_hang_is_ended),
    cmocka_unit_test(test_an_exit_is_no_success),
    cmocka_unit_test(test_an_end_that_nobody_is_known_for),
    cmocka_unit_test(test_an_error_on_one_rank_ends_all),
    cmocka_unit_test(test_guard_bytes_tell),
    cmocka_unit_test(test_unsupported_is_no_error),
    cmocka_unit_test(test_a_subgroup_runs_beside_the_others),
    cmocka_unit_test(test_a_crash_among_the_others_is_told),
    cmocka_unit_test(test_many_ranks),
    cmocka_unit_test(test_a_static_variable_is_found),
    cmocka_unit_test(test_loading_fails_in_a_child),
    cmocka_unit_test(test_scenarios),
};

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "rank") == 0)
        return runner_rank_main(argc, argv);
    return cmocka_run_group_tests(tests, runner_setup, runner_teardown);
}
