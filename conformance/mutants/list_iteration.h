/* list_iteration.h: when compression starts, what the counter does, what a state remembers of its buckets, what it
 * counts. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_ITERATION_H
#define CONFORMANCE_MUTANTS_LIST_ITERATION_H

#define FAULTS_ITERATION(X)                                                                                            \
    X(FAULT_STARTS_LATE, "starts-late", "PSGD-ITR-001", ALL_CLAIMS, "Compression starts one step after start_iter.")   \
    X(FAULT_STARTS_EARLY, "starts-early", "PSGD-ITR-001", ALL_CLAIMS,                                                  \
      "Compression starts one step before start_iter.")                                                                \
    X(FAULT_COUNTER_PER_BUCKET, "counter-per-bucket", "PSGD-ITR-001 PSGD-ITR-002", ALL_CLAIMS,                         \
      "The counter advances with every bucket.")                                                                       \
    X(FAULT_COUNTER_AT_FIRST_BUCKET, "counter-at-first-bucket", "PSGD-ITR-001 PSGD-ITR-002", ALL_CLAIMS,               \
      "The counter advances with an iteration's first bucket, not with its last.")                                     \
    X(FAULT_COUNTER_STOPS, "counter-stops", "PSGD-ITR-002 PSGD-STA-002 PSGD-WRM-003", ALL_CLAIMS,                      \
      "The counter stops where compression starts.")                                                                   \
    X(FAULT_LAST_BUCKET_REMEMBERED, "last-bucket-remembered", "PSGD-ITR-005", ALL_CLAIMS,                              \
      "The last bucket is known by its number in the first iteration, not by is_last.")                                \
    X(FAULT_COUNTER_OF_ALL_STATES, "counter-of-all-states", "PSGD-ITR-006", ALL_CLAIMS,                                \
      "All states of a process share one counter.")                                                                    \
    X(FAULT_CONFIG_OF_FIRST_STATE, "config-of-first-state", "PSGD-ITR-006", ALL_CLAIMS,                                \
      "What was compiled for the first state's configuration is used for all.")                                        \
    X(FAULT_MEMORY_OF_ALL_STATES, "memory-of-all-states", "PSGD-ITR-006", ALL_CLAIMS,                                  \
      "All states of a process share the memory of their buckets.")                                                    \
    X(FAULT_PLAIN_PHASE_KEEPS_ERROR, "plain-phase-keeps-error", "PSGD-ITR-003", ALL_CLAIMS,                            \
      "What a plain mean leaves of the gradients is kept as error.")                                                   \
    X(FAULT_PLAIN_PHASE_DRAWS, "plain-phase-draws", "PSGD-ITR-003 PSGD-RND-002", ALL_CLAIMS,                           \
      "Each plain step advances the chain of seeds.")                                                                  \
    X(FAULT_LAYOUT_CHANGE_ACCEPTED, "layout-change-accepted", "PSGD-ITR-005", ALL_CLAIMS,                              \
      "A new layout replaces the old one, memory and all, without a word.")                                            \
    X(FAULT_LAYOUT_BY_LENGTH, "layout-by-length", "PSGD-ITR-005", ALL_CLAIMS,                                          \
      "A layout of the same length and type counts as the same.")                                                      \
    X(FAULT_ERROR_OF_OLD_LAYOUT, "error-of-old-layout", "PSGD-ITR-005", ALL_CLAIMS,                                    \
      "A new layout starts with the error of the old one.")                                                            \
    X(FAULT_LAYOUT_FIXED_FROM_START, "layout-fixed-from-start", "PSGD-ITR-005", ALL_CLAIMS,                            \
      "Layout may not change in the plain phase either.")                                                              \
    X(FAULT_LAYOUT_ALWAYS_FIXED, "layout-always-fixed", "PSGD-ITR-005", ALL_CLAIMS,                                    \
      "Layout may not change where nothing is remembered either.")                                                     \
    X(FAULT_STATISTICS_SWAPPED, "statistics-swapped", "PSGD-STA-001", ALL_CLAIMS,                                      \
      "Elements before and after compression change places.")                                                          \
    X(FAULT_STATISTICS_COMPRESSED_ONLY, "statistics-compressed-only", "PSGD-STA-001", ALL_CLAIMS,                      \
      "Uncompressed tensors are not counted.")                                                                         \
    X(FAULT_STATISTICS_FROM_START, "statistics-from-start", "PSGD-STA-001", ALL_CLAIMS,                                \
      "The plain phase is counted too.")                                                                               \
    X(FAULT_STATISTICS_OF_LAST_STEP, "statistics-of-last-step", "PSGD-STA-001", ALL_CLAIMS,                            \
      "Statistics are those of the last bucket, not of all.")                                                          \
    X(FAULT_STATISTICS_BY_WHOLE_RANK, "statistics-by-whole-rank", "PSGD-STA-001", ALL_CLAIMS,                          \
      "Factors are counted with the configured rank, not the clipped one.")                                            \
    X(FAULT_REPORT_OF_EVERY_BUCKET, "report-of-every-bucket", "PSGD-STA-002", ALL_CLAIMS,                              \
      "A report comes with every bucket of its iteration.")                                                            \
    X(FAULT_REPORT_BEFORE_COUNTING, "report-before-counting", "PSGD-STA-002", ALL_CLAIMS,                              \
      "A report leaves out the bucket that it comes with.")                                                            \
    X(FAULT_REPORT_BY_MULTIPLES, "report-by-multiples", "PSGD-STA-002", ALL_CLAIMS,                                    \
      "Reports come at multiples of the interval, not from the first compressed step on.")

#endif
