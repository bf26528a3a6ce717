/* problem_scan.h: the tokens of a problem string: numbers and words at a position, with an error that says where. */
#ifndef CONFORMANCE_HARNESS_PROBLEM_SCAN_H
#define CONFORMANCE_HARNESS_PROBLEM_SCAN_H

#include "harness/problem.h"

typedef struct scanner {
    const char *text;
    size_t at; /* next character */
    problem_error *error;
} scanner;

/* Sets the error at this position; returns false, so that an error is one line. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool scan_fail(scanner *s, size_t position, const char *format, ...);

/* Whole number, min <= *value <= max; `what` names it in the message. A sign is read only where min is negative. */
bool scan_integer(scanner *s, int64_t *value, int64_t min, int64_t max, const char *what);
bool scan_unsigned(scanner *s, uint64_t *value, uint64_t max, const char *what);
/* Finite number in decimal (2, 0.5, 1e-8), not negative. */
bool scan_number(scanner *s, double *value, const char *what);

bool scan_char(scanner *s, char c);                   /* reads c if it is next */
size_t scan_word(const scanner *s, const char *stop); /* length up to one of stop's characters or the end */
int scan_shown(size_t length);                        /* how much of a word a message shows */

#endif
