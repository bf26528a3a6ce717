/* case_store.h: the cases of a plan, made from it: each where it is needed; or kept, with what the judge makes of them
 * alone, where one plan is run by many ports (the command mutants). */
#ifndef CONFORMANCE_CLI_CASE_STORE_H
#define CONFORMANCE_CLI_CASE_STORE_H

#include "cli/plan.h"
#include "cli/vectors.h"
#include "judge/judge.h"

typedef struct stored_case {
    test_case c;
    case_models models;
    bool kept; /* by a store: not its user's to free */
} stored_case;

typedef struct case_store {
    stored_case **cases; /* [count] */
    size_t count;
} case_store;

/* The item's case; its second run's, which differs as the item's companion says. store: null, or where it is kept from
 * the first time on. Null: message. */
stored_case *case_take(case_store *store, const plan_item *item, const vectors *v, char *message, size_t message_size);
stored_case *case_take_second(case_store *store, const plan_item *item, const test_case *first, const vectors *v,
                              char *message, size_t message_size);
/* Every case that was taken is given back; null is. */
void case_give_back(stored_case *taken);
void case_store_free(case_store *store);

#endif
