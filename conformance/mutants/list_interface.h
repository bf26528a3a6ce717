/* list_interface.h: arguments, messages, failures: the API itself. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_INTERFACE_H
#define CONFORMANCE_MUTANTS_LIST_INTERFACE_H

#define FAULTS_INTERFACE(X)                                                                                            \
    X(FAULT_START_ITER_UNCHECKED, "start-iter-unchecked", "PSGD-CFG-002", ALL_CLAIMS,                                  \
      "start_iter 0 and 1 are accepted with error feedback or warm start.")                                            \
    X(FAULT_START_ITER_ALWAYS_CHECKED, "start-iter-always-checked", "PSGD-CFG-002", ALL_CLAIMS,                        \
      "start_iter 0 and 1 are refused without error feedback and warm start too.")                                     \
    X(FAULT_RANK_0_ACCEPTED, "rank-0-accepted", "PSGD-CFG-003", ALL_CLAIMS, "A rank below 1 counts as 1.")             \
    X(FAULT_RATE_NAN_ACCEPTED, "rate-nan-accepted", "PSGD-CFG-003", ALL_CLAIMS,                                        \
      "A rate is refused if it is below 0, which NaN is not.")                                                         \
    X(FAULT_RATE_0_REFUSED, "rate-0-refused", "PSGD-CFG-003 PSGD-SEL-002", ALL_CLAIMS, "The rate 0 is refused.")       \
    X(FAULT_INTERVAL_0_REFUSED, "interval-0-refused", "PSGD-CFG-003", ALL_CLAIMS,                                      \
      "A statistics interval below 1 is refused.")                                                                     \
    X(FAULT_CONFIG_NOT_COPIED, "config-not-copied", "PSGD-AGG-002 PSGD-ITR-001", ALL_CLAIMS,                           \
      "The state points to the caller's configuration.")                                                               \
    X(FAULT_ERRORS_WITHOUT_WORDS, "errors-without-words", "PSGD-ROB-001", ALL_CLAIMS,                                  \
      "Errors have a code and no message.")                                                                            \
    X(FAULT_ERRORS_WITHOUT_NAMES, "errors-without-names", "PSGD-ROB-001", ALL_CLAIMS,                                  \
      "A message says that something is wrong, not what.")                                                             \
    X(FAULT_NULL_BUCKET_CRASHES, "null-bucket-crashes", "PSGD-ROB-001", ALL_CLAIMS, "A null bucket is read.")          \
    X(FAULT_NULL_DATA_ACCEPTED, "null-data-accepted", "PSGD-ROB-001", ALL_CLAIMS,                                      \
      "A bucket without data is taken for one that needs nothing done.")                                               \
    X(FAULT_SIZES_WRAP, "sizes-wrap", "PSGD-ROB-001", ALL_CLAIMS,                                                      \
      "A shape whose size wraps around to 0 is taken for empty.")                                                      \
    X(FAULT_PEEK_SIZE_UNCHECKED, "peek-size-unchecked", "PSGD-ROB-001 PSGD-ROB-002", ALL_CLAIMS,                       \
      "peek writes what it has, whatever room there is.")                                                              \
    X(FAULT_PEEK_SHOWS_ZEROS, "peek-shows-zeros", "PSGD-EF-001 PSGD-EF-002", ALL_CLAIMS,                               \
      "peek shows an error memory that is not the one in use.")                                                        \
    X(FAULT_REFUSED_STEP_CLEARS, "refused-step-clears", "PSGD-ITR-005", ALL_CLAIMS,                                    \
      "A step that is refused has cleared the bucket's data before.")                                                  \
    X(FAULT_REFUSED_STEP_COUNTS, "refused-step-counts", "PSGD-ROB-001", ALL_CLAIMS,                                    \
      "A step that is refused advances the counter.")                                                                  \
    X(FAULT_COLLECTIVE_FAILURE_IGNORED, "collective-failure-ignored", "PSGD-ROB-003", ALL_CLAIMS,                      \
      "What a collective returns is not looked at.")                                                                   \
    X(FAULT_FAILED_STEP_COUNTED, "failed-step-counted", "PSGD-ROB-003", ALL_CLAIMS,                                    \
      "A step whose collective fails was counted before, and may be tried again.")                                     \
    X(FAULT_RETRY_ADDS_ERROR_TWICE, "retry-adds-error-twice", "PSGD-ROB-003", ALL_CLAIMS,                              \
      "M is made in the error's place: a step tried again after a failed collective adds its gradient twice.")         \
    X(FAULT_CALLERS_RAND_SEEDED, "callers-rand-seeded", "PSGD-RND-003", ALL_CLAIMS,                                    \
      "create seeds the C library's generator.")

#endif
