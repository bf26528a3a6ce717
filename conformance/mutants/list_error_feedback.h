/* list_error_feedback.h: the error feedback memory. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_ERROR_FEEDBACK_H
#define CONFORMANCE_MUTANTS_LIST_ERROR_FEEDBACK_H

#define FAULTS_ERROR_FEEDBACK(X)                                                                                       \
    X(FAULT_ERROR_FROM_RAW_GRADIENT, "error-from-raw-gradient", "PSGD-EF-001 PSGD-EF-002", ALL_CLAIMS,                 \
      "The error is taken from the raw gradient: what was left before is forgotten.")                                  \
    X(FAULT_ERROR_FROM_LOCAL_APPROXIMATION, "error-from-local-approximation", "PSGD-EF-002", ALL_CLAIMS,               \
      "The error is taken from this rank's own approximation, not from the result.")

#endif
