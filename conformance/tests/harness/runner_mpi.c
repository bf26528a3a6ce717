/* Tests of harness/runner_mpi.c, run under mpirun -n 5. Every process makes the same calls; rank 0 looks at the
 * results, after all calls of a test, so that a failed assertion does not leave the others behind.
 *
 * With the name of a plug-in as argument: runs one case with it and a limit of 2 s. That is for ports which take the
 * whole mpirun down; CTest looks at the words on standard error.
 */
#include "test_main.h"

#define PROBLEM "W3/r2/s9/i5/f32/-/[24x40,17;9x11]/seed=3" /* plain steps only */

typedef struct result {
    run_result run;
    trace *t;
    char message[1024];
} result;

static runner *the_runner; /* one per process: MPI is initialised once */

static result run(runner *r, const char *text)
{
    result got = {.t = NULL};
    problem p;
    problem_error error;
    test_case c;
    if (!problem_parse(&p, text, &error) || !case_build(&c, &p, "test", "", 0, NULL, got.message, sizeof got.message)) {
        got.run = RUN_KIT_FAILED;
        return got;
    }
    got.run = r->run_case(r, &c, false, &got.t, got.message, sizeof got.message);
    case_free(&c);
    problem_free(&p);
    return got;
}

static void test_a_case_of_some_ranks(void **state)
{
    (void)state;
    result got = run(the_runner, PROBLEM);
    if (the_runner->is_home(the_runner)) {
        assert_int_equal(got.run, RUN_DONE);
        assert_int_equal(got.t->world, 3);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(got.t->ranks[k].outcome, RANK_OK);
            assert_int_equal(got.t->ranks[k].steps_done, 5);
            assert_int_equal(got.t->wire[4 * 3 + k], 24 * 40 + 17 + 9 * 11);
            assert_true(values_equal_bits(trace_out(got.t, 4, 0, 0), trace_out(got.t, 4, 0, k)));
        }
    }
    trace_free(got.t);
}

static void test_compressed_steps_come_home(void **state)
{
    (void)state;
    result got = run(the_runner, "W4/r2/f32/[24x40,17]/seed=3/ckpt=3");
    if (the_runner->is_home(the_runner)) {
        assert_int_equal(got.run, RUN_DONE);
        for (int k = 0; k < 4; k++) {
            assert_int_equal(got.t->ranks[k].outcome, RANK_OK);
            assert_non_null(trace_error(got.t, 5, 0, k)->data);
        }
        assert_non_null(trace_p(got.t, 5, 0, 0)->data);
        assert_non_null(trace_q(got.t, 5, 0, 0)->data);
        assert_true(got.t->statistics[5].shown);
        assert_true(got.t->has_log);
    }
    trace_free(got.t);
}

static void test_too_few_ranks(void **state)
{
    (void)state;
    result got = run(the_runner, "W6/r2/s9/i3/f32/-/[24x40]");
    assert_int_equal(got.run, RUN_NOT_ENOUGH_RANKS);
    assert_null(got.t);
    assert_int_equal(the_runner->ranks(the_runner), 5);
}

static void test_a_subgroup_beside_the_others(void **state)
{
    (void)state;
    result got = run(the_runner, "W3of5/group=0,2,4/r2/f32/[24x40]");
    result without_home = run(the_runner, "W2of5/group=1,3/r2/f32/[24x40]");
    if (the_runner->is_home(the_runner)) {
        assert_int_equal(got.run, RUN_DONE);
        for (int k = 0; k < 3; k++)
            assert_int_equal(got.t->ranks[k].outcome, RANK_OK);
        assert_int_equal(without_home.run, RUN_DONE);
        for (int k = 0; k < 2; k++)
            assert_int_equal(without_home.t->ranks[k].outcome, RANK_OK);
        assert_non_null(trace_out(without_home.t, 3, 0, 1)->data);
    }
    trace_free(got.t);
    trace_free(without_home.t);
}

static void test_scenarios_pass(void **state)
{
    (void)state;
    size_t count = 0;
    const scenario *all = scenarios(&count);
    scenario_outcome outcomes[64];
    run_result results[64];
    char message[1024];
    assert_true(count <= 64);
    for (size_t i = 0; i < count; i++)
        results[i] = the_runner->run_scenario(the_runner, &all[i], &outcomes[i], message, sizeof message);
    for (size_t i = 0; i < count && the_runner->is_home(the_runner); i++)
        if ((all[i].claims & PSGD_CLAIM_ASYNC) == 0 && /* sabotage offers no submit */
            (results[i] != RUN_DONE || outcomes[i].state != SCENARIO_PASS))
            fail_msg("%s: %s", all[i].id, outcomes[i].message);
}

/* A rank that fails on its own does not leave the others in an all-reduce. sabotage's faults are chosen at run time. */
static void test_scenario_failures_come_home(void **state)
{
    (void)state;
    char message[1024];
    scenario_outcome outcome, after;
    (void)setenv("SABOTAGE", "q-per-rank", 1);
    run_result sabotaged =
        the_runner->run_scenario(the_runner, scenario_find("scenario/same-q"), &outcome, message, sizeof message);
    (void)unsetenv("SABOTAGE");
    run_result again =
        the_runner->run_scenario(the_runner, scenario_find("scenario/same-q"), &after, message, sizeof message);
    if (the_runner->is_home(the_runner)) {
        assert_int_equal(sabotaged, RUN_DONE);
        assert_int_equal(outcome.state, SCENARIO_FAIL);
        assert_non_null(strstr(outcome.message, "Qs differ"));
        assert_int_equal(again, RUN_DONE);
        assert_int_equal(after.state, SCENARIO_PASS);
    }
}

static void test_an_error_on_one_rank_ends_all(void **state)
{
    (void)state;
    (void)setenv("SABOTAGE", "fails-on-rank-1", 1);
    result got = run(the_runner, "W3/r2/f32/[24x40]");
    (void)unsetenv("SABOTAGE");
    result after = run(the_runner, "W3/r2/f32/[24x40]");
    if (the_runner->is_home(the_runner)) {
        assert_int_equal(got.run, RUN_DONE);
        assert_int_equal(got.t->ranks[1].outcome, RANK_ERROR);
        assert_int_equal(got.t->ranks[1].status, PSGD_ERR_DEVICE);
        assert_int_equal(got.t->ranks[0].status, PSGD_ERR_COMM);
        assert_int_equal(got.t->ranks[2].status, PSGD_ERR_COMM);
        assert_int_equal(after.t->ranks[0].outcome, RANK_OK);
    }
    trace_free(got.t);
    trace_free(after.t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_case_of_some_ranks),
    cmocka_unit_test(test_compressed_steps_come_home),
    cmocka_unit_test(test_too_few_ranks),
    cmocka_unit_test(test_a_subgroup_beside_the_others),
    cmocka_unit_test(test_scenarios_pass),
    cmocka_unit_test(test_scenario_failures_come_home),
    cmocka_unit_test(test_an_error_on_one_rank_ends_all),
};

int main(int argc, char **argv)
{
    char path[512], message[1024] = "";
    (void)snprintf(path, sizeof path, "%s/%s.so", PLUGINS, argc > 1 ? argv[1] : "sabotage");
    the_runner = runner_mpi(path, argc > 1 ? 2 : 60, message, sizeof message);
    if (the_runner == NULL) {
        (void)fprintf(stderr, "%s\n", message);
        return 1;
    }
    if (argc > 1) {
        port_description port;
        run_result described = the_runner->describe(the_runner, &port, message, sizeof message);
        if (described != RUN_DONE)
            (void)fprintf(stderr, "%s\n", message);
        else
            trace_free(run(the_runner, PROBLEM).t);
        the_runner->free(the_runner);
        return described == RUN_DONE ? 0 : 4;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    the_runner->free(the_runner);
    return failed;
}
