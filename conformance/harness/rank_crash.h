/* rank_crash.h: ranks as threads die together. This notes in whose thread the end began: a signal that the thread
 * itself gave rise to (SIGSEGV, SIGABRT, ...), or a call of exit. _exit, and signals from elsewhere, leave no trace.
 *
 * The signals go on to whoever had them before (a sanitizer, the default), so that the process still dies as it would.
 */
#ifndef CONFORMANCE_HARNESS_RANK_CRASH_H
#define CONFORMANCE_HARNESS_RANK_CRASH_H

#include "harness/rank_answer.h"

#define RANK_CRASH_STACK ((size_t)64 * 1024) /* bytes for the handler, when the thread's own stack is used up */

/* Once in the process, before the port is loaded. */
bool rank_crash_watch(void);
/* Once in the process, when the port has been loaded: so that its own destructors are not yet done when exit is noted.
 */
bool rank_crash_watch_exit(void);
/* In a rank's thread: from now on the end of this thread's process is noted in *answer (ended_here). stack:
 * [RANK_CRASH_STACK]; both stay until rank_crash_done in the same thread. */
bool rank_crash_begin(rank_answer *answer, void *stack);
void rank_crash_done(void);

#endif
