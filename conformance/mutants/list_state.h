/* list_state.h: checkpoints, statistics, several states at once. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_STATE_H
#define CONFORMANCE_MUTANTS_LIST_STATE_H

#define FAULTS_STATE(X)

#endif
