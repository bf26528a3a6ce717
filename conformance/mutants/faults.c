/* faults.c: see faults.h. Where a fault is done, faulty_step.c and faulty.c say so at the line: fault_is(...). */
#include "mutants/faults.h"

#include <string.h>

static const fault_entry entries[FAULT_COUNT] = {
    [FAULT_NONE] = {"none", "No fault: the implementation that the others are made from.", ""},
    [FAULT_P_NOT_REDUCED] = {"p-not-reduced", "P is not summed over the ranks: each rank projects on its own gradient.",
                             "PSGD-AGG-001 PSGD-AGG-002"},
    [FAULT_Q_DIVIDED_TWICE] = {"q-divided-twice", "Q is averaged, then divided by the number of ranks again.",
                               "PSGD-AGG-002"},
    [FAULT_ERROR_FROM_RAW_GRADIENT] = {"error-from-raw-gradient",
                                       "The error is taken from the raw gradient: what was left before is forgotten.",
                                       "PSGD-EF-001 PSGD-EF-002"},
    [FAULT_ERROR_FROM_LOCAL_APPROXIMATION] =
        {"error-from-local-approximation",
         "The error is taken from this rank's own approximation, not from the result.", "PSGD-EF-002"},
    [FAULT_WARM_START_DEFEATED] = {"warm-start-defeated", "Q is drawn afresh at every step although warm start is on.",
                                   "PSGD-WRM-001"},
    [FAULT_SELECTION_NOT_STRICT] = {"selection-not-strict", "A tensor that ties with the rate is compressed: <= for <.",
                                    "PSGD-SEL-001"},
    [FAULT_ABA_SCATTERED] = {"aba-scattered",
                             "Results lie in the order of the factors and are cut up in the order of the bucket: "
                             "with shapes A,B,A the wrong tensors get them.",
                             "PSGD-SEL-007"},
    [FAULT_STARTS_LATE] = {"starts-late", "Compression starts one step after start_iter.", "PSGD-ITR-001"},
    [FAULT_EPSILON_AS_MAXIMUM] = {"epsilon-as-maximum",
                                  "Columns are divided by max(norm, epsilon), not by norm + epsilon.", "PSGD-ORT-002"},
    [FAULT_NAN] = {"nan", "Every compressed result is NaN.", "PSGD-AGG-002"},
    [FAULT_FLAT_PADDING_NOT_ZEROED] = {"flat-padding-not-zeroed",
                                       "Flattened: the padding holds what happened to be there, not zeros.",
                                       "PSGD-FLT-001"},
    [FAULT_FLAT_WRITES_PADDING] = {"flat-writes-padding",
                                   "Flattened: the result is not cut back, its padding is written behind the bucket.",
                                   "PSGD-ROB-002"},
    [FAULT_FLAT_SIDE_BY_FLOOR] = {"flat-side-by-floor",
                                  "Flattened: the side is the root of the length rounded down; the rest is lost.",
                                  "PSGD-FLT-001"},
    [FAULT_FLAT_PADDING_ERROR_DROPPED] = {"flat-padding-error-dropped",
                                          "Flattened: the error of the padding is forgotten.", "PSGD-FLT-003"},
    [FAULT_FLAT_PADDING_ERROR_NOT_ADDED] = {"flat-padding-error-not-added",
                                            "Flattened: the error of the padding is kept, but not added.",
                                            "PSGD-FLT-003"},
    [FAULT_FLAT_EPSILON_USED] = {"flat-epsilon-used", "Flattened: the configured epsilon is added to column norms.",
                                 "PSGD-FLT-002"},
    [FAULT_FLAT_RANK_CLIPPED] = {"flat-rank-clipped", "Flattened: a rank above the side is clipped to it, not refused.",
                                 "PSGD-FLT-002"},
    [FAULT_FLAT_RATE_USED] = {"flat-rate-used",
                              "Flattened: a bucket is compressed only if min_compression_rate says that it pays.",
                              "PSGD-FLT-002"},
    [FAULT_HALF_TRUNCATES] = {"half-truncates", "Half types are rounded towards zero, not to nearest.", "PSGD-EF-002"},
    [FAULT_HALF_ERROR_IN_BF16] = {"half-error-in-bf16", "The error of an f16 bucket is kept with bf16's 8 digits.",
                                  "PSGD-EF-001 PSGD-EF-002"},
    [FAULT_HALF_SUMS_IN_HALF] = {"half-sums-in-half",
                                 "Products of matrices are summed in the half type, rounded at each addition.",
                                 "PSGD-AGG-002"},
    [FAULT_HALF_FLUSHES_DENORMALS] = {"half-flushes-denormals", "Numbers below the normal range of f16 become zero.",
                                      "PSGD-EF-001 PSGD-EF-002"},
    [FAULT_HALF_QR] = {"half-qr", "Half types are orthogonalised by Householder QR from r = 3 on.", "PSGD-ORT-002"},
    [FAULT_HALF_SATURATES] = {"half-saturates", "Infinity becomes the largest number of a half type.", "PSGD-NUM-001"},
    [HONEST_WIDE_FACTORS] = {"half-wide-factors", "P and Q of half types are kept and summed in f32.", ""},
    [HONEST_FLOAT_SUMS] = {"float-sums", "Products of matrices are summed in f32.", ""},
};

const fault_entry *fault_entry_of(fault f)
{
    return f < FAULT_COUNT ? &entries[f] : NULL;
}

bool fault_find(fault *f, const char *name)
{
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        if (strcmp(entries[i].name, name) == 0) {
            *f = (fault)i;
            return true;
        }
    }
    return false;
}
