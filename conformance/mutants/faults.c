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
