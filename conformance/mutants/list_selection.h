/* list_selection.h: which tensors are compressed, and where results land. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_SELECTION_H
#define CONFORMANCE_MUTANTS_LIST_SELECTION_H

#define FAULTS_SELECTION(X)                                                                                            \
    X(FAULT_SELECTION_NOT_STRICT, "selection-not-strict", "PSGD-SEL-001", ALL_CLAIMS,                                  \
      "A tensor that ties with the rate is compressed: <= for <.")                                                     \
    X(FAULT_ABA_SCATTERED, "aba-scattered", "PSGD-SEL-007", ALL_CLAIMS,                                                \
      "Results lie in the order of the factors and are cut up in the order of the bucket: with shapes A,B,A the "      \
      "wrong tensors get them.")

#endif
