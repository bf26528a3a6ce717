/* faults.h: the faults of the deliberately faulty implementation, by name. Each is a mistake that ports have made; each
 * must be found by a requirement that it breaks. */
#ifndef CONFORMANCE_MUTANTS_FAULTS_H
#define CONFORMANCE_MUTANTS_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum fault {
    FAULT_NONE, /* no fault: the same code must conform */
    FAULT_P_NOT_REDUCED,
    FAULT_Q_DIVIDED_TWICE,
    FAULT_ERROR_FROM_RAW_GRADIENT,
    FAULT_ERROR_FROM_LOCAL_APPROXIMATION,
    FAULT_WARM_START_DEFEATED,
    FAULT_SELECTION_NOT_STRICT,
    FAULT_ABA_SCATTERED,
    FAULT_STARTS_LATE,
    FAULT_EPSILON_AS_MAXIMUM,
    FAULT_NAN,
    FAULT_FLAT_PADDING_NOT_ZEROED,
    FAULT_FLAT_WRITES_PADDING,
    FAULT_FLAT_SIDE_BY_FLOOR,
    FAULT_FLAT_PADDING_ERROR_DROPPED,
    FAULT_FLAT_PADDING_ERROR_NOT_ADDED,
    FAULT_FLAT_EPSILON_USED,
    FAULT_FLAT_RANK_CLIPPED,
    FAULT_FLAT_RATE_USED,
    FAULT_HALF_TRUNCATES,
    FAULT_HALF_ERROR_IN_BF16,
    FAULT_HALF_SUMS_IN_HALF,
    FAULT_HALF_FLUSHES_DENORMALS,
    FAULT_HALF_QR,
    FAULT_HALF_SATURATES,
    HONEST_WIDE_FACTORS, /* honest variants are no faults: they must conform */
    HONEST_FLOAT_SUMS,
    FAULT_COUNT
} fault;

typedef struct fault_entry {
    const char *name;
    const char *what;         /* one sentence */
    const char *requirements; /* space-separated: at least one of them must fail; "": it is right and conforms */
} fault_entry;

const fault_entry *fault_entry_of(fault f);  /* null beyond the last */
bool fault_find(fault *f, const char *name); /* false: no such fault */

#endif
