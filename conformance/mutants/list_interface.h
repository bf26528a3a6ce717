/* list_interface.h: arguments, messages, submit and wait: the API itself. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_INTERFACE_H
#define CONFORMANCE_MUTANTS_LIST_INTERFACE_H

#define FAULTS_INTERFACE(X)

#endif
