/* list_iteration.h: when compression starts, and what the counter does. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_ITERATION_H
#define CONFORMANCE_MUTANTS_LIST_ITERATION_H

#define FAULTS_ITERATION(X)                                                                                            \
    X(FAULT_STARTS_LATE, "starts-late", "PSGD-ITR-001", ALL_CLAIMS, "Compression starts one step after start_iter.")

#endif
