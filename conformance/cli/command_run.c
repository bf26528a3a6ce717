/* command_run.c: runs a port over the plan, judges what it left, reports. Under mpirun every process walks the same
 * plan; the home process judges and prints, and all end with its exit code. */
#include "cli/command.h"
#include "cli/golden_case.h"
#include "cli/interrupt.h"
#include "cli/launcher.h"
#include "cli/plan.h"
#include "cli/vectors.h"
#include "harness/message.h"
#include "judge/judge.h"
#include "report/file.h"
#include "report/progress.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TIMEOUTS_TOLERATED 2
#define EVERY_CASE_SHOWS   "PSGD-ITR-004" /* what a problem that was made for no requirement counts for */
#define DEFAULT_CLAIMS     (PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_WARM_START | PSGD_CLAIM_MULTIRANK)

typedef struct session {
    const options *options;
    runner *runner;
    vectors vectors;
    plan plan;
    verdict verdict;
    run_report report;
    uint64_t shown;        /* claims of the cases in which a check passed */
    uint64_t without_case; /* claims that nothing in this run tests */
    int timeouts;
    char message[1024];
    char reasons[4096]; /* of the report */
} session;

static const char *too_few_ranks(const session *s)
{
    return s->report.mpi ? "more ranks needed than mpirun gave" : "more ranks needed than the kit starts";
}

/* A check for each requirement that the item was made for, all in this state: the item was not judged. */
static void note_unjudged(session *s, const plan_item *item, check_state state, const char *reason)
{
    if (!s->runner->is_home(s->runner))
        return;
    char *list = strdup(item->requirements[0] != '\0' ? item->requirements : EVERY_CASE_SHOWS);
    char *problem_text = item->scenario == NULL ? problem_print(&item->problem) : NULL;
    if (list == NULL) {
        s->verdict.out_of_memory = true;
        return;
    }
    char *rest = NULL;
    for (char *id = strtok_r(list, " ", &rest); id != NULL; id = strtok_r(NULL, " ", &rest))
        if (requirement_find(id) != NULL && plan_keeps(&s->plan, item, id))
            verdict_set(&s->verdict, verdict_open(&s->verdict, id, item->id, problem_text, "case", 0), state, "%s",
                        reason);
    free(problem_text);
    free(list);
}

/* --only names requirements: drops the checks that this item added beyond them. */
static void keep_chosen(session *s, const plan_item *item, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < s->verdict.count; i++) {
        check *c = &s->verdict.checks[i];
        if (plan_keeps(&s->plan, item, c->requirement->id)) {
            s->verdict.checks[kept++] = *c;
        } else {
            free(c->case_id);
            free(c->problem);
            free(c->message);
        }
    }
    s->verdict.count = kept;
}

static void claims_missing(char *reason, size_t size, uint64_t missing)
{
    char names[128];
    claims_print(missing, names, sizeof names);
    snprintf(reason, size, "claim not tested: %s", names);
}

static bool make_case(session *s, const plan_item *item, test_case *c)
{
    if (!item->golden)
        return case_build(c, &item->problem, item->id, item->requirements, item->claims, s->vectors.folder, s->message,
                          sizeof s->message);
    return golden_case_read(c, &s->vectors, item->id, &item->problem, s->message, sizeof s->message);
}

/* What a trace tells of how the run went, for the counts of the report. */
static void count_outcome(session *s, const plan_item *item, const trace *t)
{
    bool executed = false;
    for (int k = 0; k < t->world; k++)
        executed = executed || t->ranks[k].steps_done > 0;
    s->report.cases_run += executed;
    s->report.golden_run += executed && item->golden;
}

/* Did a compressed step of a tensor that the selection compresses leave a result? */
static bool compressed_anything(const test_case *c, const trace *t)
{
    bool found = false;
    for (size_t b = 0; b < c->bucket_count && !found; b++) {
        psgd_bucket_layout layout;
        if (!case_bucket_layout(&layout, c, b, NULL, 0))
            continue;
        for (int64_t step = c->config.start_iter; step < t->steps && !found; step++)
            found = layout.compressed_count > 0 && trace_out(t, step, b, 0)->data != NULL;
        psgd_bucket_layout_free(&layout);
    }
    return found;
}

static bool has_timed_out(const trace *t)
{
    bool found = false;
    for (int k = 0; k < t->world; k++)
        found = found || t->ranks[k].outcome == RANK_TIMED_OUT;
    return found;
}

/* Runs one case. False: the kit failed, s->message says why. *t is null where there was nothing to judge, with the
 * reason noted. */
static bool run_one(session *s, const plan_item *item, const test_case *c, trace **t)
{
    const bool seeded = (c->claims & PSGD_CLAIM_TORCH) != 0;
    switch (s->runner->run_case(s->runner, c, seeded, t, s->message, sizeof s->message)) {
    case RUN_DONE: s->timeouts += s->runner->is_home(s->runner) && has_timed_out(*t); return true;
    case RUN_NOT_ENOUGH_RANKS:
        *t = NULL;
        note_unjudged(s, item, CHECK_SKIP, too_few_ranks(s));
        return true;
    default: *t = NULL; return false;
    }
}

static bool run_companion(session *s, const plan_item *item, const test_case *c, const trace *t)
{
    problem other;
    test_case companion_case;
    trace *companion_trace = NULL;
    if (!suite_companion_problem(&other, &c->problem, item->companion))
        return refuse(s->message, sizeof s->message, "out of memory");
    bool ok =
        case_build(&companion_case, &other, item->id, "", c->claims, s->vectors.folder, s->message, sizeof s->message);
    problem_free(&other);
    if (!ok)
        return false;
    ok = run_one(s, item, &companion_case, &companion_trace);
    if (ok && companion_trace != NULL && s->runner->is_home(s->runner))
        judge_companion(&s->verdict, item->companion, c, t, &companion_case, companion_trace, s->report.tested);
    trace_free(companion_trace);
    case_free(&companion_case);
    return ok;
}

static bool run_case_item(session *s, const plan_item *item)
{
    test_case c;
    trace *t = NULL;
    if (!make_case(s, item, &c))
        return false;
    bool ok = run_one(s, item, &c, &t);
    if (ok && t != NULL) {
        if (s->runner->is_home(s->runner)) {
            count_outcome(s, item, t);
            s->report.cases_compressed += compressed_anything(&c, t);
            judge_case(&s->verdict, &c, t, s->report.tested);
        }
        if (item->companion != COMPANION_NONE)
            ok = run_companion(s, item, &c, t);
    }
    trace_free(t);
    case_free(&c);
    return ok;
}

static bool run_scenario_item(session *s, const plan_item *item)
{
    static const check_state states[] = {
        [SCENARIO_PASS] = CHECK_PASS,
        [SCENARIO_FAIL] = CHECK_FAIL,
        [SCENARIO_SKIP] = CHECK_SKIP,
        [SCENARIO_UNOBSERVED] = CHECK_UNOBSERVED,
    };
    scenario_outcome outcome = {.state = SCENARIO_FAIL};
    switch (s->runner->run_scenario(s->runner, item->scenario, &outcome, s->message, sizeof s->message)) {
    case RUN_DONE: break;
    case RUN_NOT_ENOUGH_RANKS: note_unjudged(s, item, CHECK_SKIP, too_few_ranks(s)); return true;
    default: return false;
    }
    if (!s->runner->is_home(s->runner))
        return true;
    const size_t index = verdict_open(&s->verdict, item->scenario->requirement, item->id, NULL, "scenario", 0);
    const check_place nowhere = CHECK_NOWHERE;
    if (outcome.state == SCENARIO_PASS)
        verdict_expect(&s->verdict, index, true, &nowhere, "%s", "");
    else
        verdict_set(&s->verdict, index, states[outcome.state], "%s", outcome.message);
    s->report.scenarios_run += outcome.state == SCENARIO_PASS || outcome.state == SCENARIO_FAIL;
    return true;
}

/* What its checks, those from first on, have shown of this item's claims. */
static void note_shown(session *s, const plan_item *item, size_t first)
{
    for (size_t i = first; i < s->verdict.count; i++)
        if (s->verdict.checks[i].state == CHECK_PASS)
            s->shown |= item->claims;
}

/* A claim that only cases show, and that was not shown by one, fails: whoever claims a type and refuses each of its
 * cases has nothing to claim. Appends the reasons. */
static void fail_unshown(session *s)
{
    const uint64_t unshown = s->plan.partial ? 0 : verdict_claims_of_cases(s->report.tested) & ~s->shown;
    for (uint64_t claim = 1; claim != 0 && claim <= unshown; claim <<= 1) {
        const size_t used = strlen(s->reasons);
        if ((unshown & claim) != 0)
            snprintf(s->reasons + used, sizeof s->reasons - used, "%s: no case of this claim was executed and passed\n",
                     claim_name(claim));
    }
    s->report.failed |= unshown;
}

/* True: the kit could do its work. */
static bool run_plan(session *s)
{
    const bool home = s->runner->is_home(s->runner);
    progress bar = progress_start(s->plan.count, home && !s->options->quiet);
    bool ok = true;
    for (size_t i = 0; i < s->plan.count && ok; i++) {
        const plan_item *item = &s->plan.items[i];
        char reason[192];
        if (plan_item_ranks(item) > s->report.ranks) {
            note_unjudged(s, item, CHECK_SKIP, too_few_ranks(s));
            continue;
        }
        if ((item->claims & ~s->report.tested) != 0) {
            claims_missing(reason, sizeof reason, item->claims & ~s->report.tested);
            note_unjudged(s, item, CHECK_SKIP, reason);
            continue;
        }
        if (s->runner->agree(s->runner, s->timeouts) >= TIMEOUTS_TOLERATED) {
            note_unjudged(s, item, CHECK_NOT_RUN, "two cases before it timed out");
            s->report.stopped = true;
            continue;
        }
        const size_t first = s->verdict.count;
        progress_step(&bar, i, home ? verdict_count(&s->verdict).by_state[CHECK_FAIL] : 0, item->id);
        ok = item->scenario != NULL ? run_scenario_item(s, item) : run_case_item(s, item);
        if (ok && home) {
            keep_chosen(s, item, first);
            note_shown(s, item, first);
        }
        ok = s->runner->agree(s->runner, ok) != 0 && ok;
    }
    progress_end(&bar);
    return ok;
}

static int complain(const session *s, int code)
{
    if (s->runner != NULL ? s->runner->is_home(s->runner) : is_first_process())
        fprintf(stderr, "psgd-conform: %s\n", s->message);
    return code;
}

static double now(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_MONOTONIC, &t) == 0 ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : 0;
}

/* Opens everything that a run needs. 0, or the exit code, with s->message. */
static int prepare(session *s, const char *kit_path)
{
    const options *o = s->options;
    const bool mpi = launched_by_mpi();
    s->runner = mpi ? runner_mpi(o->implementation, o->timeout, s->message, sizeof s->message)
                    : runner_processes(kit_path, o->implementation, o->timeout);
    if (!mpi)
        interrupt_watch();
    if (s->runner == NULL) {
        if (!mpi)
            refuse(s->message, sizeof s->message, "out of memory");
        return EXIT_KIT_FAILED;
    }
    run_report *r = &s->report;
    const run_result described = s->runner->describe(s->runner, &r->port, s->message, sizeof s->message);
    if (described != RUN_DONE)
        return described == RUN_NOT_LOADED ? EXIT_NOT_LOADED : EXIT_KIT_FAILED;
    if ((o->json != NULL && !report_file_check(o->json, s->message, sizeof s->message)) ||
        !vectors_open(&s->vectors, o->golden, s->message, sizeof s->message))
        return EXIT_KIT_FAILED;

    r->implementation = o->implementation;
    r->vectors_version = s->vectors.version;
    r->vectors_sha256 = s->vectors.sha256;
    r->tested = o->claims_given ? o->claims : r->port.claims != 0 ? r->port.claims : (uint64_t)DEFAULT_CLAIMS;
    r->claims_given = o->claims_given;
    r->golden = o->golden;
    r->quick = o->quick;
    r->seed = o->seed;
    r->fuzz = o->fuzz;
    r->timeout = o->timeout;
    r->mpi = mpi;
    r->ranks = s->runner->ranks(s->runner);
    switch (plan_make(&s->plan, o, r->tested)) {
    case PLAN_OK: break;
    case PLAN_USAGE: return EXIT_USAGE;
    case PLAN_NO_MEMORY: refuse(s->message, sizeof s->message, "out of memory"); return EXIT_KIT_FAILED;
    }
    r->partial = s->plan.partial;
    r->out_of_reach = plan_out_of_reach(&s->plan, r->tested, r->ranks);
    s->without_case = r->partial ? 0 : plan_without_case(&s->plan, r->tested & ~r->out_of_reach, r->ranks);
    r->tested &= ~(r->out_of_reach | s->without_case);
    return 0;
}

static void notice_claims(const session *s)
{
    char names[256];
    const uint64_t unmade = s->options->claims_given ? s->options->claims & ~s->report.port.claims : 0;
    if (unmade != 0 && !s->options->quiet) {
        claims_print(unmade, names, sizeof names);
        fprintf(stderr, "psgd-conform: notice: the port does not claim %s; tested all the same\n", names);
    }
    if (s->without_case != 0 && !s->options->quiet) {
        claims_print(s->without_case, names, sizeof names);
        fprintf(stderr, "psgd-conform: notice: no case of this run is for %s: not tested\n", names);
    }
}

/* Without claim torch nobody says which of these tensors a port must compress. */
static void notice_ambiguous_shapes(const session *s)
{
    for (size_t i = 0; i < s->plan.count && (s->report.tested & PSGD_CLAIM_TORCH) == 0 && !s->options->quiet; i++) {
        const plan_item *item = &s->plan.items[i];
        if (item->scenario == NULL && item->requirements[0] == '\0' && !problem_is_unambiguous(&item->problem))
            fprintf(stderr,
                    "psgd-conform: notice: %s has shapes that ports select differently; without claim torch it is "
                    "judged by conservation and by equality of the ranks\n",
                    item->id);
    }
}

static int judge_and_report(session *s)
{
    const options *o = s->options;
    const bool home = s->runner->is_home(s->runner);
    if (home && !o->quiet)
        report_text_header(&s->report);
    if (home) {
        notice_claims(s);
        notice_ambiguous_shapes(s);
    }
    const double start = now();
    if (!run_plan(s))
        return complain(s, EXIT_KIT_FAILED);
    if (!home)
        return EXIT_CONFORMING;

    s->report.failed =
        verdict_failed_claims(&s->verdict, s->report.tested, s->plan.partial, s->reasons, sizeof s->reasons);
    fail_unshown(s);
    s->report.reasons = s->reasons;
    s->report.seconds = now() - start;
    s->report.verdict = &s->verdict;
    s->report.exit_code = (int)exit_code_of(&s->report);
    int code = s->report.exit_code;
    if (!report_text(&s->report, o->verbose, o->quiet)) {
        refuse(s->message, sizeof s->message, "standard output could not be written");
        code = complain(s, EXIT_KIT_FAILED);
    }
    if (o->json != NULL && !report_json(&s->report, o->json, s->message, sizeof s->message))
        code = complain(s, EXIT_KIT_FAILED);
    return code;
}

int command_run(const options *o, const char *kit_path)
{
    session s = {.options = o};
    switch (plan_check(o)) {
    case PLAN_OK: break;
    case PLAN_USAGE: return is_first_process() ? EXIT_USAGE : EXIT_CONFORMING; /* main.c: why */
    case PLAN_NO_MEMORY: refuse(s.message, sizeof s.message, "out of memory"); return complain(&s, EXIT_KIT_FAILED);
    }
    int code = prepare(&s, kit_path);
    if (code == 0)
        code = judge_and_report(&s);
    else if (code != EXIT_USAGE)
        complain(&s, code);
    if (s.runner != NULL) {
        code = s.runner->agree(s.runner, code);
        s.runner->free(s.runner);
    }
    verdict_free(&s.verdict);
    plan_free(&s.plan);
    vectors_free(&s.vectors);
    interrupt_finish();
    return code;
}
