/* Tests of harness/scenario*.c: the reference passes every scenario, and each scenario finds the fault made for it. */
#include "test_main.h"

#include <unistd.h>

static runner *make(void)
{
    static char kit[512];
    ssize_t length = readlink("/proc/self/exe", kit, sizeof kit - 1);
    assert_true(length > 0);
    kit[length] = '\0';
    runner *r = runner_processes(kit, PLUGINS "/sabotage.so", 30);
    assert_non_null(r);
    return r;
}

static scenario_state run(runner *r, const char *id, char *said, size_t size)
{
    scenario_outcome outcome;
    char message[2048] = "";
    const scenario *s = scenario_find(id);
    if (s == NULL)
        fail_msg("no scenario %s", id);
    if (r->run_scenario(r, s, &outcome, message, sizeof message) != RUN_DONE)
        fail_msg("%s could not be run: %s", id, message);
    (void)snprintf(said, size, "%s", outcome.message);
    return outcome.state;
}

static void test_the_reference_passes_all(void **state)
{
    (void)state;
    size_t count = 0;
    char said[512];
    const scenario *all = scenarios(&count);
    runner *r = make();
    assert_int_equal(unsetenv("SABOTAGE"), 0);
    for (size_t i = 0; i < count; i++)
        if (run(r, all[i].id, said, sizeof said) != SCENARIO_PASS)
            fail_msg("%s on the reference: %s", all[i].id, said);
    r->free(r);
}

static const struct {
    const char *fault, *scenario, *says;
} faults[] = {
    {"start-iter-accepted", "scenario/start-iter", "start_iter = 1"},
    {"rank-accepted", "scenario/bad-numbers", "matrix_approximation_rank"},
    {"nan-accepted", "scenario/bad-numbers", "nan"},
    {"silent", "scenario/bad-numbers", "message"},
    {"interval-ignored", "scenario/interval", "reports"},
    {"rate-zero-refused", "scenario/rate-zero", "PSGD_ERR_ARGUMENT"},
    {"layout-fixed-early", "scenario/layout-rebuilt", "PSGD_ERR_LAYOUT"},
    {"layout-accepted", "scenario/layout-changed", "PSGD_OK"},
    {"shared-state", "scenario/two-states", "two live states"},
    {"empty-refused", "scenario/empty-tensors", "pass through"},
    {"q-per-rank", "scenario/same-q", "Qs differ"},
    {"q-same", "scenario/new-q", "not drawn anew"},
    {"uses-rand", "scenario/callers-random", "rand()"},
    {"first-report-lost", "scenario/reports", "report"},
    {"load-does-nothing", "scenario/checkpoint-whole", "after load"},
    {"load-takes-anything", "scenario/checkpoint-damaged", "cut to"},
    {"load-takes-anything", "scenario/checkpoint-foreign", "does not exist"},
    {"load-harms", "scenario/checkpoint-damaged", "after refused loads"},
    {"load-harms", "scenario/checkpoint-foreign", "after refused loads"},
    {"null-config-accepted", "scenario/bad-create", "a null config"},
    {"silent", "scenario/bad-create", "names"},
    {"null-data-accepted", "scenario/bad-step", "data null"},
    {"bad-call-harms", "scenario/bad-step", "after refused calls"},
    {"no-words", "scenario/bad-step", "names"},
    {"peek-takes-any-size", "scenario/bad-peek", "peek with"},
    {"writes-past-end", "scenario/guards", "outside bucket"},
    {"swallow-comm-error", "scenario/failing-collective", "report an error"},
    {"count-failed-step", "scenario/failing-collective", "tried again"},
    {"swallow-comm-error", "scenario/lost-rank", "report an error"},
};

static void test_each_fault_is_found(void **state)
{
    (void)state;
    char said[512];
    runner *r = make();
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        assert_int_equal(setenv("SABOTAGE", faults[i].fault, 1), 0);
        scenario_state got = run(r, faults[i].scenario, said, sizeof said);
        if (got != SCENARIO_FAIL || strstr(said, faults[i].says) == NULL)
            fail_msg("%s with the fault %s: state %d, '%s' does not say '%s'", faults[i].scenario, faults[i].fault,
                     (int)got, said, faults[i].says);
    }
    assert_int_equal(unsetenv("SABOTAGE"), 0);
    r->free(r);
}

static void test_every_scenario_has_a_fault(void **state)
{
    (void)state;
    size_t count = 0;
    const scenario *all = scenarios(&count);
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (size_t k = 0; k < sizeof faults / sizeof faults[0]; k++)
            found = found || strcmp(faults[k].scenario, all[i].id) == 0;
        if (!found)
            fail_msg("no fault shows that %s can fail", all[i].id);
        assert_ptr_equal(scenario_find(all[i].id), &all[i]);
    }
    assert_null(scenario_find("scenario/none"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_reference_passes_all),
    cmocka_unit_test(test_each_fault_is_found),
    cmocka_unit_test(test_every_scenario_has_a_fault),
};

TEST_MAIN(tests)
