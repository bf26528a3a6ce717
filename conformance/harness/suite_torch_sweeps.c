/* suite_torch_sweeps.c: more cases that only the hook's rules decide, with golden results: sweeps over one setting
 * each, on small matrices, and configurations that the other tables have in f32 alone, or not together. What a group
 * finds that no other does is said above it. */
#include "harness/suite_tables.h"

/* clang-format off */
static const suite_case cases[] = {
    /* ---- recordings: real spectra, far from any generator's; 23 tensors in one bucket, four of one shape ---- */
    {"torch-recording-transformer", "W3/r2/f32/rec:digits-transformer", "PSGD-SEL-007 PSGD-EF-002 PSGD-WRM-002", TORCH, GOLDEN, QUICK, COMPANION_NONE},
    {"torch-recording-r4", "W3/r4/i4/f32/ws/rec:digits-cnn", "PSGD-SEL-003 PSGD-ORT-003", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-recording-f64", "W3/r1/i4/f64/ws/rec:digits-cnn", "PSGD-SEL-003 PSGD-EF-006", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-recording-transformer-batched", "W3/r2/i4/f32/ws,bs/rec:digits-transformer", "PSGD-BAT-001 PSGD-SEL-007 PSGD-RND-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-recording-transformer-eps", "W3/r1/i4/f32/ws/eps1e-2rel/rec:digits-transformer", "PSGD-ORT-002 PSGD-ORT-004", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-recording-flat", "W3/r2/i4/f32/ws,flat/rec:digits-cnn", "PSGD-FLT-001 PSGD-RND-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    /* ---- f64 where the other tables have f32: a port that narrows one path to f32 is found in that path alone ---- */
    {"torch-f64-selection", "W2/r3/f64/rate0.5/[1,2,5,4x4,3x7,2x3x4]/seed=401", "PSGD-SEL-002 PSGD-SEL-003 PSGD-SEL-004", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-f64-aba", "W2/r2/i4/f64/ef/rate1/[9x11,6x8,9x11]/seed=402", "PSGD-SEL-007 PSGD-RND-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-f64-subgroup", "W2of3/group=0,2/r1/i5/f64/[10x14,3]/grad=power/seed=403", "PSGD-AGG-006", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-f64-deficient", "W2/r2/i5/f64/[10x14]/grad=deficient:1/seed=404", "PSGD-ORT-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-f64-degenerate-r3", "W2/r3/i4/f64/rate1/[7x9,7x9,7x9]/grad=zero|dupcol|onerow/seed=405", "PSGD-ORT-003 PSGD-ORT-005", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-f64-dead", "W2/r2/i5/f64/eps1e-12/[9x11,9x11]/grad=dead|gauss/seed=406", "PSGD-NUM-004", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-f64-nan", "W2/r2/i5/f64/ws/[9x11,9x11,3]/grad=nan@5|gauss/seed=407", "PSGD-NUM-001", TORCH, GOLDEN, FULL, COMPANION_CLEAN},
    {"torch-f64-tiny", "W2/r2/i5/f64/[10x14,3]/grad=tiny/seed=408", "PSGD-NUM-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-f64-statistics", "W2/r1/i6/f64/[9x11,5;5x7]/stats=2/seed=409", "PSGD-STA-001", TORCH, GOLDEN, FULL, COMPANION_NONE},
    /* ---- epsilon from below rounding to above the norms, absolute (a least value, a value times the norm) and relative;
     * P is summed, never averaged, before epsilon meets its norms: visible with W; from r' = 3 on nothing is added ---- */
    {"torch-eps-1e-12-r1-f64", "W1/r1/f64/eps1e-12/[10x14,3]/grad=power/seed=420", "PSGD-ORT-002 PSGD-CFG-004", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-eps-1e-12-scaled", "W2/r2/f32/eps1e-12/[10x14,3]/scale=-40/seed=421", "PSGD-ORT-002 PSGD-CFG-004", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-eps-1e-12-scales", "W2/r1/f32/ef/eps1e-12/[10x14,10x14]/grad=tiny|gauss/seed=422", "PSGD-ORT-002 PSGD-ORT-004", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-eps-1e-5-r2", "W2/r2/f32/ws/eps1e-5/[10x14,3]/seed=423", "PSGD-ORT-002 PSGD-ORT-004", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-eps-1e-3-r2-f64", "W2/r2/i5/f64/eps1e-3/[10x14,3]/grad=decay:0.7/seed=424", "PSGD-ORT-002 PSGD-ORT-004", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-eps-1-r1", "W4/r1/i5/f32/eps1/[10x14,3]/seed=425", "PSGD-ORT-002 PSGD-ORT-004", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-eps-1-r2-cold", "W3/r2/s0/i3/f64/-/eps1/[10x14,3]/seed=426", "PSGD-ORT-002 PSGD-ORT-004", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-eps-1rel-r2", "W4/r2/i5/f32/ef/eps1rel/[10x14,3]/grad=power/seed=427", "PSGD-ORT-002 PSGD-ORT-004", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-eps-batched", "W2/r2/i5/f32/ef,ws,bs/eps1e-1/[10x14,10x14]/grad=gauss|tiny/seed=429", "PSGD-ORT-002 PSGD-BAT-001", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-eps-1-r3", "W2/r3/f32/rate1/eps1/[10x14,3]/seed=430", "PSGD-ORT-001 PSGD-ORT-003", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-eps-1-r4-f64", "W1/r4/i5/f64/rate0.5/eps1/[10x14,2x14,14x1]/seed=431", "PSGD-ORT-002 PSGD-ORT-003", TORCH, GOLDEN, FULL, COMPANION_NONE},
    /* ---- ranks of other scales and spectra: whoever weighs ranks by their own norms, or orthogonalises before the sum,
     * is near the mean where ranks are alike ---- */
    {"torch-uneven-r1", "W4/r1/i5/f32/[10x14,3]/grad=uneven/seed=440", "PSGD-ORT-002 PSGD-EF-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-uneven-r2-f64", "W4/r2/i4/f64/[9x11]/grad=uneven/seed=441", "PSGD-ORT-002 PSGD-EF-002 PSGD-WRM-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-uneven-r3-cold", "W4/r3/i5/f32/rate1/ef/[10x14,3]/grad=uneven/seed=442", "PSGD-ORT-003 PSGD-EF-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-uneven-batched", "W3/r2/i5/f32/ef,ws,bs/[9x11,9x11]/grad=uneven|gauss/seed=443", "PSGD-BAT-001 PSGD-EF-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    /* ---- draws just below, at and above 16 normals (where the generator changes its way) and 32, in every order, over
     * many tensors, batches and seeds; each step draws anew ---- */
    {"torch-draws-r1", "W1/r1/s0/i3/f32/rate1/-/[3x15,3x16,3x17,3x31,3x32,3x33]/rs=7/seed=450", "PSGD-RND-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-draws-r1-f64", "W1/r1/s0/i2/f64/rate1/-/[3x33,3x17,3x15,3x32,3x16,3x31]/rs=123456/seed=451", "PSGD-RND-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-draws-r3", "W2/r3/s0/i3/f32/rate0/-/[3x5,3x11,3x16,3x6,5x1,4x10]/rs=2147483648/seed=452", "PSGD-RND-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-draws-batched", "W1/r1/s0/i3/f32/rate1/bs/[3x5,3x11,3x5,3x8,3x11,3x5,3x11,3x8]/rs=2026/seed=453", "PSGD-RND-002 PSGD-BAT-001", TORCH, GOLDEN, QUICK, COMPANION_NONE},
    {"torch-draws-batched-f64", "W1/r3/s0/i3/f64/rate0/bs/[3x5,3x7,3x7,3x5,3x5,3x11]/rs=3/seed=454", "PSGD-RND-002 PSGD-BAT-001", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-draws-many-seeds", "W1/r1/s0/i24/f64/rate1/-/[3x5;4x3]/rs=99/seed=455", "PSGD-RND-002 PSGD-ITR-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    /* ---- a NaN in one member of a batch, without error feedback: it stays in its member ---- */
    {"torch-nan-batched-r1", "W2/r1/i5/f32/ws,bs/[10x14,10x14,3]/grad=nan@50|gauss/seed=460", "PSGD-NUM-001 PSGD-BAT-001", TORCH, GOLDEN, FULL, COMPANION_CLEAN},
    {"torch-nan-batched-r2", "W2/r2/s0/i4/f32/bs/[10x14,10x14,3]/grad=gauss|nan@50|gauss/seed=461", "PSGD-NUM-001 PSGD-BAT-001", TORCH, GOLDEN, FULL, COMPANION_CLEAN},
    {"torch-nan-batched-r3", "W2/r3/i5/f32/rate1/ws,bs/[10x14,10x14,3]/grad=nan@50|gauss/seed=462", "PSGD-NUM-001 PSGD-BAT-001", TORCH, GOLDEN, FULL, COMPANION_CLEAN},
    /* ---- checkpoints: what must be saved differs with each memory; the first table has both memories, and none ---- */
    {"torch-checkpoint-ef", "W2/r2/i5/f32/ef/[10x14,3;9x11]/ckpt=2/rs=11/seed=470", "PSGD-CKP-001 PSGD-RND-002", TORCH, GOLDEN, FULL, COMPANION_UNINTERRUPTED},
    {"torch-checkpoint-ws", "W2/r3/i5/f64/rate1/ws/[9x11,3;5x7]/ckpt=3/seed=471", "PSGD-CKP-001 PSGD-WRM-002", TORCH, GOLDEN, FULL, COMPANION_UNINTERRUPTED},
    {"torch-checkpoint-bs", "W1/r2/s0/i4/f32/bs/[10x14,10x14,3]/ckpt=1/rs=12/seed=472", "PSGD-CKP-001 PSGD-BAT-001", TORCH, GOLDEN, FULL, COMPANION_UNINTERRUPTED},
    {"torch-checkpoint-ef-bs", "W2/r1/i5/f32/ef,bs/[9x11,9x11;5x7]/ckpt=3/rs=13/seed=473", "PSGD-CKP-001 PSGD-BAT-001", TORCH, GOLDEN, FULL, COMPANION_UNINTERRUPTED},
    {"torch-checkpoint-all", "W3/r2/i4/f64/ef,ws,bs/[5x7;7x9,7x9]/rate1/ckpt=2/seed=474", "PSGD-CKP-001 PSGD-BAT-001 PSGD-ITR-002", TORCH, GOLDEN, FULL, COMPANION_UNINTERRUPTED},
    {"torch-checkpoint-eps", "W2/r2/i5/f32/eps1e-1/[10x14,3]/ckpt=3/seed=475", "PSGD-CKP-001 PSGD-ORT-004", TORCH, GOLDEN, FULL, COMPANION_UNINTERRUPTED},
    {"torch-checkpoint-statistics", "W2/r2/i8/f32/rate1/ws/[5x7,3;5;9x11]/stats=3/ckpt=4/seed=476", "PSGD-CKP-001 PSGD-STA-001 PSGD-ITR-002", TORCH, GOLDEN, FULL, COMPANION_UNINTERRUPTED},
    {"torch-checkpoint-before", "W2/r1/i5/f32/[10x14;3;9x11]/ckpt=1/rs=14/seed=477", "PSGD-CKP-001 PSGD-ITR-001 PSGD-RND-002", TORCH, GOLDEN, FULL, COMPANION_UNINTERRUPTED},
    /* ---- 24 or 30 steps: what is off by a little at each, and what drifts, in each world ---- */
    {"torch-long-f64-w1", "W1/r2/i30/f64/rate1/[5x7]/grad=power/seed=480", "PSGD-EF-002 PSGD-EF-005 PSGD-WRM-002", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-long-f64-w2", "W2/r1/i30/f64/rate1/ws/[4x6]/grad=decay:0.7/seed=481", "PSGD-WRM-002 PSGD-EF-007", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-long-w3", "W3/r3/i24/f32/rate0.5/ef/[4x6]/seed=482", "PSGD-EF-005 PSGD-RND-002 PSGD-ORT-003", TORCH, GOLDEN, FULL, COMPANION_NONE},
    {"torch-long-f64-w4", "W4/r1/i30/f64/rate1/ws/[3x5]/grad=uneven/seed=483", "PSGD-WRM-002 PSGD-AGG-001", TORCH, GOLDEN, FULL, COMPANION_NONE},
};
/* clang-format on */

const suite_table suite_torch_sweeps = {cases, sizeof cases / sizeof cases[0]};
