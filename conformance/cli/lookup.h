/* lookup.h: things by their name, for show and explain. */
#ifndef CONFORMANCE_CLI_LOOKUP_H
#define CONFORMANCE_CLI_LOOKUP_H

#include "harness/scenario.h"
#include "harness/suite.h"
#include "judge/requirement.h"
#include "mutants/faults.h"

#include <stdio.h>

const suite_case *suite_find(const char *id); /* null: none */

/* The requirement in full, with the cases and scenarios that were made for it, and the faults that break it. */
void requirement_print(const requirement *r);

/* A fault or honest variant by NAME, faulty:NAME or honest:NAME; null: none. */
const fault_entry *fault_named(const char *name);
void fault_print(const fault_entry *entry);

/* The name of a requirement, case or scenario that is nearest to id; null: none is near. */
const char *nearest_name(const char *id);

/* As suggest(), among the names of faults and honest variants. */
void suggest_fault(const char **near, const char *id);

/* Says that nothing has this name, with the nearest name. Returns EXIT_USAGE. */
int lookup_failed(FILE *errors, const char *what, const char *id);

#endif
