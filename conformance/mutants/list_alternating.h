/* list_alternating.h: the alternating variant. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_ALTERNATING_H
#define CONFORMANCE_MUTANTS_LIST_ALTERNATING_H

#define FAULTS_ALTERNATING(X)

#endif
