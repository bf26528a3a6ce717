/* list_verdict.h: what no port would admit to: NaN, zeros, crashes, hangs. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_VERDICT_H
#define CONFORMANCE_MUTANTS_LIST_VERDICT_H

#define FAULTS_VERDICT(X)                                                                                              \
    X(FAULT_NAN, "nan", "PSGD-AGG-002", ALL_CLAIMS, "Every compressed result is NaN.")                                 \
    X(FAULT_ALL_ZEROS, "all-zeros", "PSGD-AGG-002 PSGD-ITR-001", ALL_CLAIMS, "Every result is zero.")                  \
    X(FAULT_RETURNS_INPUT, "returns-input", "PSGD-AGG-001 PSGD-ITR-001", ALL_CLAIMS,                                   \
      "Every bucket is returned as it came.")                                                                          \
    X(FAULT_NEVER_COMPRESSES, "never-compresses", "PSGD-ITR-004", ALL_CLAIMS, "Every step is a plain mean.")           \
    X(FAULT_PREVIOUS_RESULT, "previous-result", "PSGD-AGG-002 PSGD-ITR-001", ALL_CLAIMS,                               \
      "Each step returns the result of the step before.")                                                              \
    X(FAULT_ANOTHER_TENSORS_RESULT, "another-tensors-result", "PSGD-SEL-007 PSGD-AGG-002", ALL_CLAIMS,                 \
      "Neighbours of the same shape get each other's result.")                                                         \
    X(FAULT_LAST_RANK_FAILS, "last-rank-fails", "PSGD-AGG-002", ALL_CLAIMS,                                            \
      "The last rank answers with an error in the first compressed step, when all is done.")                           \
    X(FAULT_LAST_RANK_WRONG, "last-rank-wrong", "PSGD-AGG-001", ALL_CLAIMS,                                            \
      "The last rank's results are off by one unit in the last place of one element.")                                 \
    X(FAULT_ONE_ELEMENT_WRONG, "one-element-wrong", "PSGD-AGG-002 PSGD-AGG-004", ALL_CLAIMS,                           \
      "One element of one late step is wrong.")                                                                        \
    X(FAULT_ERROR_AT_THE_END, "error-at-the-end", "PSGD-AGG-002 PSGD-EF-001", ALL_CLAIMS,                              \
      "The sixth iteration is answered with an error.")                                                                \
    X(FAULT_WRITES_PAST_END, "writes-past-end", "PSGD-ROB-002", ALL_CLAIMS,                                            \
      "One element behind the bucket is overwritten.")                                                                 \
    X(FAULT_WRITES_BEFORE, "writes-before", "PSGD-ROB-002", ALL_CLAIMS,                                                \
      "One element before the bucket is overwritten.")                                                                 \
    X(FAULT_CRASHES, "crashes", "PSGD-AGG-002", ALL_CLAIMS, "The first compressed step ends in a null pointer.")       \
    X(FAULT_EXITS, "exits", "PSGD-AGG-002", ALL_CLAIMS, "The first compressed step ends the process, successfully.")   \
    X(FAULT_HANGS, "hangs", "PSGD-AGG-002 PSGD-ORT-002 PSGD-EF-002", ALL_CLAIMS,                                       \
      "The first compressed step does not end.")

#endif
