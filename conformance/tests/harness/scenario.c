/* Tests of harness/scenario*.c: the reference passes every scenario, and each scenario finds the fault made for it.
 * Those of claim async are done by async_port, the others by sabotage. */
#include "test_main.h"

#include <unistd.h>

static runner *make(const char *plugin)
{
    static char kit[512];
    ssize_t length = readlink("/proc/self/exe", kit, sizeof kit - 1);
    assert_true(length > 0);
    kit[length] = '\0';
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s.so", PLUGINS, plugin);
    runner *r = runner_processes(kit, path, 30);
    assert_non_null(r);
    return r;
}

typedef struct runners {
    runner *sabotage, *async;
} runners;

static runners make_both(void)
{
    return (runners){.sabotage = make("sabotage"), .async = make("async_port")};
}

static void free_both(runners r)
{
    r.sabotage->free(r.sabotage);
    r.async->free(r.async);
}

static scenario_state run(runners both, const char *id, char *said, size_t size)
{
    scenario_outcome outcome;
    char message[2048] = "";
    const scenario *s = scenario_find(id);
    if (s == NULL)
        fail_msg("no scenario %s", id);
    runner *r = (s->claims & PSGD_CLAIM_ASYNC) != 0 ? both.async : both.sabotage;
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
    runners r = make_both();
    assert_int_equal(unsetenv("SABOTAGE"), 0);
    assert_int_equal(unsetenv("ASYNC_PORT"), 0);
    for (size_t i = 0; i < count; i++)
        if (run(r, all[i].id, said, sizeof said) != SCENARIO_PASS)
            fail_msg("%s on the reference: %s", all[i].id, said);
    free_both(r);
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
    {"layout-fixed-early", "scenario/layout-free", "PSGD_ERR_LAYOUT"},
    {"bucket-by-place", "scenario/bucket-order", "PSGD_ERR_LAYOUT"},
    {"layout-accepted", "scenario/layout-changed", "PSGD_OK"},
    {"layout-accepted", "scenario/flat-layout", "PSGD_OK"},
    {"refusals-lost", "scenario/flat-rank", "PSGD_OK"},
    {"bad-call-harms", "scenario/flat-rank", "beside a refused bucket"},
    {"shared-state", "scenario/two-states", "two live states"},
    {"left-behind", "scenario/two-states", "against one before it"},
    {"start-of-first-state", "scenario/two-states", "to be a plain mean"},
    {"empty-refused", "scenario/empty-tensors", "pass through"},
    {"q-per-rank", "scenario/same-q", "Qs differ"},
    {"q-same", "scenario/new-q", "not drawn anew"},
    {"q-ignored", "scenario/given-q", "two Qs that were handed in"},
    {"q-of-signs", "scenario/normal-q", "not those of standard normals"},
    {"uses-rand", "scenario/callers-random", "rand()"},
    {"first-report-lost", "scenario/reports", "report"},
    {"load-does-nothing", "scenario/checkpoint-whole", "after load"},
    {"report-after-load-lost", "scenario/checkpoint-reports", "and loaded"},
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
    {"failure-lost", "scenario/failing-halves", "expected submit or wait to report an error"},
    {"failure-lost", "scenario/lost-rank-halves", "expected submit or wait to report an error"},
    {"no-wait", "scenario/pending", "offers no wait"},
    {"null-request", "scenario/pending", "a null request"},
    {"wait-fails", "scenario/pending", "wait for bucket 1"},
    {"step-accepted", "scenario/pending", "step of bucket 0 while a request is pending"},
    {"submit-accepted", "scenario/pending", "submit of bucket 0 while a request is pending"},
    {"peek-accepted", "scenario/pending", "peek while"},
    {"statistics-accepted", "scenario/pending", "statistics while"},
    {"save-accepted", "scenario/pending", "save while"},
    {"load-accepted", "scenario/pending", "load while"},
    {"foreign-accepted", "scenario/pending", "of another state"},
    {"refused-but-harmed", "scenario/pending", "after refused calls"},
    {"step-accepted", "scenario/pending-ranks", "while a request is pending"},
    {"counts-at-wait", "scenario/submit-ahead", "submitted before the wait"},
    {"counts-at-wait", "scenario/submit-ahead-ranks", "submitted before the wait"},
    {"destroy-drops", "scenario/destroy-pending", "completed by destroy"},
    {"destroy-drops", "scenario/destroy-pending-ranks", "completed by destroy"},
};

static void test_each_fault_is_found(void **state)
{
    (void)state;
    char said[512];
    runners r = make_both();
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        assert_int_equal(setenv("SABOTAGE", faults[i].fault, 1), 0);
        assert_int_equal(setenv("ASYNC_PORT", faults[i].fault, 1), 0);
        scenario_state got = run(r, faults[i].scenario, said, sizeof said);
        if (got != SCENARIO_FAIL || strstr(said, faults[i].says) == NULL)
            fail_msg("%s with the fault %s: state %d, '%s' does not say '%s'", faults[i].scenario, faults[i].fault,
                     (int)got, said, faults[i].says);
    }
    assert_int_equal(unsetenv("SABOTAGE"), 0);
    assert_int_equal(unsetenv("ASYNC_PORT"), 0);
    free_both(r);
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
