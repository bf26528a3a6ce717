/* suite_tables.h: the tables that the suite is made of (suite.c), and the words they are written in. Shapes are small:
 * what a fault needs to show itself is structure, not size. */
#ifndef CONFORMANCE_HARNESS_SUITE_TABLES_H
#define CONFORMANCE_HARNESS_SUITE_TABLES_H

#include "harness/suite.h"

#define TORCH       ((uint64_t)PSGD_CLAIM_TORCH)
#define DETERMINISM ((uint64_t)PSGD_CLAIM_DETERMINISM)
#define ALTERNATING ((uint64_t)PSGD_CLAIM_ALTERNATING)

enum { GOLDEN = true, OTHER = false, QUICK = true, FULL = false };

typedef struct suite_table {
    const suite_case *cases; /* [count] */
    size_t count;
} suite_table;

extern const suite_table suite_torch, suite_torch_numerics, suite_torch_sweeps, suite_torch_half, suite_core,
    suite_claims, suite_flat, suite_half, suite_half_hook;

#endif
