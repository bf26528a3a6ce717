/* suite_flat.c: cases of the flattened variant. */
#include "harness/suite_tables.h"

/* clang-format off */
static const suite_case cases[] = {
    /* ---- any port ---- */
    {"flat-r1-w2", "W2/r1/f32/ef,ws,flat/[24x40,17]/seed=350", "PSGD-FLT-001 PSGD-FLT-003", 0, OTHER, QUICK, COMPANION_NONE},
    {"flat-r3-w3", "W3/r3/f32/ef,ws,flat/[24x40,17;9x9]/grad=power/seed=351", "PSGD-FLT-001 PSGD-FLT-003", 0, OTHER, FULL, COMPANION_NONE},
    {"flat-no-padding", "W1/r2/f64/ws,flat/[10x10]/eps1e-2/seed=352", "PSGD-FLT-001 PSGD-FLT-002", 0, OTHER, QUICK, COMPANION_NONE},
};
/* clang-format on */

const suite_table suite_flat = {cases, sizeof cases / sizeof cases[0]};
