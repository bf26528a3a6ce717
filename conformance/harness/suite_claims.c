/* suite_claims.c: cases for ports that claim more than the core: subgroups, checkpoints, determinism, the alternating
 * variant. */
#include "harness/suite_tables.h"

/* clang-format off */
static const suite_case cases[] = {
    /* ---- subgroups ---- */
    {"core-subgroup-2-of-4", "W2of4/group=1,3/r2/f32/[24x40,17]/seed=270", "PSGD-AGG-006 PSGD-AGG-001", 0, OTHER, QUICK, COMPANION_NONE},
    {"core-subgroup-3-of-5", "W3of5/group=0,2,4/r2/f32/[24x40,17]/grad=power/seed=271", "PSGD-AGG-006 PSGD-AGG-001", 0, OTHER, FULL, COMPANION_NONE},
    /* ---- determinism, checkpoints ---- */
    {"determinism-w1", "W1/r2/f32/[24x40,17]/seed=340", "PSGD-NUM-003", DETERMINISM, OTHER, FULL, COMPANION_REPEAT},
    {"determinism-w3", "W3/r4/f32/[24x40,17;20x30]/grad=power/seed=341", "PSGD-NUM-003", DETERMINISM, OTHER, QUICK, COMPANION_REPEAT},
    {"checkpoint-w2", "W2/r2/f32/[24x40,17]/ckpt=3/seed=342", "PSGD-CKP-001", 0, OTHER, QUICK, COMPANION_UNINTERRUPTED},
    {"checkpoint-plain", "W1/r2/f32/[24x40,17]/ckpt=1/seed=343", "PSGD-CKP-001", 0, OTHER, FULL, COMPANION_UNINTERRUPTED},
    {"checkpoint-cold", "W2/r2/f64/ef/[24x40;20x30,5]/ckpt=2/seed=344", "PSGD-CKP-001", 0, OTHER, FULL, COMPANION_UNINTERRUPTED},
    /* ---- the alternating variant ---- */
    {"alternating-w1", "W1/r2/i8/f32/ef/[24x40,17]/seed=370", "PSGD-ALT-001", ALTERNATING, OTHER, FULL, COMPANION_NONE},
    {"alternating-w3", "W3/r2/i8/f32/ef/[24x40,17]/grad=power/seed=371", "PSGD-ALT-001", ALTERNATING, OTHER, QUICK, COMPANION_NONE},
};
/* clang-format on */

const suite_table suite_claims = {cases, sizeof cases / sizeof cases[0]};
