/* plan.c: chooses and orders what is run. */
#include "cli/plan.h"

#include "cli/lookup.h"
#include "cli/vectors.h"
#include "harness/others.h"
#include "judge/requirement.h"
#include "judge/verdict.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; length > 0 && (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static bool matches_any(const word_list *globs, const char *name)
{
    for (size_t i = 0; i < globs->count; i++)
        if (fnmatch(globs->words[i], name, 0) == 0)
            return true;
    return false;
}

/* By its own name, or by that of the case which the ranks outside of its group run beside it. */
static bool matches_case(const word_list *globs, const char *id, const problem *p)
{
    char beside[256];
    const int length = snprintf(beside, sizeof beside, "%s" OTHERS_SUFFIX, id);
    return matches_any(globs, id) || (p->of_world > p->world && p->recording == NULL && length > 0 &&
                                      (size_t)length < sizeof beside && matches_any(globs, beside));
}

static bool matches_item(const word_list *globs, const plan_item *item)
{
    return item->scenario != NULL ? matches_any(globs, item->id) : matches_case(globs, item->id, &item->problem);
}

static bool matches_requirement(const word_list *globs)
{
    size_t count;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count; i++)
        if (matches_any(globs, all[i].id))
            return true;
    return false;
}

bool plan_keeps(const plan *p, const plan_item *item, const char *requirement_id)
{
    return p->only->count == 0 || item->chosen_by_name || matches_any(p->only, requirement_id);
}

static void complain_problem(FILE *errors, const char *text, const problem_error *error)
{
    fprintf(errors, "psgd-conform: bad problem string: %s\n  %s\n  %*s^ at %zu\n", error->message, text,
            (int)error->position, "", error->position);
}

static void item_free(plan_item *item)
{
    problem_free(&item->problem);
    free(item->id);
}

/* Appends an item of this id; null without memory. */
static plan_item *plan_add(plan *p, const char *id, const char *wanted_for, uint64_t claims)
{
    if (p->count == p->capacity) {
        const size_t capacity = p->capacity == 0 ? 64 : 2 * p->capacity;
        plan_item *items = realloc(p->items, capacity * sizeof *items);
        if (items == NULL)
            return NULL;
        p->items = items;
        p->capacity = capacity;
    }
    char *id_copy = strdup(id);
    if (id_copy == NULL)
        return NULL;
    plan_item *item = &p->items[p->count++];
    *item = (plan_item){.id = id_copy, .requirements = wanted_for, .claims = claims};
    return item;
}

static plan_result add_suite(plan *p, const options *o, bool requirement_named)
{
    const size_t count = suite_count();
    for (size_t i = 0; i < count; i++) {
        problem_error error;
        problem parsed;
        if (!problem_parse(&parsed, suite_at(i)->problem, &error)) {
            complain_problem(o->errors, suite_at(i)->problem, &error);
            return PLAN_NO_MEMORY; /* the table is tested: only memory can be missing */
        }
        const bool by_name = matches_case(p->only, suite_at(i)->id, &parsed);
        const bool in_tier = !o->quick || suite_at(i)->quick;
        if (!by_name && !(in_tier && (p->only->count == 0 || requirement_named))) {
            problem_free(&parsed);
            continue;
        }
        plan_item *item =
            plan_add(p, suite_at(i)->id, suite_at(i)->requirements, suite_at(i)->claims | problem_claims(&parsed));
        if (item == NULL) {
            problem_free(&parsed);
            return PLAN_NO_MEMORY;
        }
        item->problem = parsed;
        item->golden = suite_at(i)->golden;
        item->companion = suite_at(i)->companion;
        item->chosen_by_name = by_name;
    }
    return PLAN_OK;
}

static plan_result add_scenarios(plan *p, const options *o, bool requirement_named)
{
    size_t count;
    const scenario *all = scenarios(&count);
    for (size_t i = 0; i < count; i++) {
        const bool by_name = matches_any(p->only, all[i].id);
        const bool by_requirement = requirement_named && matches_any(p->only, all[i].requirement);
        if (p->only->count > 0 ? !by_name && !by_requirement : o->quick && !all[i].quick)
            continue;
        plan_item *item = plan_add(p, all[i].id, all[i].requirement, all[i].claims);
        if (item == NULL)
            return PLAN_NO_MEMORY;
        item->scenario = &all[i];
        item->chosen_by_name = by_name;
    }
    return PLAN_OK;
}

static plan_result add_problem(plan *p, const char *id, problem *parsed, uint64_t claims)
{
    plan_item *item = plan_add(p, id, "", claims | problem_claims(parsed));
    if (item == NULL) {
        problem_free(parsed);
        return PLAN_NO_MEMORY;
    }
    item->problem = *parsed;
    item->companion = suite_companion_of(parsed);
    item->chosen_by_name = true;
    return PLAN_OK;
}

static plan_result add_fuzz(plan *p, const options *o, uint64_t claims)
{
    const bool alternating = (claims & PSGD_CLAIM_ALTERNATING) != 0;
    for (int64_t i = 0; i < o->fuzz; i++) {
        char id[64];
        snprintf(id, sizeof id, "fuzz-%llu-%lld", (unsigned long long)o->seed, (long long)i);
        if (p->only->count > 0 && !matches_any(p->only, id))
            continue;
        problem random;
        const uint64_t drawn =
            claims | (alternating ? (uint64_t)PSGD_CLAIM_WARM_START : 0); /* see plan_claims_missing */
        if (!suite_random_problem(&random, o->seed, (uint64_t)i, drawn))
            return PLAN_NO_MEMORY;
        const plan_result result = add_problem(p, id, &random, claims & (PSGD_CLAIM_CORE | PSGD_CLAIM_TORCH));
        if (result != PLAN_OK)
            return result;
    }
    return PLAN_OK;
}

/* Only what the configuration allows can be judged: a port that refuses this is right. */
static bool is_allowed(const problem *p, problem_error *error)
{
    if (p->start > 1 || (!p->error_feedback && !p->warm_start))
        return true;
    *error = (problem_error){.position = 0};
    snprintf(error->message, sizeof error->message,
             "start s%lld must be above 1 with error feedback or warm start on (flags: '-' turns both off)",
             (long long)p->start);
    return false;
}

bool plan_parse_problem(problem *p, const char *text, FILE *errors)
{
    problem_error error;
    if (!problem_parse(p, text, &error)) {
        complain_problem(errors, text, &error);
        return false;
    }
    if (is_allowed(p, &error))
        return true;
    complain_problem(errors, text, &error);
    problem_free(p);
    return false;
}

/* Where the mistake stands that only making the case has shown. */
static size_t place_of_mistake(const char *text, const problem *p, const char *message)
{
    const bool of_scale = strncmp(message, "scale=", strlen("scale=")) == 0;
    const char *at = strstr(text, of_scale ? "scale=" : p->recording != NULL ? "rec:" : "[");
    return at != NULL ? (size_t)(at - text) : 0;
}

/* What a string does not show: whether its recording is there and of its ranks, and whether its scale is exact. What is
 * no mistake of the problem, such as a recording that cannot be read, shows when the case is run. */
static bool can_be_made(const options *o, const char *text, const problem *p)
{
    problem_error error;
    char *golden = vectors_folder(o->golden);
    const bool wrong = case_is_mistaken(p, golden, error.message, sizeof error.message);
    free(golden);
    error.position = place_of_mistake(text, p, error.message);
    if (wrong)
        complain_problem(o->errors, text, &error);
    return !wrong;
}

/* With claim torch a problem named by --case is run as the hook would: the port seeds its own Q. */
static plan_result add_named_problems(plan *p, const options *o, uint64_t claims)
{
    for (size_t i = 0; i < o->cases.count; i++) {
        problem parsed;
        if (!plan_parse_problem(&parsed, o->cases.words[i], o->errors))
            return PLAN_USAGE;
        if (!can_be_made(o, o->cases.words[i], &parsed)) {
            problem_free(&parsed);
            return PLAN_USAGE;
        }
        char id[32];
        snprintf(id, sizeof id, "case-%zu", i + 1);
        const plan_result result = add_problem(p, id, &parsed, claims & (PSGD_CLAIM_CORE | PSGD_CLAIM_TORCH));
        if (result != PLAN_OK)
            return result;
    }
    return PLAN_OK;
}

static plan_result check_globs(const plan *p, FILE *errors)
{
    for (size_t i = 0; i < p->only->count; i++) {
        const word_list one = {&p->only->words[i], 1};
        bool matched = matches_requirement(&one);
        for (size_t j = 0; j < p->count && !matched; j++)
            matched = matches_item(&one, &p->items[j]);
        if (!matched) {
            const char *near = nearest_name(one.words[0]);
            fprintf(errors, "psgd-conform: --only '%s' matches no requirement, case or scenario", one.words[0]);
            if (near != NULL)
                fprintf(errors, "; did you mean '%s'?", near);
            fprintf(errors, " (psgd-conform list)\n");
            return PLAN_USAGE;
        }
    }
    return PLAN_OK;
}

plan_result plan_make(plan *p, const options *o, uint64_t claims)
{
    *p = (plan){.partial = o->only.count > 0 || o->cases.count > 0, .only = &o->only};
    plan_result result;
    if (o->cases.count > 0) {
        result = add_named_problems(p, o, claims);
        if (result == PLAN_OK)
            result = add_fuzz(p, o, claims);
        return result;
    }
    const bool requirement_named = p->only->count > 0 && matches_requirement(p->only);
    result = add_suite(p, o, requirement_named);
    if (result == PLAN_OK)
        result = add_scenarios(p, o, requirement_named);
    if (result == PLAN_OK)
        result = add_fuzz(p, o, claims);
    return result == PLAN_OK ? check_globs(p, o->errors) : result;
}

plan_result plan_narrow(plan *p, const word_list *only, FILE *errors)
{
    if (only->count == 0)
        return PLAN_OK;
    p->only = only;
    p->partial = true;
    const plan_result result = check_globs(p, errors);
    const bool requirement_named = matches_requirement(only);
    size_t kept = 0;
    for (size_t i = 0; i < p->count; i++) {
        plan_item *item = &p->items[i];
        item->chosen_by_name = matches_item(only, item);
        if (item->chosen_by_name || requirement_named)
            p->items[kept++] = *item;
        else
            item_free(item);
    }
    p->count = kept;
    return result;
}

uint64_t plan_claims_missing(const plan_item *item, uint64_t tested)
{
    const bool alternating = (tested & PSGD_CLAIM_ALTERNATING) != 0;
    return item->claims & ~tested & ~(alternating ? (uint64_t)PSGD_CLAIM_WARM_START : 0);
}

int plan_item_ranks(const plan_item *item)
{
    return item->scenario != NULL ? item->scenario->world : item->problem.of_world;
}

uint64_t plan_out_of_reach(const plan *p, uint64_t claims, int ranks)
{
    uint64_t wanted = 0, within = 0;
    for (size_t i = 0; i < p->count; i++) {
        wanted |= p->items[i].claims;
        if (plan_item_ranks(&p->items[i]) <= ranks)
            within |= p->items[i].claims;
    }
    return claims & wanted & ~within;
}

uint64_t plan_without_case(const plan *p, uint64_t claims, int ranks)
{
    uint64_t cases = 0;
    for (size_t i = 0; i < p->count; i++)
        if (plan_claims_missing(&p->items[i], claims) == 0 && plan_item_ranks(&p->items[i]) <= ranks)
            cases |= p->items[i].claims;
    return verdict_claims_of_cases(claims) & ~cases;
}

uint64_t plan_claims_needed(const plan *p, uint64_t claim, uint64_t given)
{
    uint64_t needed = UINT64_MAX;
    for (size_t i = 0; i < p->count; i++)
        if (p->items[i].scenario == NULL && (p->items[i].claims & claim) != 0)
            needed &= plan_claims_missing(&p->items[i], given);
    return needed != UINT64_MAX ? needed : 0;
}

plan_result plan_check(const options *o)
{
    plan p;
    const plan_result result = plan_make(&p, o, PSGD_CLAIM_CORE);
    plan_free(&p);
    return result;
}

void plan_free(plan *p)
{
    for (size_t i = 0; i < p->count; i++)
        item_free(&p->items[i]);
    free(p->items);
    *p = (plan){0};
}
