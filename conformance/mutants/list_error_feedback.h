/* list_error_feedback.h: the error feedback memory. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_ERROR_FEEDBACK_H
#define CONFORMANCE_MUTANTS_LIST_ERROR_FEEDBACK_H

#define FAULTS_ERROR_FEEDBACK(X)                                                                                       \
    X(FAULT_ERROR_FROM_RAW_GRADIENT, "error-from-raw-gradient", "PSGD-EF-001 PSGD-EF-002", ALL_CLAIMS,                 \
      "The error is taken from the raw gradient: what was left before is forgotten.")                                  \
    X(FAULT_ERROR_FROM_LOCAL_APPROXIMATION, "error-from-local-approximation", "PSGD-EF-002", ALL_CLAIMS,               \
      "The error is taken from this rank's own approximation, not from the result.")                                   \
    X(FAULT_ERROR_FROM_MEAN, "error-from-mean", "PSGD-EF-002", ALL_CLAIMS,                                             \
      "The error is taken from the mean of M over the ranks, not from the rank's own.")                                \
    X(FAULT_NO_ERROR_FEEDBACK, "no-error-feedback", "PSGD-EF-001 PSGD-EF-005 PSGD-EF-008", ALL_CLAIMS,                 \
      "The error is kept and never added.")                                                                            \
    X(FAULT_ERROR_SUBTRACTED, "error-subtracted", "PSGD-EF-001", ALL_CLAIMS, "The error is subtracted.")               \
    X(FAULT_ERROR_DECAYED, "error-decayed", "PSGD-EF-001 PSGD-EF-004", ALL_CLAIMS,                                     \
      "Nine tenths of the error are added.")                                                                           \
    X(FAULT_ERROR_ACCUMULATED, "error-accumulated", "PSGD-EF-001 PSGD-EF-004", ALL_CLAIMS,                             \
      "The new error is added to the old one, which M holds already.")                                                 \
    X(FAULT_ERROR_TWO_STEPS_OLD, "error-two-steps-old", "PSGD-EF-001 PSGD-EF-004", ALL_CLAIMS,                         \
      "Of two error buffers the wrong one is read: the error comes a step late.")                                      \
    X(FAULT_ERROR_CLIPPED, "error-clipped", "PSGD-EF-001 PSGD-EF-002", ALL_CLAIMS, "The error is clipped to 0.5.")     \
    X(FAULT_ERROR_IN_F32, "error-in-f32", "PSGD-EF-006", ALL_CLAIMS, "The error of an f64 bucket is kept in f32.")     \
    X(FAULT_ERROR_OF_COMPRESSED_ONLY, "error-of-compressed-only", "PSGD-EF-003", ALL_CLAIMS,                           \
      "Uncompressed tensors have no error.")                                                                           \
    X(FAULT_ERROR_TAIL_UNCOVERED, "error-tail-uncovered", "PSGD-EF-001 PSGD-EF-002", ALL_CLAIMS,                       \
      "The error is written by whole blocks of 256 elements; behind them it stays as it was.")                         \
    X(FAULT_GRID_STRIDE_REPEATS, "grid-stride-repeats", "PSGD-EF-001 PSGD-EF-002", ALL_CLAIMS,                         \
      "Threads stride by less than the grid: elements beyond the first 256 get the error twice.")                      \
    X(FAULT_RESULT_OVER_INPUT, "result-over-input", "PSGD-EF-001 PSGD-EF-002", ALL_CLAIMS,                             \
      "The result is written over M before the error is taken: the error is zero.")                                    \
    X(FAULT_ERROR_OF_ALL_BUCKETS, "error-of-all-buckets", "PSGD-EF-001 PSGD-EF-004", ALL_CLAIMS,                       \
      "All buckets add the first one's error.")                                                                        \
    X(FAULT_ERROR_OF_NEXT_BUCKET, "error-of-next-bucket", "PSGD-EF-001 PSGD-EF-004", ALL_CLAIMS,                       \
      "Each bucket adds the error of the one that was compressed after it.")                                           \
    X(FAULT_ONLY_LAST_BUCKET_REMEMBERS, "only-last-bucket-remembers", "PSGD-EF-001 PSGD-EF-004", ALL_CLAIMS,           \
      "The new state is handed on from the last bucket of an iteration alone.")                                        \
    X(FAULT_BUCKETS_BY_LENGTH, "buckets-by-length", "PSGD-EF-001 PSGD-EF-004", ALL_CLAIMS,                             \
      "Memory is found by a bucket's length: those of one length share it.")                                           \
    X(FAULT_BUCKETS_BY_ORDER, "buckets-by-order", "PSGD-EF-001 PSGD-EF-004", ALL_CLAIMS,                               \
      "Memory is found by a bucket's place in the iteration, not by its index.")                                       \
    X(FAULT_ERROR_CLEARED_AT_REPORTS, "error-cleared-at-reports", "PSGD-EF-001 PSGD-EF-004", ALL_CLAIMS,               \
      "The error is cleared with every report of statistics.")                                                         \
    X(FAULT_ERROR_CLEARED_WITH_Q, "error-cleared-with-q", "PSGD-EF-001", ALL_CLAIMS,                                   \
      "Without warm start the error is cleared with Q.")                                                               \
    X(FAULT_ERROR_FEEDBACK_ALWAYS, "error-feedback-always", "PSGD-EF-007", ALL_CLAIMS,                                 \
      "The error is added though error feedback is off.")

#endif
