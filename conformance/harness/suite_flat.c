/* suite_flat.c: cases of the flattened variant: lengths with no padding, a little and much, ranks up to the square's
 * side, what is ignored there. Names ending in the padding, p, say how much. */
#include "harness/suite_tables.h"

/* clang-format off */
static const suite_case cases[] = {
    /* ---- any port ---- */
    {"flat-r1-w2", "W2/r1/f32/ef,ws,flat/[24x40,17]/seed=350", "PSGD-FLT-001 PSGD-FLT-003 PSGD-EF-001 PSGD-AGG-001", 0, OTHER, QUICK, COMPANION_NONE},
    {"flat-r3-w3", "W3/r3/f32/ef,ws,flat/[24x40,17;9x9]/grad=power/seed=351", "PSGD-FLT-001 PSGD-FLT-003 PSGD-ITR-002", 0, OTHER, FULL, COMPANION_NONE},
    {"flat-no-padding", "W1/r2/f64/ws,flat/[10x10]/eps1e-2/seed=352", "PSGD-FLT-002 PSGD-FLT-001", 0, OTHER, QUICK, COMPANION_NONE},
    {"flat-r2-w1", "W1/r2/f32/ef,ws,flat/[24x30,12]/grad=power/seed=353", "PSGD-FLT-001 PSGD-FLT-003 PSGD-AGG-002 PSGD-AGG-004", 0, OTHER, FULL, COMPANION_NONE},
    {"flat-r4-w4-f64", "W4/r4/f64/ef,ws,flat/[12x20,5]/grad=decay:0.8/seed=354", "PSGD-FLT-001 PSGD-FLT-003 PSGD-EF-001", 0, OTHER, FULL, COMPANION_NONE},
    {"flat-prime-length", "W2/r2/f32/ef,ws,flat/[101]/seed=355", "PSGD-FLT-001 PSGD-FLT-003", 0, OTHER, QUICK, COMPANION_NONE},
    {"flat-one-element", "W2/r1/f32/ef,ws,flat/[1]/seed=356", "PSGD-FLT-001", 0, OTHER, FULL, COMPANION_NONE},
    {"flat-neither", "W3/r2/f32/flat/[13x7,3]/seed=357", "PSGD-FLT-001 PSGD-EF-007 PSGD-WRM-003", 0, OTHER, FULL, COMPANION_NONE},
    {"flat-ef-only", "W2/r2/f32/ef,flat/[13x7,3;50]/seed=358", "PSGD-FLT-001 PSGD-FLT-003 PSGD-WRM-003", 0, OTHER, QUICK, COMPANION_NONE},
    {"flat-ws-only", "W2/r3/f32/ws,flat/[13x7,8]/seed=359", "PSGD-FLT-001 PSGD-WRM-001 PSGD-EF-007", 0, OTHER, FULL, COMPANION_NONE},
    {"flat-start0", "W2/r1/s0/i3/f32/flat/[13x7]/seed=380", "PSGD-FLT-001 PSGD-ITR-001", 0, OTHER, FULL, COMPANION_NONE},
    {"flat-rate-ignored", "W2/r2/f32/rate1000/ef,ws,flat/[13x7]/seed=381", "PSGD-FLT-002", 0, OTHER, QUICK, COMPANION_NONE},
    {"flat-eps-ignored", "W2/r2/f32/eps1e-1rel/ef,ws,flat/[13x7]/seed=382", "PSGD-FLT-002", 0, OTHER, QUICK, COMPANION_NONE},
    {"flat-rank-above-side", "W2/r8/f32/ef,ws,flat/[20x20;7x7]/seed=383", "PSGD-FLT-002", 0, OTHER, QUICK, COMPANION_NONE},
    {"flat-rank-is-side", "W2/r4/f64/ef,flat/[5x3]/seed=384", "PSGD-AGG-005 PSGD-FLT-001", 0, OTHER, FULL, COMPANION_NONE},
    {"flat-zero", "W2/r2/f32/ef,ws,flat/[13x7;9x9]/grad=zero|gauss/seed=385", "PSGD-ORT-005", 0, OTHER, FULL, COMPANION_NONE},
    {"flat-zero-eps", "W2/r1/f32/eps1e-8/ef,ws,flat/[13x7]/grad=zero/seed=386", "PSGD-ORT-005", 0, OTHER, FULL, COMPANION_NONE},
    {"flat-nan", "W2/r2/f32/ef,ws,flat/[13x7,5;9x9]/grad=nan@77|gauss/seed=387", "PSGD-NUM-001", 0, OTHER, FULL, COMPANION_CLEAN},
    {"flat-scale-m30", "W2/r2/f32/ef,ws,flat/[13x7,5]/scale=-30/seed=388", "PSGD-AGG-008", 0, OTHER, FULL, COMPANION_UNSCALED},
    {"flat-scale-16-r3", "W1/r3/f64/ef,ws,flat/[13x7,5]/scale=16/seed=389", "PSGD-AGG-008", 0, OTHER, FULL, COMPANION_UNSCALED},
    {"flat-checkpoint", "W2/r2/f32/ef,ws,flat/[13x7,3;50]/ckpt=3/seed=390", "PSGD-CKP-001", 0, OTHER, FULL, COMPANION_UNINTERRUPTED},
    {"flat-determinism", "W3/r3/f32/ef,ws,flat/[13x7,3;50]/seed=391", "PSGD-NUM-003", DETERMINISM, OTHER, FULL, COMPANION_REPEAT},
    {"flat-long-run", "W2/r1/i102/f32/ef,ws,flat/[13x7]/const/seed=392", "PSGD-EF-008 PSGD-EF-005", 0, OTHER, FULL, COMPANION_NONE},
    {"flat-converges", "W2/r2/i30/f32/ws,flat/[12x12]/grad=gap/const/seed=393", "PSGD-AGG-009 PSGD-WRM-001", 0, OTHER, FULL, COMPANION_NONE},
    {"flat-subgroup", "W2of4/group=1,3/r2/f32/ef,ws,flat/[13x7]/seed=394", "PSGD-AGG-006", 0, OTHER, FULL, COMPANION_NONE},
    {"flat-f16", "W2/r2/f16/rate1000/eps5e-1rel/ef,ws,flat/[50]/grad=ints/seed=395", "PSGD-FLT-001 PSGD-FLT-002 PSGD-FLT-003 PSGD-AGG-002", 0, OTHER, QUICK, COMPANION_NONE},
    {"flat-bf16", "W2/r2/bf16/rate1000/eps5e-1rel/ef,ws,flat/[50]/grad=ints/seed=397", "PSGD-FLT-001 PSGD-FLT-002 PSGD-FLT-003 PSGD-AGG-002", 0, OTHER, QUICK, COMPANION_NONE},
    /* ---- the hook ---- */
    {"torch-flat-r1-w2-p33", "W2/r1/f32/ef,ws,flat/[16x24,24]/grad=decay:0.7/seed=400", "PSGD-FLT-001 PSGD-FLT-003 PSGD-STA-001", TORCH, GOLDEN, QUICK, COMPANION_NONE},
    {"torch-flat-r2-w3-p20", "W3/r2/f32/ef,ws,flat/[101]/seed=401", "PSGD-FLT-001 PSGD-FLT-003 PSGD-EF-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-flat-r3-w2-buckets", "W2/r3/f32/ef,ws,flat/[16x14,9;8x8;31]/grad=power/seed=402", "PSGD-FLT-001 PSGD-FLT-003 PSGD-STA-001 PSGD-RND-002", TORCH, GOLDEN, QUICK, COMPANION_NONE},
    {"torch-flat-r8-w1", "W1/r8/f32/ef,ws,flat/[16x14]/grad=power/seed=403", "PSGD-FLT-001 PSGD-FLT-003", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-flat-r2-w4-f64", "W4/r2/f64/ef,ws,flat/[12x15,7]/grad=decay:0.8/seed=404", "PSGD-FLT-001 PSGD-FLT-003 PSGD-EF-002", TORCH, GOLDEN, QUICK, COMPANION_NONE},
    {"torch-flat-r4-w2-f64", "W2/r4/f64/ef,ws,flat/[12x12,5]/seed=405", "PSGD-FLT-001 PSGD-FLT-003 PSGD-EF-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-flat-ef-only", "W2/r2/f32/ef,flat/[13x7,3;50]/rs=7/seed=406", "PSGD-RND-002 PSGD-FLT-003 PSGD-WRM-003", TORCH, GOLDEN, QUICK, COMPANION_NONE},
    {"torch-flat-ws-only", "W3/r3/f32/ws,flat/[13x7,8]/seed=407", "PSGD-WRM-002 PSGD-FLT-001 PSGD-EF-007", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-flat-neither", "W2/r1/s0/i4/f64/flat/[13x7,3]/seed=408", "PSGD-RND-002 PSGD-FLT-001 PSGD-WRM-003", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-flat-ignores", "W2/r2/f32/rate1000/eps1e-1rel/ef,ws,bs,flat/[13x7,13x7]/seed=409", "PSGD-FLT-002 PSGD-STA-001", TORCH, GOLDEN, QUICK, COMPANION_NONE},
    {"torch-flat-one-element", "W2/r1/f32/ef,ws,flat/[1]/seed=410", "PSGD-FLT-001", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-flat-zero", "W2/r2/f32/eps1e-8/ef,ws,flat/[13x7;9x9]/grad=zero|gauss/seed=411", "PSGD-ORT-005", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-flat-nan", "W2/r3/f32/ef,ws,flat/[13x7,5;9x9]/grad=nan@77|gauss/seed=412", "PSGD-NUM-001", TORCH, GOLDEN, FULL, COMPANION_CLEAN},
    {"torch-flat-checkpoint", "W2/r2/f32/ef,ws,flat/[13x7,3;50]/ckpt=3/seed=413", "PSGD-CKP-001 PSGD-FLT-003", TORCH, GOLDEN, FULL, COMPANION_UNINTERRUPTED},
};
/* clang-format on */

const suite_table suite_flat = {cases, sizeof cases / sizeof cases[0]};
