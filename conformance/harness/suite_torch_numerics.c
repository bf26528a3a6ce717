/* suite_torch_numerics.c: cases that only the hook's rules decide, with golden results: spectra, degenerate and extreme
 * matrices, non-finite values, statistics, checkpoints. */
#include "harness/suite_tables.h"

/* clang-format off */
static const suite_case cases[] = {
    /* ---- the hook: spectra ---- */
    {"torch-flat", "W2/r2/f32/[16x24]/grad=flat/seed=80", "PSGD-ORT-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-gap", "W3/r2/f32/[16x24]/grad=gap/seed=81", "PSGD-ORT-002 PSGD-WRM-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-gap-const", "W2/r3/i12/f64/ws/[16x24]/grad=gap/const/seed=82", "PSGD-AGG-009 PSGD-WRM-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-deficient-r2", "W2/r2/f32/[16x24]/grad=deficient:1/seed=83", "PSGD-ORT-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-deficient-r4", "W2/r4/f32/[16x24]/grad=deficient:2/seed=84", "PSGD-ORT-003", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-rank-r2", "W2/r2/f32/[16x24]/grad=rank:2/seed=85", "PSGD-AGG-005", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-rank-below-r4", "W3/r4/f32/[16x24]/grad=rank:2/seed=86", "PSGD-AGG-005 PSGD-ORT-003", TORCH, GOLDEN, QUICK, COMPANION_NONE},
    {"torch-rank-below-r3-f64", "W2/r3/f64/ef/[16x24]/grad=rank:1/seed=87", "PSGD-AGG-005 PSGD-ORT-003", TORCH, GOLDEN, FULL, COMPANION_NONE},
    /* ---- the hook: zeros, duplicates, extremes, non-finite values ---- */
    {"torch-zero-eps", "W2/r2/f32/eps1e-8/[16x24,24]/grad=zero/seed=90", "PSGD-ORT-005", TORCH, GOLDEN, QUICK, COMPANION_NONE},
    {"torch-zero", "W2/r2/f32/[16x24,16x24,24]/grad=zero|gauss/seed=91", "PSGD-ORT-005", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-zero-r3", "W2/r3/f32/[16x24,24]/grad=zero/seed=92", "PSGD-ORT-003 PSGD-ORT-005", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-dead-r2", "W2/r2/f32/eps1e-8/[16x24,16x24]/grad=dead|gauss/seed=93", "PSGD-NUM-004", TORCH, GOLDEN, QUICK, COMPANION_NONE},
    {"torch-dead-no-ef", "W2/r1/f64/ws/eps1e-8/[16x24]/grad=dead/seed=94", "PSGD-NUM-004", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-dead-r3", "W2/r3/f32/eps1e-8/[16x24]/grad=dead/seed=95", "PSGD-NUM-004", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-dead-cold", "W2/r2/f32/ef/eps1e-8/[16x24]/grad=dead/seed=96", "PSGD-NUM-004", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-onerow-eps", "W2/r2/f32/eps1e-8/[16x24]/grad=onerow/seed=97", "PSGD-NUM-004 PSGD-ORT-005", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-onerow-r4", "W2/r4/f32/[16x24]/grad=onerow/seed=98", "PSGD-ORT-003 PSGD-ORT-005", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-zerocol", "W2/r2/f32/[16x24]/grad=zerocol/seed=99", "PSGD-ORT-005", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-dupcol", "W2/r4/f32/[16x24]/grad=dupcol/seed=100", "PSGD-ORT-005", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-nan", "W2/r2/f32/[16x24,16x24,7]/grad=gauss|nan@5|gauss/seed=101", "PSGD-NUM-001", TORCH, GOLDEN, QUICK, COMPANION_CLEAN},
    {"torch-nan-no-memory", "W2/r2/s0/i4/f32/-/[16x24,7]/grad=nan@5|gauss/seed=102", "PSGD-NUM-001", TORCH, GOLDEN, FULL, COMPANION_CLEAN},
    {"torch-nan-batched", "W2/r3/f32/ef,ws,bs/[16x24,16x24,7]/grad=nan@50|gauss/seed=103", "PSGD-NUM-001 PSGD-BAT-001", TORCH, GOLDEN, FULL, COMPANION_CLEAN},
    {"torch-inf", "W2/r1/f64/[16x24,16x24]/grad=inf@100|gauss/seed=104", "PSGD-NUM-001", TORCH, GOLDEN, FULL, COMPANION_CLEAN},
    {"torch-huge", "W2/r2/f32/[16x24,24]/grad=huge/seed=105", "PSGD-NUM-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-tiny", "W2/r2/f32/[16x24,24]/grad=tiny/seed=106", "PSGD-NUM-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-huge-f64", "W2/r1/f64/[16x24,24]/grad=huge/seed=107", "PSGD-NUM-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-extreme-r3", "W2/r3/f32/[16x24]/scale=83/seed=108", "PSGD-ORT-006", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-bits40", "W2/r2/f64/[16x24,24]/grad=bits40/seed=109", "PSGD-EF-006", TORCH, GOLDEN, FULL, COMPANION_NONE},
    /* ---- the hook: statistics, checkpoints ---- */
    {"torch-statistics-1", "W2/r2/f32/[16x24,7;12x20]/stats=1/seed=110", "PSGD-STA-001", TORCH, GOLDEN, QUICK, COMPANION_NONE},
    {"torch-statistics-3", "W2/r2/i9/f32/[16x24,7]/stats=3/seed=111", "PSGD-STA-001", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-checkpoint", "W2/r2/f32/[16x24,24]/ckpt=3/seed=112", "PSGD-CKP-001", TORCH, GOLDEN, QUICK, COMPANION_UNINTERRUPTED},
    {"torch-checkpoint-cold", "W2/r2/f64/-/[16x24;12x20]/ckpt=3/rs=5/seed=113", "PSGD-CKP-001 PSGD-RND-002", TORCH, GOLDEN, FULL, COMPANION_UNINTERRUPTED},
    {"torch-checkpoint-plain", "W2/r3/f32/[16x24,24]/ckpt=0/seed=114", "PSGD-CKP-001", TORCH, GOLDEN, FULL, COMPANION_UNINTERRUPTED},
};
/* clang-format on */

const suite_table suite_torch_numerics = {cases, sizeof cases / sizeof cases[0]};
