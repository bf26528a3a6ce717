/* golden_case.h: a case with PyTorch's results, read from its golden file. */
#ifndef CONFORMANCE_CLI_GOLDEN_CASE_H
#define CONFORMANCE_CLI_GOLDEN_CASE_H

#include "cli/vectors.h"
#include "harness/case.h"

/* Reads <folder>/<id>.safetensors. Refused: a file that the manifest does not list, that holds another case or problem
 * than asked for, or no results. False: message names the file. */
bool golden_case_read(test_case *c, const vectors *v, const char *id, const problem *p, char *message,
                      size_t message_size);

#endif
