/* list_verdict.h: what no port would admit to: NaN, zeros, crashes, hangs. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_VERDICT_H
#define CONFORMANCE_MUTANTS_LIST_VERDICT_H

#define FAULTS_VERDICT(X) X(FAULT_NAN, "nan", "PSGD-AGG-002", ALL_CLAIMS, "Every compressed result is NaN.")

#endif
