/* suite_claims.c: cases for ports that claim more than the core: subgroups, checkpoints, determinism, submit and wait,
 * the alternating variant; and worlds larger than those of the other tables. */
#include "harness/suite_tables.h"

/* clang-format off */
static const suite_case cases[] = {
    /* ---- subgroups ---- */
    {"core-subgroup-2-of-4", "W2of4/group=1,3/r2/f32/[24x40,17]/seed=270", "PSGD-AGG-006 PSGD-AGG-001", 0, OTHER, QUICK, COMPANION_NONE},
    {"core-subgroup-3-of-5", "W3of5/group=0,2,4/r2/f32/[24x40,17]/grad=power/seed=271", "PSGD-AGG-006 PSGD-AGG-001", 0, OTHER, FULL, COMPANION_NONE},
    /* ---- determinism, checkpoints ---- */
    {"determinism-w1", "W1/r2/f32/[24x40,17]/seed=340", "PSGD-NUM-003", DETERMINISM, OTHER, FULL, COMPANION_REPEAT},
    {"determinism-w3", "W3/r4/f32/[24x40,17;20x30]/grad=power/seed=341", "PSGD-NUM-003", DETERMINISM, OTHER, QUICK, COMPANION_REPEAT},
    {"determinism-f64", "W2/r3/f64/[24x40,17]/grad=power/seed=345", "PSGD-NUM-003", DETERMINISM, OTHER, FULL, COMPANION_REPEAT},
    {"checkpoint-w2", "W2/r2/f32/[24x40,17]/ckpt=3/seed=342", "PSGD-CKP-001", 0, OTHER, QUICK, COMPANION_UNINTERRUPTED},
    {"checkpoint-plain", "W1/r2/f32/[24x40,17]/ckpt=1/seed=343", "PSGD-CKP-001", 0, OTHER, FULL, COMPANION_UNINTERRUPTED},
    {"checkpoint-cold", "W2/r2/f64/ef/[24x40;20x30,5]/ckpt=2/seed=344", "PSGD-CKP-001", 0, OTHER, FULL, COMPANION_UNINTERRUPTED},
    /* ---- submit and wait: buckets enough for two orders of waiting ---- */
    {"async-w1", "W1/r2/f32/async/[24x40,17;20x30]/seed=380", "PSGD-ASY-001", 0, OTHER, FULL, COMPANION_BLOCKING},
    {"async-w2", "W2/r2/f32/async/[24x40,17]/seed=381", "PSGD-ASY-001", 0, OTHER, FULL, COMPANION_BLOCKING},
    {"async-w3", "W3/r2/f32/ef,ws,async/[24x40,17;20x30;17,5;30x20,5]/grad=power/seed=382", "PSGD-ASY-001", 0, OTHER, QUICK, COMPANION_BLOCKING},
    {"async-same-shapes", "W2/r2/s3/i9/f32/ef,ws,async/[24x40;24x40;24x40]/seed=383", "PSGD-ASY-001 PSGD-ITR-002 PSGD-EF-004", 0, OTHER, QUICK, COMPANION_BLOCKING},
    {"async-r4-f64", "W3/r4/f64/ef,ws,async/[30x40,9;24x40]/grad=decay:0.8/seed=384", "PSGD-ASY-001", 0, OTHER, FULL, COMPANION_BLOCKING},
    {"async-cold-batched", "W2/r2/s0/f32/bs,async/[24x40,24x40;24x40,17]/seed=385", "PSGD-ASY-001", 0, OTHER, FULL, COMPANION_BLOCKING},
    {"async-checkpoint", "W2/r2/i7/f32/ef,ws,async/[24x40;20x30,17]/ckpt=3/seed=386", "PSGD-CKP-001", 0, OTHER, FULL, COMPANION_UNINTERRUPTED},
    /* ---- large worlds ---- */
    {"core-w16", "W16/r2/i6/f32/[24x40,17]/seed=290", "PSGD-AGG-001 PSGD-AGG-002 PSGD-AGG-003 PSGD-EF-001", 0, OTHER, FULL, COMPANION_NONE},
    {"core-w16-r4", "W16/r4/i6/f32/[24x40,17;30x24]/grad=power/seed=291", "PSGD-AGG-001 PSGD-AGG-002 PSGD-EF-001 PSGD-WRM-001", 0, OTHER, FULL, COMPANION_NONE},
    {"core-w16-f64", "W16/r3/i6/f64/[24x40,17]/grad=decay:0.8/seed=292", "PSGD-AGG-001 PSGD-AGG-002 PSGD-EF-001", 0, OTHER, FULL, COMPANION_NONE},
    {"core-w16-ints", "W16/r2/i4/f32/[24x40,17]/grad=ints/seed=293", "PSGD-ITR-001 PSGD-AGG-003", 0, OTHER, QUICK, COMPANION_NONE},
    {"async-w16", "W16/r2/i5/f32/ef,ws,async/[24x40;20x30,17]/seed=294", "PSGD-ASY-001 PSGD-AGG-001", 0, OTHER, FULL, COMPANION_BLOCKING},
    {"core-w64", "W64/r2/i5/f32/[24x40,17]/seed=295", "PSGD-AGG-001 PSGD-AGG-002 PSGD-AGG-003 PSGD-EF-001", 0, OTHER, FULL, COMPANION_NONE},
    {"core-w64-f64", "W64/r3/i5/f64/[24x40,17]/grad=power/seed=296", "PSGD-AGG-001 PSGD-AGG-002 PSGD-EF-001", 0, OTHER, FULL, COMPANION_NONE},
    /* ---- the alternating variant ---- */
    {"alternating-w1", "W1/r2/i8/f32/ef/[24x40,17]/seed=370", "PSGD-ALT-001", ALTERNATING, OTHER, FULL, COMPANION_NONE},
    {"alternating-w3", "W3/r2/i8/f32/ef/[24x40,17]/grad=power/seed=371", "PSGD-ALT-001", ALTERNATING, OTHER, QUICK, COMPANION_NONE},
};
/* clang-format on */

const suite_table suite_claims = {cases, sizeof cases / sizeof cases[0]};
