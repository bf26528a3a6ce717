/* judge_mutant.h: one faulty implementation, or honest variant, judged as `run` would: a row of the kill matrix. */
#ifndef CONFORMANCE_CLI_JUDGE_MUTANT_H
#define CONFORMANCE_CLI_JUDGE_MUTANT_H

#include "cli/case_store.h"
#include "cli/kill_matrix.h"
#include "cli/options.h"
#include "cli/vectors.h"

typedef struct mutant_judge {
    const options *options; /* of the command mutants: tier, time limit */
    const char *kit_path;
    vectors vectors;  /* open */
    case_store cases; /* of the quick tier, which are few and small: made once in each process */
} mutant_judge;

/* By --way: here as `run --impl` would; or by the kit itself in a process of its own, started as a user would start it
 * (judge_mutant_started). */
void judge_mutant(mutant_result *result, mutant_judge *judge, const fault_entry *entry);
void judge_mutant_started(mutant_result *result, const mutant_judge *judge, const fault_entry *entry);

#endif
