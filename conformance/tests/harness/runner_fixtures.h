/* runner_fixtures.h: what the tests of runner_processes.c and runner_threads.c share: one run of a plug-in, after which
 * nothing may be left behind. */
#ifndef CONFORMANCE_TESTS_HARNESS_RUNNER_FIXTURES_H
#define CONFORMANCE_TESTS_HARNESS_RUNNER_FIXTURES_H

#include "test_main.h"

typedef runner *runner_maker(const char *kit_path, const char *implementation, double timeout_seconds);

typedef struct result {
    run_result run;
    trace *t;
    char message[4096];
    double seconds;
} result;

/* Every run's files go to a folder of the test's own. */
int runner_setup(void **state);
int runner_teardown(void **state);

/* One run of a case, with the test program itself as the kit; a path instead of a plug-in's name is taken as it is. */
result runner_run(runner_maker *make, const char *plugin, const char *text, bool seeded, double timeout);
/* Asks for the description, and checks it if the plug-in could be loaded. */
run_result runner_description(runner_maker *make, const char *plugin, double timeout, char *message, size_t size);
/* Ports that cannot be loaded, each with its reason; crash: how the one that crashes is told of. */
void runner_refuses_ports(runner_maker *make, const char *crash);
scenario_outcome runner_scenario(runner_maker *make, const char *plugin, const char *id, double timeout);

/* The message has this part. */
void holds(const char *message, const char *part);

#endif
