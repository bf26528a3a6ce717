/* runner_fixtures.c: see runner_fixtures.h. */
#include "runner_fixtures.h"

#include <dirent.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char own_folder[] = "/tmp/psgd-test-XXXXXX"; /* TMPDIR of every test: must be empty after each */

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int runner_setup(void **state)
{
    (void)state;
    /* Under a sanitizer a crash would end as an exit. */
    return mkdtemp(own_folder) == NULL || setenv("TMPDIR", own_folder, 1) != 0 ||
           setenv("ASAN_OPTIONS", "handle_segv=0", 1) != 0 || setenv("TSAN_OPTIONS", "handle_segv=0", 1) != 0;
}

int runner_teardown(void **state)
{
    (void)state;
    return rmdir(own_folder); /* fails if anything was left behind */
}

static void assert_nothing_left(void)
{
    DIR *folder = opendir(own_folder);
    assert_non_null(folder);
    int entries = 0;
    while (readdir(folder) != NULL)
        entries++;
    (void)closedir(folder);
    assert_int_equal(entries, 2);
}

static runner *make_runner(runner_maker *make, const char *plugin, double timeout)
{
    char path[512], kit[512];
    ssize_t length = readlink("/proc/self/exe", kit, sizeof kit - 1);
    assert_true(length > 0);
    kit[length] = '\0';
    (void)snprintf(path, sizeof path, "%s/%s.so", PLUGINS, plugin);
    runner *r = make(kit, path, timeout);
    assert_non_null(r);
    return r;
}

result runner_run(runner_maker *make, const char *plugin, const char *text, bool seeded, double timeout)
{
    result got = {.t = NULL};
    problem p;
    problem_error error;
    test_case c;
    assert_true(problem_parse(&p, text, &error));
    assert_true(case_build(&c, &p, "test", "", 0, NULL, got.message, sizeof got.message));
    runner *r = make_runner(make, plugin, timeout);
    double start = now();
    got.run = r->run_case(r, &c, seeded, &got.t, got.message, sizeof got.message);
    got.seconds = now() - start;
    r->free(r);
    case_free(&c);
    problem_free(&p);
    assert_nothing_left();
    return got;
}

run_result runner_description(runner_maker *make, const char *plugin, double timeout, char *message, size_t size)
{
    port_description port;
    runner *r = make_runner(make, plugin, timeout);
    run_result got = r->describe(r, &port, message, size);
    if (got == RUN_DONE) {
        assert_string_equal(port.name, plugin);
        assert_string_equal(port.version, "0.1");
        assert_false(port.has_peek);
    }
    r->free(r);
    assert_nothing_left();
    return got;
}

void runner_refuses_ports(runner_maker *make, const char *crash)
{
    char message[4096];
    assert_int_equal(runner_description(make, "honest_mean", 20, message, sizeof message), RUN_DONE);
    assert_int_equal(runner_description(make, "no_symbol", 20, message, sizeof message), RUN_NOT_LOADED);
    holds(message, "no symbol");
    assert_int_equal(runner_description(make, "crash_in_constructor", 20, message, sizeof message), RUN_NOT_LOADED);
    holds(message, crash);
    assert_int_equal(runner_description(make, "hang_in_constructor", 0.5, message, sizeof message), RUN_NOT_LOADED);
    holds(message, "time limit");
    assert_int_equal(runner_description(make, "not_there", 20, message, sizeof message), RUN_NOT_LOADED);
    holds(message, "not_there.so");
}

scenario_outcome runner_scenario(runner_maker *make, const char *plugin, const char *id, double timeout)
{
    scenario_outcome outcome = {.state = SCENARIO_SKIP};
    char message[1024] = "";
    const scenario *s = scenario_find(id);
    assert_non_null(s);
    runner *r = make_runner(make, plugin, timeout);
    run_result got = r->run_scenario(r, s, &outcome, message, sizeof message);
    if (got != RUN_DONE)
        fail_msg("the scenario was not run: %s", message);
    r->free(r);
    assert_nothing_left();
    return outcome;
}

void holds(const char *message, const char *part)
{
    if (message == NULL || strstr(message, part) == NULL)
        fail_msg("'%s' does not say '%s'", message != NULL ? message : "(null)", part);
}
