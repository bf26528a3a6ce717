/* suite_half_hook.c: what claim torch asks of the half types, judged by the model: cases without a golden file, since
 * which PyTorch can make one depends on the processor. Those with are in suite_torch_half.c. */
#include "harness/suite_tables.h"

/* clang-format off */
static const suite_case cases[] = {
    /* ---- rank, world, memories ---- */
    {"hook-f16-r2-w2", "W2/r2/f16/[16x24,24]/grad=gap/seed=768", "PSGD-ORT-002 PSGD-EF-002 PSGD-EF-003 PSGD-WRM-002", TORCH, OTHER, QUICK, COMPANION_NONE},
    {"hook-bf16-r2-w2", "W2/r2/bf16/[16x24,24]/grad=gap/seed=769", "PSGD-ORT-002 PSGD-EF-002 PSGD-EF-003 PSGD-WRM-002", TORCH, OTHER, QUICK, COMPANION_NONE},
    {"hook-f16-r4-w3", "W3/r4/f16/[24x40,17]/grad=flat/seed=770", "PSGD-ORT-002 PSGD-EF-002 PSGD-WRM-002", TORCH, OTHER, QUICK, COMPANION_NONE},
    {"hook-bf16-r4-w3", "W3/r4/bf16/[24x40,17]/grad=flat/seed=771", "PSGD-ORT-002 PSGD-EF-002 PSGD-WRM-002", TORCH, OTHER, QUICK, COMPANION_NONE},
    {"hook-f16-denormal", "W2/r1/f16/[16x24,24]/grad=ints/scale=-20/seed=772", "PSGD-EF-002 PSGD-EF-003", TORCH, OTHER, QUICK, COMPANION_NONE},
    {"hook-f16-eps", "W2/r2/f16/eps1e-1rel/[16x24,24]/grad=gap/seed=773", "PSGD-ORT-002 PSGD-ORT-004 PSGD-CFG-004", TORCH, OTHER, FULL, COMPANION_NONE},
    {"hook-bf16-eps", "W2/r2/bf16/eps1e-1rel/[16x24,24]/grad=gap/seed=774", "PSGD-ORT-002 PSGD-ORT-004 PSGD-CFG-004", TORCH, OTHER, FULL, COMPANION_NONE},
    {"hook-f16-dead", "W2/r2/f16/eps1e-3/[16x24,16x24]/grad=dead|gap/seed=775", "PSGD-NUM-004", TORCH, OTHER, FULL, COMPANION_NONE},
    {"hook-bf16-dead", "W2/r2/bf16/eps1e-3/[16x24,16x24]/grad=dead|gap/seed=776", "PSGD-NUM-004", TORCH, OTHER, FULL, COMPANION_NONE},
    {"hook-f16-statistics", "W2/r2/f16/[16x24,7;12x20]/stats=1/grad=gap/seed=777", "PSGD-STA-001", TORCH, OTHER, FULL, COMPANION_NONE},
    {"hook-bf16-statistics", "W2/r2/bf16/[16x24,7;12x20]/stats=1/grad=gap/seed=778", "PSGD-STA-001", TORCH, OTHER, FULL, COMPANION_NONE},
    /* ---- selection, groups of one shape ---- */
    {"hook-f16-tie", "W2/r1/f16/[4x4,5x4,4x5,3x6,6x3]/grad=gap/seed=779", "PSGD-SEL-001", TORCH, OTHER, FULL, COMPANION_NONE},
    {"hook-bf16-tie", "W2/r1/bf16/[4x4,5x4,4x5,3x6,6x3]/grad=gap/seed=780", "PSGD-SEL-001", TORCH, OTHER, FULL, COMPANION_NONE},
    {"hook-f16-clipped-rank", "W2/r5/f16/rate0.5/[3x20,20x3,5x20,4x4]/grad=gap/seed=781", "PSGD-SEL-002", TORCH, OTHER, FULL, COMPANION_NONE},
    {"hook-bf16-clipped-rank", "W2/r5/bf16/rate0.5/[3x20,20x3,5x20,4x4]/grad=gap/seed=782", "PSGD-SEL-002", TORCH, OTHER, FULL, COMPANION_NONE},
    {"hook-f16-many-dimensions", "W2/r2/f16/rate1/[3x2x5,4x3x2x5,6x20,9]/grad=gap/seed=783", "PSGD-SEL-003", TORCH, OTHER, FULL, COMPANION_NONE},
    {"hook-bf16-many-dimensions", "W2/r2/bf16/rate1/[3x2x5,4x3x2x5,6x20,9]/grad=gap/seed=784", "PSGD-SEL-003", TORCH, OTHER, FULL, COMPANION_NONE},
    {"hook-f16-rate-half", "W2/r1/f16/rate0.5/[1,2,5,4x4,2x3x4]/grad=gap/seed=785", "PSGD-SEL-003 PSGD-SEL-004", TORCH, OTHER, FULL, COMPANION_NONE},
    {"hook-bf16-rate-half", "W2/r1/bf16/rate0.5/[1,2,5,4x4,2x3x4]/grad=gap/seed=786", "PSGD-SEL-003 PSGD-SEL-004", TORCH, OTHER, FULL, COMPANION_NONE},
    {"hook-f16-aba", "W2/r2/f16/ef/[16x24,20x14,16x24]/grad=gap/seed=787", "PSGD-SEL-007", TORCH, OTHER, FULL, COMPANION_NONE},
    {"hook-bf16-aba", "W2/r2/bf16/ef/[16x24,20x14,16x24]/grad=gap/seed=788", "PSGD-SEL-007", TORCH, OTHER, FULL, COMPANION_NONE},
    {"hook-f16-batched", "W2/r2/f16/ef,ws,bs/[16x24,20x14,16x24]/grad=gap/seed=789", "PSGD-BAT-001 PSGD-SEL-007", TORCH, OTHER, FULL, COMPANION_NONE},
    {"hook-bf16-batched", "W2/r2/bf16/ef,ws,bs/[16x24,20x14,16x24]/grad=gap/seed=790", "PSGD-BAT-001 PSGD-SEL-007", TORCH, OTHER, FULL, COMPANION_NONE},
};
/* clang-format on */

const suite_table suite_half_hook = {cases, sizeof cases / sizeof cases[0]};
