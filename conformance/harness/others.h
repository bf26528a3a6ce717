/* others.h: what the ranks of the world do that are not in a case's group (W3of5): a case of their own, at the same
 * time, so that a port that takes the world for its group is found out. */
#ifndef CONFORMANCE_HARNESS_OTHERS_H
#define CONFORMANCE_HARNESS_OTHERS_H

#include "harness/case.h"

bool others_wanted(const test_case *c);
/* The same problem on other data, for the ranks that are left over. False: message. */
bool others_case(test_case *others, const test_case *c, char *message, size_t message_size);

#endif
