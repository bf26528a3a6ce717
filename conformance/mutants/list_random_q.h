/* list_random_q.h: warm start and the random Q. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_RANDOM_Q_H
#define CONFORMANCE_MUTANTS_LIST_RANDOM_Q_H

#define FAULTS_RANDOM_Q(X)                                                                                             \
    X(FAULT_WARM_START_DEFEATED, "warm-start-defeated", "PSGD-WRM-001", ALL_CLAIMS,                                    \
      "Q is drawn afresh at every step although warm start is on.")

#endif
