/* honest.h: see honest.c. */
#ifndef CONFORMANCE_MUTANTS_HONEST_H
#define CONFORMANCE_MUTANTS_HONEST_H

#include "mutants/faulty.h"

/* Why a port of this kind does not take the configuration; null: it does. */
const char *honest_refusal(fault f, const psgd_config *config);

/* The bucket, its data where the host can read it. */
psgd_bucket honest_bucket(const psgd_state *state, const psgd_bucket *bucket);

/* What is not offered leaves the table; what is special enters it. */
void honest_table(psgd_implementation *table, fault f);

#endif
