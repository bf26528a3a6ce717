/* judge.c: one run under judgement, in order: structure, laws, golden results, model, optimum. Each may tell the next,
 * by judging_stop, that a tensor is spoiled from some step on, so that a fault is laid at the door of the first
 * requirement that it breaks. Last come the requirements that have no law of their own: the case was made for them, and
 * they stand or fall with everything else in it. */
#include "judge/judge.h"

#include "judge/judging.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Only a second run can show these: companion.c opens their checks. */
static const char *const by_companion[] = {"PSGD-AGG-007", "PSGD-AGG-008", "PSGD-NUM-003", "PSGD-CKP-001",
                                           "PSGD-ASY-001"};

/* These have no law of their own: they stand or fall with the whole case. */
static const char *const by_case[] = {"PSGD-CFG-004", "PSGD-SEL-003", "PSGD-SEL-004", "PSGD-SEL-005",
                                      "PSGD-SEL-006", "PSGD-SEL-007", "PSGD-ITR-002", "PSGD-AGG-006",
                                      "PSGD-EF-006",  "PSGD-BAT-001", "PSGD-NUM-002"};

/* These have one, which shows their breach; that a case made for them passes shows that they are kept. */
static const char *const kept_by_case[] = {"PSGD-ORT-002", "PSGD-ORT-003", "PSGD-ORT-004",
                                           "PSGD-ORT-005", "PSGD-ORT-006", "PSGD-NUM-004"};

static bool is_among(const char *id, const char *const *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(ids[i], id) == 0) {
            return true;
        }
    }
    return false;
}

#define COUNT_OF(a) (sizeof(a) / sizeof(a)[0])

/* Has this requirement a check of its own in this case, whatever its state? */
static bool has_own_check(const judging *j, const requirement *r)
{
    for (size_t i = j->first_check; i < j->v->count; i++) {
        if (j->v->checks[i].requirement == r) {
            return true;
        }
    }
    return false;
}

/* All that was judged in this case, as one check. */
static void judge_as_case(judging *j, const requirement *r, size_t checks)
{
    /* Before any check is pointed to: it may move them all. */
    size_t index = verdict_open(j->v, r->id, j->c->id, j->c->problem_text, limit_of(LIMIT_CASE)->row, 0);
    const check *failed = NULL, *passed = NULL;
    for (size_t i = j->first_check; i < checks; i++) {
        const check *c = &j->v->checks[i];
        bool should_only = c->requirement->level == LEVEL_SHOULD && r->level == LEVEL_MUST;
        failed = failed == NULL && c->state == CHECK_FAIL && !should_only ? c : failed;
        passed = passed == NULL && c->state == CHECK_PASS && strcmp(c->row, "structure") != 0 ? c : passed;
    }
    check_place place = failed == NULL ? CHECK_NOWHERE : failed->place;
    char text[512];
    if (failed != NULL) {
        snprintf(text, sizeof text, "%s failed in this case, which was made for %s%s%.300s", failed->requirement->id,
                 r->id, failed->message == NULL ? "" : ": ", failed->message == NULL ? "" : failed->message);
    }
    bool whole = is_among(r->id, by_case, COUNT_OF(by_case));
    bool kept = whole || is_among(r->id, kept_by_case, COUNT_OF(kept_by_case));
    if (failed != NULL && whole) {
        verdict_expect(j->v, index, false, &place, "%s", text);
    } else if (failed != NULL) {
        verdict_set(j->v, index, CHECK_UNTRUSTED, "not judged: %s failed before it", failed->requirement->id);
    } else if (passed != NULL && kept) {
        verdict_expect(j->v, index, true, &place, " ");
    } else {
        verdict_set(j->v, index, CHECK_UNTRUSTED, "nothing of this requirement could be measured in this case");
    }
}

static void judge_the_rest(judging *j)
{
    size_t checks = j->v->count;
    const char *list = j->c->requirements == NULL ? "" : j->c->requirements;
    char id[32];
    for (size_t length; *(list += strspn(list, " ")) != '\0'; list += length) {
        length = strcspn(list, " ");
        snprintf(id, sizeof id, "%.*s", (int)length, list);
        const requirement *r = length < sizeof id ? requirement_find(id) : NULL;
        if (r != NULL && !r->c_abi_only && !r->unit_test_only && judging_tests(j, id) &&
            !is_among(id, by_companion, COUNT_OF(by_companion)) && !has_own_check(j, r)) {
            judge_as_case(j, r, checks);
        }
    }
}

/* The free-running model costs several runs of the case: only where something can be held against it. */
static bool needs_free_running(const judging *j)
{
    return j->q_known && j->e.steps > j->c->config.start_iter;
}

/* Is there a square's padding whose error is remembered? */
static bool has_kept_padding(const judging *j)
{
    bool padded = false;
    for (size_t i = 0; i < j->e.tensor_count; i++) {
        padded = padded || j->e.tensors[i].length < j->e.tensors[i].n * j->e.tensors[i].m;
    }
    return padded && j->c->config.use_error_feedback;
}

/* Ports differ in which tensors they compress; only claim torch says how. A case that the suite made is known to be one
 * that every rule treats alike, or to be about this very thing. */
static bool is_selection_known(const judging *j)
{
    const char *made_for = j->c->requirements;
    return j->torch || j->e.flattened || (made_for != NULL && made_for[0] != '\0') ||
           problem_is_unambiguous(&j->c->problem);
}

/* Laws that hold whichever tensors a port compresses. */
static void judge_any_selection(judging *j)
{
    judge_mean(j);
    judge_conservation(j);
    judge_telescoping(j);
}

static void make_models(judging *j, case_models *models)
{
    if (!models->has_free_running) {
        models->has_free_running = model_run_case(&models->free_running, j->c, NOISE_RUNS);
    }
    const bool padded = has_kept_padding(j);
    if (padded && !models->has_forgetful) {
        models->has_forgetful = model_run_forgetful(&models->forgetful, j->c);
    }
    if (!models->has_free_running || (padded && !models->has_forgetful)) {
        judging_lacks_memory(j);
    }
    j->free_running = models->has_free_running ? &models->free_running : NULL;
    j->forgetful = padded && models->has_forgetful ? &models->forgetful : NULL;
}

void case_models_free(case_models *models, const test_case *c)
{
    if (models->has_free_running) {
        model_run_free(&models->free_running, c);
    }
    if (models->has_forgetful) {
        model_run_free(&models->forgetful, c);
    }
    *models = (case_models){0};
}

static void judge_run(judging *j, case_models *models)
{
    judge_flattened(j);
    judge_selection(j);
    judge_mean(j);
    judge_degenerate(j);
    judge_placement(j);
    judge_projection(j);
    judge_square(j);
    judge_alternating(j);
    judge_conservation(j);
    judge_exactness(j);
    judge_telescoping(j);
    judge_long_run(j);
    judge_statistics(j);
    if (needs_free_running(j)) {
        make_models(j, models);
    }
    judge_one_step(j);
    judge_golden(j);
    judge_free_running(j);
    judge_optimum(j);
}

void judge_case(verdict *v, const test_case *c, const trace *t, uint64_t claims)
{
    case_models models = {0};
    judge_case_again(v, c, t, claims, &models);
    case_models_free(&models, c);
}

void judge_case_again(verdict *v, const test_case *c, const trace *t, uint64_t claims, case_models *models)
{
    judging j = {.v = v, .c = c, .t = t, .claims = claims, .first_check = v->count};
    j.torch = (claims & PSGD_CLAIM_TORCH) != 0;
    j.q_known = judging_knows_q(&j);
    if (!evidence_build(&j.e, c, t)) {
        judging_lacks_memory(&j);
        return;
    }
    j.selection_known = is_selection_known(&j);
    if (judge_structure(&j)) {
        if (j.selection_known) {
            judge_run(&j, models);
        } else {
            judge_any_selection(&j);
        }
        judge_the_rest(&j);
    }
    evidence_free(&j.e);
}
