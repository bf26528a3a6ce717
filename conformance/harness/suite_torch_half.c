/* suite_torch_half.c: cases of the half types whose golden results are those of PyTorch's hook in f16 and bf16. Q is
 * the case's own: how PyTorch draws in half types has changed between versions. Spectra are flat, or values small
 * integers, since in half types little else is determined: see suite_half.c for what any port is held to. */
#include "harness/suite_tables.h"

/* clang-format off */
static const suite_case cases[] = {
    /* ---- the hook: rank and world, memories ---- */
    {"torch-f16-r1-w1", "W1/r1/f16/[16x24,24]/grad=flat|ints/seed=600", "PSGD-ORT-002 PSGD-EF-002 PSGD-EF-003 PSGD-WRM-002", TORCH, GOLDEN, QUICK, COMPANION_NONE},
    {"torch-f16-r2-w2", "W2/r2/f16/[16x24,24]/grad=ints/seed=601", "PSGD-ORT-002 PSGD-EF-002 PSGD-EF-003 PSGD-WRM-002", TORCH, GOLDEN, QUICK, COMPANION_NONE},
    {"torch-f16-r3-w3", "W3/r3/f16/[16x24,24]/grad=flat|ints/seed=602", "PSGD-ORT-002 PSGD-EF-002 PSGD-EF-003 PSGD-WRM-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-f16-neither-w4", "W4/r2/f16/-/[16x24,24]/grad=flat|ints/seed=603", "PSGD-WRM-003 PSGD-EF-007", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-bf16-r1-w2", "W2/r1/bf16/[16x24,24]/grad=ints/seed=604", "PSGD-ORT-002 PSGD-EF-002 PSGD-EF-003 PSGD-WRM-002", TORCH, GOLDEN, QUICK, COMPANION_NONE},
    {"torch-bf16-r4-w2", "W2/r4/bf16/[16x24,24]/grad=flat|ints/seed=605", "PSGD-ORT-002 PSGD-EF-002 PSGD-WRM-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-bf16-ef-only-w3", "W3/r2/bf16/ef/[16x24,24]/grad=flat|ints/seed=606", "PSGD-WRM-003 PSGD-EF-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-bf16-ws-scaled-w4", "W4/r2/bf16/ws/[16x24,24]/grad=flat|ints/scale=20/seed=607", "PSGD-WRM-002 PSGD-EF-007", TORCH, GOLDEN, FULL, COMPANION_NONE},
    /* ---- the hook: epsilon, batching, buckets and statistics ---- */
    {"torch-f16-eps", "W2/r2/f16/eps1e-1rel/[16x24]/grad=flat/seed=610", "PSGD-ORT-002 PSGD-ORT-004", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-f16-batched", "W2/r1/f16/ef,ws,bs/[16x24,7,16x24]/grad=flat|ints|flat/seed=611", "PSGD-BAT-001 PSGD-SEL-007", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-f16-buckets", "W2/r1/f16/[16x24,7;12x20]/grad=flat|ints|flat/stats=1/seed=612", "PSGD-STA-001 PSGD-EF-004", TORCH, GOLDEN, QUICK, COMPANION_NONE},
    /* ---- the hook: non-finite values, checkpoint ---- */
    {"torch-bf16-nan", "W2/r1/bf16/[16x24,16x24,7]/grad=flat|nan@5|ints/seed=620", "PSGD-NUM-001", TORCH, GOLDEN, QUICK, COMPANION_CLEAN},
    {"torch-bf16-checkpoint", "W2/r2/bf16/[16x24,24]/grad=flat|ints/ckpt=3/seed=621", "PSGD-CKP-001", TORCH, GOLDEN, FULL, COMPANION_UNINTERRUPTED},
    /* ---- the hook's flattened variant ---- */
    {"torch-f16-flattened", "W2/r2/f16/ef,ws,flat/[12x15,17]/grad=ints/seed=630", "PSGD-FLT-001 PSGD-FLT-003", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-bf16-flattened", "W3/r1/bf16/ef,ws,flat/[12x15,17]/grad=ints/seed=631", "PSGD-FLT-001 PSGD-FLT-003", TORCH, GOLDEN, FULL, COMPANION_NONE},
};
/* clang-format on */

const suite_table suite_torch_half = {cases, sizeof cases / sizeof cases[0]};
