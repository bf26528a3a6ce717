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
    FAULT_COUNT
} fault;

typedef struct fault_entry {
    const char *name;
    const char *what;         /* one sentence */
    const char *requirements; /* space-separated: at least one of them must fail */
} fault_entry;

const fault_entry *fault_entry_of(fault f);  /* null beyond the last */
bool fault_find(fault *f, const char *name); /* false: no such fault */

#endif
