/* file_checks.h: the checks of PSGD-FIL: is the folder of results whole, and what it says it is? */
#ifndef CONFORMANCE_CLI_FILE_CHECKS_H
#define CONFORMANCE_CLI_FILE_CHECKS_H

#include "cli/session.h"

/* Adds them once every case has been read. --only does not take them away: what is broken is said. False: s->message.
 */
bool file_checks_add(session *s);

#endif
