/* plan.h: what a command works on: the fixed cases, golden files, scenarios and random problems that the options
 * choose, in the order in which they are run. */
#ifndef CONFORMANCE_CLI_PLAN_H
#define CONFORMANCE_CLI_PLAN_H

#include "cli/options.h"
#include "harness/scenario.h"
#include "harness/suite.h"

typedef struct plan_item {
    char *id;                 /* "fuzz-1-17", "scenario/...", ...; owned */
    const char *requirements; /* space-separated */
    uint64_t claims;          /* needed */
    problem problem;          /* not for scenarios */
    bool golden;              /* inputs and expected results are read from <golden>/<id>.safetensors */
    companion companion;
    const scenario *scenario; /* null: a case */
    bool chosen_by_name;      /* --only matched the item itself: keep all of its checks */
} plan_item;

typedef struct plan {
    plan_item *items;
    size_t count, capacity;
    bool partial; /* --only or --case: not everything that a claim needs is run */
    const word_list *only;
} plan;

typedef enum plan_result { PLAN_OK, PLAN_USAGE, PLAN_NO_MEMORY } plan_result;

/* claims: those tested; they decide the random problems. On PLAN_USAGE a message that names the mistake
 * (bad problem string with its position, --only that matches nothing) was written to o->errors. */
plan_result plan_make(plan *p, const options *o, uint64_t claims);
/* The mistakes of usage alone: they do not depend on the port, and are found before it is loaded. */
plan_result plan_check(const options *o);
/* Keeps of a plan what the globs of `only` name, as if it had been made with them; all of it where there are none. */
plan_result plan_narrow(plan *p, const word_list *only, FILE *errors);
void plan_free(plan *p);

/* --only: does this check belong to the report? True without --only. */
bool plan_keeps(const plan *p, const plan_item *item, const char *requirement_id);

/* Ranks that must be there for it, those outside of its group included. */
/* The claims that this item needs and that are not tested. A port of the alternating variant keeps its factors whatever
 * the configuration says: cases with warm start are for it, too. */
uint64_t plan_claims_missing(const plan_item *item, uint64_t tested);
int plan_item_ranks(const plan_item *item);

/* Claims whose every item needs more ranks than there are: they cannot be tested here. */
uint64_t plan_out_of_reach(const plan *p, uint64_t claims, int ranks);
/* Claims that only cases can show, of which the plan has none: nothing here tests them. */
uint64_t plan_without_case(const plan *p, uint64_t claims, int ranks);

/* What every case of this claim needs besides the claims that are given; 0 also where one needs nothing more. */
uint64_t plan_claims_needed(const plan *p, uint64_t claim, uint64_t given);

/* True if `word` is one of the space-separated words of `list`. */
bool has_word(const char *list, const char *word);

/* Reads a problem string as a user gave it. False: what is wrong was written to errors, with a caret under the place.
 */
bool plan_parse_problem(problem *p, const char *text, FILE *errors);

#endif
