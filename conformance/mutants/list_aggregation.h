/* list_aggregation.h: what is summed over the ranks, and what it is divided by. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_AGGREGATION_H
#define CONFORMANCE_MUTANTS_LIST_AGGREGATION_H

#define FAULTS_AGGREGATION(X)                                                                                          \
    X(FAULT_P_NOT_REDUCED, "p-not-reduced", "PSGD-AGG-001 PSGD-AGG-002", ALL_CLAIMS,                                   \
      "P is not summed over the ranks: each rank projects on its own gradient.")                                       \
    X(FAULT_Q_DIVIDED_TWICE, "q-divided-twice", "PSGD-AGG-002", ALL_CLAIMS,                                            \
      "Q is averaged, then divided by the number of ranks again.")

#endif
