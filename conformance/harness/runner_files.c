/* runner_files.c: a runner that runs nothing: the port has run elsewhere and left its results in a folder. What only
 * the C ABI shows, scenarios and overlapping buckets, is unobserved. Read next: result_folder.h. */
#include "harness/message.h"
#include "harness/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct files_runner {
    runner base;
    result_folder *folder;
} files_runner;

static int ranks(const runner *base)
{
    (void)base;
    return PROBLEM_MAX_WORLD;
}

/* What the results say of themselves; of several ports, what the first does. */
static run_result describe(runner *base, port_description *port, char *message, size_t message_size)
{
    (void)message;
    (void)message_size;
    const result_folder *f = ((files_runner *)base)->folder;
    *port = (port_description){0};
    if (f->port_count > 0) {
        snprintf(port->name, sizeof port->name, "%s", f->ports[0].producer);
        snprintf(port->version, sizeof port->version, "%s", f->ports[0].version);
        port->claims = f->ports[0].claims;
    }
    return RUN_DONE;
}

static run_result run_case(runner *base, const test_case *c, bool seeded, trace **result, char *message,
                           size_t message_size)
{
    result_folder *f = ((files_runner *)base)->folder;
    const result_state state = result_folder_read(f, c, seeded, result);
    if (state == RESULT_WHOLE)
        return RUN_DONE;
    const result_case *of = result_folder_case(f, c->id);
    if (of != NULL && of->message != NULL) {
        (void)refuse(message, message_size, "%s", of->message);
        return RUN_NO_RESULT;
    }
    (void)refuse(message, message_size, "no memory for the results of case %s", c->id);
    return RUN_KIT_FAILED;
}

static run_result run_scenario(runner *base, const scenario *s, scenario_outcome *outcome, char *message,
                               size_t message_size)
{
    (void)base;
    (void)s;
    (void)message;
    (void)message_size;
    outcome->state = SCENARIO_UNOBSERVED;
    snprintf(outcome->message, sizeof outcome->message, "files do not show it");
    return RUN_DONE;
}

static bool is_home(const runner *base)
{
    (void)base;
    return true;
}

static int agree(runner *base, int value)
{
    (void)base;
    return value;
}

static bool all_ok(runner *base, bool ok)
{
    (void)base;
    return ok;
}

static void free_runner(runner *base)
{
    free(base);
}

runner *runner_files(result_folder *folder)
{
    files_runner *r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->base = (runner){.hidden_claims = CLAIMS_NOT_IN_FILES,
                       .ranks = ranks,
                       .describe = describe,
                       .run_case = run_case,
                       .run_scenario = run_scenario,
                       .is_home = is_home,
                       .agree = agree,
                       .all_ok = all_ok,
                       .free = free_runner};
    r->folder = folder;
    return &r->base;
}
