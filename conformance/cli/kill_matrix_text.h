/* kill_matrix_text.h: the kill matrix for people, and for programs. */
#ifndef CONFORMANCE_CLI_KILL_MATRIX_TEXT_H
#define CONFORMANCE_CLI_KILL_MATRIX_TEXT_H

#include "cli/kill_matrix.h"

const char *mutant_state_name(mutant_state state);

/* To standard output. On lines of `width` that can hold it a matrix, else a line for each variant. verbose: every
 * requirement that failed. False if standard output failed. */
bool kill_matrix_text(const kill_matrix *m, int width, bool verbose, bool quiet);

/* The whole matrix as JSON, malloc'ed; null without memory. */
char *kill_matrix_json(const kill_matrix *m);

#endif
