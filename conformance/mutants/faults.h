/* faults.h: the faults of the deliberately faulty implementation, by name, and the honest variants that come from the
 * same code. Each fault is a mistake that ports have made, or that one in another language would make; each must be
 * found by a requirement that it breaks. The lists stand in list_*.h, one a subject, their columns:
 *
 *   identifier   asked for in the port's code: fault_is(state, FAULT_...)
 *   name         --impl faulty:NAME, honest:NAME
 *   breaks       requirements, space-separated: at least one of them must fail for the fault to count as found
 *   claims       what the port claims with it, among what it can
 *   what         one sentence
 */
#ifndef CONFORMANCE_MUTANTS_FAULTS_H
#define CONFORMANCE_MUTANTS_FAULTS_H

#include "mutants/list_aggregation.h"
#include "mutants/list_alternating.h"
#include "mutants/list_error_feedback.h"
#include "mutants/list_factors.h"
#include "mutants/list_flattened.h"
#include "mutants/list_honest.h"
#include "mutants/list_interface.h"
#include "mutants/list_iteration.h"
#include "mutants/list_random_q.h"
#include "mutants/list_selection.h"
#include "mutants/list_state.h"
#include "mutants/list_values.h"
#include "mutants/list_verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All but that of the alternating variant, which is another algorithm. */
#define ALL_CLAIMS (~(uint64_t)PSGD_CLAIM_ALTERNATING)

/* In the order of the kill matrix. */
#define FAULT_LISTS(X)                                                                                                 \
    FAULTS_AGGREGATION(X)                                                                                              \
    FAULTS_FACTORS(X)                                                                                                  \
    FAULTS_ERROR_FEEDBACK(X)                                                                                           \
    FAULTS_RANDOM_Q(X)                                                                                                 \
    FAULTS_SELECTION(X)                                                                                                \
    FAULTS_ITERATION(X)                                                                                                \
    FAULTS_STATE(X)                                                                                                    \
    FAULTS_FLATTENED(X)                                                                                                \
    FAULTS_ALTERNATING(X)                                                                                              \
    FAULTS_VALUES(X)                                                                                                   \
    FAULTS_INTERFACE(X)                                                                                                \
    FAULTS_VERDICT(X)

#define FAULT_IDENTIFIER(identifier, name, breaks, claims, what) identifier,
typedef enum fault { HONEST_VARIANTS(FAULT_IDENTIFIER) FAULT_LISTS(FAULT_IDENTIFIER) FAULT_COUNT } fault;

typedef struct fault_entry {
    const char *name;
    const char *requirements; /* "": it is right and conforms */
    uint64_t claims;
    const char *what;
} fault_entry;

const fault_entry *fault_entry_of(fault f);  /* null beyond the last */
bool fault_find(fault *f, const char *name); /* false: nothing has this name */
bool fault_is_honest(fault f);

#endif
