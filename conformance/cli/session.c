/* session.c: runs a port over the plan and judges what it left. See session.h. */
#include "cli/session.h"

#include "cli/exit_code.h"
#include "cli/interrupt.h"
#include "harness/message.h"
#include "harness/others.h"
#include "report/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUTS_TOLERATED 2
#define EVERY_CASE_SHOWS   "PSGD-ITR-004" /* what a problem that was made for no requirement counts for */

/* A check for each requirement that the item was made for, all in this state: the item was not judged. */
static void note_unjudged(session *s, const plan_item *item, check_state state, skip_reason skipped, const char *reason)
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
    for (char *id = strtok_r(list, " ", &rest); id != NULL; id = strtok_r(NULL, " ", &rest)) {
        if (requirement_find(id) == NULL || !plan_keeps(&s->plan, item, id))
            continue;
        const size_t index = verdict_open(&s->verdict, id, item->id, problem_text, "case", 0);
        if (state == CHECK_SKIP)
            verdict_skip(&s->verdict, index, skipped, "%s", reason);
        else
            verdict_set(&s->verdict, index, state, "%s", reason);
    }
    free(problem_text);
    free(list);
}

static void note_too_few_ranks(session *s, const plan_item *item)
{
    note_unjudged(s, item, CHECK_SKIP, SKIP_RANKS,
                  s->report.mpi ? "more ranks needed than mpirun gave" : "more ranks needed than the kit starts");
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

bool session_everywhere(session *s, bool ok)
{
    const bool home_is_ok = s->runner->agree(s->runner, ok) != 0, all = s->runner->all_ok(s->runner, ok);
    if (!all && home_is_ok && !ok) /* nobody else says why */
        fprintf(stderr, "psgd-conform: on another rank than the first: %s\n", s->message);
    if (!all && ok)
        refuse(s->message, sizeof s->message, "another rank could not do its work");
    return all;
}

/* What a trace tells of how the run went, for the counts of the report. */
static void count_outcome(session *s, const test_case *c, const trace *t)
{
    bool executed = false;
    for (int k = 0; k < t->world; k++)
        executed = executed || t->ranks[k].steps_done > 0;
    s->report.cases_run += executed;
    s->report.golden_run += executed && c->expected != NULL;
}

/* Did a compressed step of a tensor that the selection compresses leave a result? Flattened: of any bucket. */
static bool compressed_anything(const test_case *c, const trace *t)
{
    bool found = false;
    for (size_t b = 0; b < c->bucket_count && !found; b++) {
        psgd_bucket_layout layout;
        if (!case_bucket_layout(&layout, c, b, NULL, 0))
            continue;
        for (int64_t step = c->config.start_iter; step < t->steps && !found; step++)
            found = (c->problem.flattened ? layout.numel > 0 : layout.compressed_count > 0) &&
                    trace_out(t, step, b, 0)->data != NULL;
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

/* Runs one case, and that of the ranks outside of its group (others and others_t: null without). False: the kit failed,
 * s->message says why. The traces are null where there was nothing to judge, with the reason noted. */
static bool run_one(session *s, const plan_item *item, const test_case *c, const test_case *others, trace **t,
                    trace **others_t)
{
    runner *r = s->runner;
    const bool seeded = case_is_seeded(c);
    const run_result result = others != NULL
                                  ? r->run_pair(r, c, others, seeded, t, others_t, s->message, sizeof s->message)
                                  : r->run_case(r, c, seeded, t, s->message, sizeof s->message);
    switch (result) {
    case RUN_DONE:
        s->timeouts += r->is_home(r) && (has_timed_out(*t) || (others != NULL && has_timed_out(*others_t)));
        return true;
    case RUN_NOT_ENOUGH_RANKS:
        *t = NULL;
        note_too_few_ranks(s, item);
        return true;
    case RUN_NO_RESULT:
        *t = NULL;
        if (strcmp(c->id, item->id) == 0) /* that a second run is missing is said by PSGD-FIL-001 */
            note_unjudged(s, item, CHECK_NOT_RUN, SKIP_NONE, s->message);
        return true;
    default: *t = NULL; return false;
    }
}

/* An MPI library may sum in another order in a non-blocking call, so that the bits differ between two honest runs. */
static uint64_t unpromised(const session *s, companion kind)
{
    return s->report.mpi && kind == COMPANION_BLOCKING ? PSGD_CLAIM_DETERMINISM : 0;
}

static bool run_companion(session *s, const plan_item *item, const test_case *c, const trace *t)
{
    trace *second_trace = NULL;
    stored_case *second = case_take_second(s->store, item, c, &s->vectors, s->message, sizeof s->message);
    const bool ok = session_everywhere(s, second != NULL) && run_one(s, item, &second->c, NULL, &second_trace, NULL);
    if (ok && second_trace != NULL && s->runner->is_home(s->runner))
        judge_companion(&s->verdict, item->companion, c, t, &second->c, second_trace,
                        s->report.tested & ~unpromised(s, item->companion));
    trace_free(second_trace);
    case_give_back(second);
    return ok;
}

static void judge_one(session *s, const test_case *c, const trace *t, case_models *models)
{
    count_outcome(s, c, t);
    s->report.cases_compressed += compressed_anything(c, t);
    judge_case_again(&s->verdict, c, t, s->report.tested, models);
}

/* A made case; others: null, or what the ranks outside of its group do. */
static bool run_made_case(session *s, const plan_item *item, stored_case *made, const test_case *others)
{
    trace *t = NULL, *others_t = NULL;
    bool ok = run_one(s, item, &made->c, others, &t, &others_t);
    const bool judges = ok && s->runner->is_home(s->runner);
    if (judges && t != NULL)
        judge_one(s, &made->c, t, &made->models);
    if (judges && others_t != NULL) {
        case_models models = {0};
        judge_one(s, others, others_t, &models);
        case_models_free(&models, others);
    }
    if (ok && t != NULL && item->companion != COMPANION_NONE)
        ok = run_companion(s, item, &made->c, t);
    trace_free(t);
    trace_free(others_t);
    return ok;
}

static bool run_case_item(session *s, const plan_item *item)
{
    test_case others = {0};
    stored_case *made = case_take(s->store, item, &s->vectors, s->message, sizeof s->message);
    const bool has_others = made != NULL && s->runner->run_pair != NULL && others_wanted(&made->c);
    const bool others_made = has_others && others_case(&others, &made->c, s->message, sizeof s->message);
    const bool ok = session_everywhere(s, made != NULL && others_made == has_others) &&
                    run_made_case(s, item, made, has_others ? &others : NULL);
    if (others_made)
        case_free(&others);
    case_give_back(made);
    return ok;
}

static bool run_scenario_item(session *s, const plan_item *item)
{
    static const check_state states[] = {
        [SCENARIO_PASS] = CHECK_PASS,
        [SCENARIO_FAIL] = CHECK_FAIL,
        [SCENARIO_UNOBSERVED] = CHECK_UNOBSERVED,
    };
    scenario_outcome outcome = {.state = SCENARIO_FAIL};
    switch (s->runner->run_scenario(s->runner, item->scenario, &outcome, s->message, sizeof s->message)) {
    case RUN_DONE: break;
    case RUN_NOT_ENOUGH_RANKS: note_too_few_ranks(s, item); return true;
    default: return false;
    }
    if (!s->runner->is_home(s->runner))
        return true;
    const size_t index = verdict_open(&s->verdict, item->scenario->requirement, item->id, NULL, "scenario", 0);
    const check_place nowhere = CHECK_NOWHERE;
    if (outcome.state == SCENARIO_PASS)
        verdict_expect(&s->verdict, index, true, &nowhere, "%s", "");
    else if (outcome.state == SCENARIO_SKIP)
        verdict_skip(&s->verdict, index, SKIP_UNSUPPORTED, "%s", outcome.message);
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

int session_read_waivers(session *s)
{
    if (s->options->waivers == NULL)
        return 0;
    switch (waivers_read(&s->waivers, s->options->waivers, s->message, sizeof s->message)) {
    case WAIVERS_OK: return 0;
    case WAIVERS_BAD: return EXIT_USAGE;
    case WAIVERS_NO_MEMORY: break;
    }
    return EXIT_KIT_FAILED;
}

bool session_apply_waivers(session *s)
{
    const run_report *r = &s->report;
    /* Another seed gives other random problems: what a waiver is for may be among those that were left out. */
    const bool whole = !r->partial && !r->quick && !r->stopped && r->fuzz >= FUZZ_DEFAULT && r->seed == SEED_DEFAULT;
    char today[DATE_SIZE];
    if (s->waivers.count > 0 && !date_today(today))
        return refuse(s->message, sizeof s->message, "the clock gives no date for the waivers");
    waivers_apply(&s->waivers, &s->verdict, r->tested, whole, today);
    s->report.waiver_file = s->options->waivers;
    s->report.waivers = s->waivers.list;
    s->report.waiver_count = s->waivers.count;
    return true;
}

/* A claim that only cases show, and that was not shown by one, fails: whoever claims a type and refuses each of its
 * cases has nothing to claim. Appends the reasons. */
void session_fail_unshown(session *s)
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

bool session_run(session *s)
{
    const bool home = s->runner->is_home(s->runner);
    progress bar = progress_start(s->plan.count, home && !s->options->quiet);
    bool ok = true;
    for (size_t i = 0; i < s->plan.count && ok; i++) {
        const plan_item *item = &s->plan.items[i];
        char reason[192];
        if (interrupt_came()) { /* a runner that runs nothing does not notice */
            ok = refuse(s->message, sizeof s->message, "interrupted");
            break;
        }
        if (plan_item_ranks(item) > s->report.ranks) {
            note_too_few_ranks(s, item);
            continue;
        }
        const uint64_t untested = plan_claims_missing(item, s->report.tested);
        if ((untested & ~s->hidden) != 0) {
            claims_missing(reason, sizeof reason, untested & ~s->hidden);
            note_unjudged(s, item, CHECK_SKIP, SKIP_CLAIM, reason);
            continue;
        }
        if (untested != 0) {
            note_unjudged(s, item, CHECK_UNOBSERVED, SKIP_NONE, "files do not show it");
            continue;
        }
        if (s->runner->agree(s->runner, s->timeouts) >= TIMEOUTS_TOLERATED) {
            note_unjudged(s, item, CHECK_NOT_RUN, SKIP_NONE, "two cases before it timed out");
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
        ok = session_everywhere(s, ok);
    }
    progress_end(&bar);
    return ok;
}
