/* list_factors.h: orthogonalisation, epsilon, transposes, ranks. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_FACTORS_H
#define CONFORMANCE_MUTANTS_LIST_FACTORS_H

#define FAULTS_FACTORS(X)                                                                                              \
    X(FAULT_EPSILON_AS_MAXIMUM, "epsilon-as-maximum", "PSGD-ORT-002", ALL_CLAIMS,                                      \
      "Columns are divided by max(norm, epsilon), not by norm + epsilon.")

#endif
