/* signal_name.h: what a signal is called. */
#ifndef CONFORMANCE_HARNESS_SIGNAL_NAME_H
#define CONFORMANCE_HARNESS_SIGNAL_NAME_H

#include <stddef.h>

/* "signal SIGSEGV"; "signal 64" of a number that has no name here. text: [size], at least 24. Returns text. */
const char *signal_name(char *text, size_t size, int number);

#endif
