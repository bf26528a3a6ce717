/* judged_problem.h: a problem from any bytes, small enough that its run takes milliseconds. */
#ifndef FUZZ_JUDGED_PROBLEM_H
#define FUZZ_JUDGED_PROBLEM_H

#include "harness/problem.h"

/* By the first byte:
 *   0x00-0x7f  the bytes are a problem string;
 *   0x80-0xbf  a problem of --fuzz (suite_random_problem): with the claim torch if the byte is even; its seed is the
 *              next byte, its number the two bytes after that;
 *   0xc0-0xff  each further byte chooses one field of the problem; where bytes are missing, as if they were 0.
 * False: no problem, one that is too large, or one that no implementation has to run (see the end of the source). */
bool judged_problem(problem *p, const uint8_t *data, size_t size);

#endif
