/* others.h: what the ranks of the world do that are not in a case's group (W3of5): a case of their own, at the same
 * time, so that a port that takes the world for its group is found out in one group or the other. */
#ifndef CONFORMANCE_HARNESS_OTHERS_H
#define CONFORMANCE_HARNESS_OTHERS_H

#include "harness/case.h"

#define OTHERS_SUFFIX "+others" /* of the id */

bool others_wanted(const test_case *c);
/* The same problem on other data (the seed's last bit is the other one), for the group of all ranks that are left over.
 * Its problem string brings both groups back, the other way round. False: message. */
bool others_case(test_case *others, const test_case *c, char *message, size_t message_size);

#endif
