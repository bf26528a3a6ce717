/* suite_half.c: cases of the half types, f16 and bf16. */
#include "harness/suite_tables.h"

/* clang-format off */
static const suite_case cases[] = {
    /* ---- any port ---- */
    {"f16-ints", "W2/r1/f16/[24x40,17]/grad=ints/seed=360", "PSGD-AGG-001 PSGD-AGG-003 PSGD-EF-001", 0, OTHER, QUICK, COMPANION_NONE},
    {"f16-flat-spectrum", "W2/r2/f16/[24x40]/grad=flat/seed=361", "PSGD-AGG-002 PSGD-AGG-004 PSGD-ORT-001", 0, OTHER, FULL, COMPANION_NONE},
    {"f16-sums", "W4/r1/s4/i5/f16/-/[24x40,17]/grad=ints/scale=9/seed=362", "PSGD-AGG-010", 0, OTHER, QUICK, COMPANION_NONE},
    {"f16-scale", "W2/r1/f16/[24x40,17]/grad=ints/scale=3/seed=363", "PSGD-AGG-008", 0, OTHER, FULL, COMPANION_UNSCALED},
    {"bf16-ints", "W2/r1/bf16/[24x40,17]/grad=ints/seed=364", "PSGD-AGG-001 PSGD-AGG-003 PSGD-EF-001", 0, OTHER, QUICK, COMPANION_NONE},
    {"bf16-flat-spectrum", "W2/r2/bf16/[24x40]/grad=flat/seed=365", "PSGD-AGG-002 PSGD-AGG-004 PSGD-ORT-001", 0, OTHER, FULL, COMPANION_NONE},
    {"bf16-scale", "W2/r1/bf16/[24x40,17]/grad=ints/scale=-3/seed=366", "PSGD-AGG-008", 0, OTHER, FULL, COMPANION_UNSCALED},
};
/* clang-format on */

const suite_table suite_half = {cases, sizeof cases / sizeof cases[0]};
