/* interrupt.h: SIGINT and SIGTERM during a run: the ranks are killed and the private folder is removed, then the
 * program ends as the signal asks. */
#ifndef CONFORMANCE_CLI_INTERRUPT_H
#define CONFORMANCE_CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on these signals interrupt the runner (harness/runner.h). */
void interrupt_watch(void);
bool interrupt_came(void);
/* Ends the program by the signal that came, if one did. To be called when everything is cleaned up. */
void interrupt_finish(void);

#endif
