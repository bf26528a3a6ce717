/* exec_port.h: `run --exec`: export into a private folder, the command, and a verdict as `check` gives it. */
#ifndef CONFORMANCE_CLI_EXEC_PORT_H
#define CONFORMANCE_CLI_EXEC_PORT_H

#include "cli/session.h"

int exec_port(const options *o); /* the exit code; what went wrong was said */

/* How the command ended, as a check (PSGD-FIL-010). False: no memory. */
bool exec_checks_add(session *s);

#endif
