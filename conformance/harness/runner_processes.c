/* runner_processes.c: ranks as processes. For every run the kit starts itself once per rank, with the hidden command
 * "rank" (runner_rank.c), and reads what the ranks left in the run's private folder. Read next: process_run.c.
 *
 * The children's environment is the user's, with OPENBLAS_NUM_THREADS=1, and WORLD_SIZE as launchers of ranks set it
 * (in a subgroup it is not the group's size); OMP_NUM_THREADS is left to the user, and PSGD_FAULT names the variant of
 * faulty:NAME.
 */
#include "harness/message.h"
#include "harness/others.h"
#include "harness/process_run.h"
#include "harness/temp_folder.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RANKS 64

static volatile sig_atomic_t
    interrupted; /* set by a signal handler: there is no other way to reach a runner from one */

void runner_interrupt(void)
{
    interrupted = 1;
}

/* ---- describe ---- */

static run_result describe(runner *base, port_description *port, char *message, size_t message_size)
{
    processes *r = (processes *)base;
    process_run u = {.tasks = {{.size = 1}}, .count = 1};
    run_result result = process_run_all(r, &u, message, message_size);
    if (result == RUN_DONE)
        *port = u.tasks[0].answers[0].port;
    process_run_free(&u);
    return result;
}

/* ---- scenarios ---- */

static run_result run_scenario(runner *base, const scenario *s, scenario_outcome *outcome, char *message,
                               size_t message_size)
{
    processes *r = (processes *)base;
    process_run u = {.tasks = {{.size = s->world, .s = s}}, .count = 1};
    run_result result = process_run_all(r, &u, message, message_size);
    scenario_outcome *outcomes = calloc((size_t)s->world, sizeof *outcomes);
    bool *peer_lost = calloc((size_t)s->world, sizeof *peer_lost);
    if (result == RUN_DONE && (outcomes == NULL || peer_lost == NULL)) {
        (void)refuse(message, message_size, "no memory for the outcome of a scenario");
        result = RUN_KIT_FAILED;
    }
    for (int k = 0; result == RUN_DONE && k < s->world; k++) {
        const rank_answer *a = &u.tasks[0].answers[k];
        outcomes[k] = a->outcome;
        peer_lost[k] = a->peer_lost || process_rank_dragged_along(&u.tasks[0], k);
        if (process_rank_failed(&u.tasks[0], k)) {
            char how[64];
            child_ending(how, sizeof how, process_child(&u.tasks[0], k));
            outcomes[k].state = SCENARIO_FAIL;
            (void)snprintf(outcomes[k].message, sizeof outcomes[k].message,
                           "the port's process was ended by %s in %.400s", how,
                           a->ending != ENDING_DONE && a->outcome.message[0] != '\0' ? a->outcome.message : a->doing);
        }
    }
    if (result == RUN_DONE)
        rank_answers_merge(outcome, outcomes, peer_lost, s->world);
    free(outcomes);
    free(peer_lost);
    process_run_free(&u);
    return result;
}

/* ---- cases ---- */

/* The rank among the others to be told of, if one did not come through: the cause, where that is known. -1: all did. */
static int failed_other(const process_task *others)
{
    int failed = -1;
    for (int k = 0; k < others->size; k++)
        if (process_rank_failed(others, k) && (failed < 0 || others->answers[k].ended_here))
            failed = k;
    return failed;
}

/* The others must come through as well: a port that takes the world for its group disturbs them or hangs them. */
static bool note_others(const process_task *others, trace *whole)
{
    int k = failed_other(others);
    trace_rank *rank = &whole->ranks[0];
    if (k < 0 || (rank->outcome != RANK_OK && !others->answers[k].ended_here))
        return true;
    char text[PROCESS_TEXT_SIZE], all[PROCESS_OUTPUT_SHOWN + 384];
    process_ending(text, sizeof text, others, k);
    (void)snprintf(all, sizeof all, "rank %d of the ranks outside the group, which ran a case of their own: %s", k,
                   text);
    rank->outcome = process_child(others, k)->timed_out ? RANK_TIMED_OUT : RANK_CRASHED;
    free(rank->message);
    rank->message = strdup(all);
    return rank->message != NULL;
}

/* Both tasks of a run, or one; the traces are made by the call where the run is done. */
static run_result run_tasks(processes *r, process_run *u, trace *results[2], char *message, size_t message_size)
{
    run_result outcome = process_run_all(r, u, message, message_size);
    for (int i = 0; i < u->count && outcome == RUN_DONE; i++)
        results[i] = process_trace(&u->tasks[i], &outcome, message, message_size);
    for (int i = 0; i < u->count && outcome != RUN_DONE; i++) {
        trace_free(results[i]);
        results[i] = NULL;
    }
    return outcome;
}

static run_result run_pair(runner *base, const test_case *c, const test_case *others, bool seeded, trace **result,
                           trace **others_result, char *message, size_t message_size)
{
    trace *results[2] = {NULL, NULL};
    process_run u = {
        .tasks = {{.size = c->world, .c = c, .seeded = seeded}, {.size = others->world, .c = others, .seeded = seeded}},
        .count = 2};
    run_result outcome = run_tasks((processes *)base, &u, results, message, message_size);
    *result = results[0];
    *others_result = results[1];
    process_run_free(&u);
    return outcome;
}

static run_result run_case(runner *base, const test_case *c, bool seeded, trace **result, char *message,
                           size_t message_size)
{
    trace *results[2] = {NULL, NULL};
    test_case others = {0};
    *result = NULL;
    bool has_others = others_wanted(c);
    if (has_others && !others_case(&others, c, message, message_size))
        return RUN_KIT_FAILED;
    process_run u = {.tasks = {{.size = c->world, .c = c, .seeded = seeded}}, .count = 1};
    if (has_others) {
        u.tasks[1] = (process_task){.size = others.world, .c = &others, .seeded = seeded};
        u.count = 2;
    }
    run_result outcome = run_tasks((processes *)base, &u, results, message, message_size);
    if (outcome == RUN_DONE && has_others && !note_others(&u.tasks[1], results[0])) {
        trace_free(results[0]);
        results[0] = NULL;
        (void)refuse(message, message_size, "no memory for the results");
        outcome = RUN_KIT_FAILED;
    }
    *result = results[0];
    trace_free(results[1]);
    process_run_free(&u);
    if (has_others)
        case_free(&others);
    return outcome;
}

/* ---- the runner ---- */

static int ranks(const runner *base)
{
    (void)base;
    return MOST_RANKS;
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

static bool is_ok(runner *base, bool ok)
{
    (void)base;
    return ok;
}

static void free_runner(runner *base)
{
    processes *r = (processes *)base;
    if (r->folder != NULL)
        temp_folder_remove(r->folder);
    free(r->folder);
    free(r->kit);
    free(r->implementation);
    free(r);
}

runner *runner_processes(const char *kit_path, const char *implementation, double timeout_seconds)
{
    processes *r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->base = (runner){.ranks = ranks,
                       .describe = describe,
                       .run_case = run_case,
                       .run_pair = run_pair,
                       .run_scenario = run_scenario,
                       .is_home = is_home,
                       .agree = agree,
                       .all_ok = is_ok,
                       .free = free_runner};
    r->kit = strdup(kit_path);
    r->implementation = strdup(implementation);
    r->timeout = timeout_seconds;
    r->interrupted = &interrupted;
    if (r->kit == NULL || r->implementation == NULL) {
        free_runner(&r->base);
        return NULL;
    }
    return &r->base;
}
