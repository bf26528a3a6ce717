/* ranks.h: runs a case on an implementation that is linked, its ranks as threads of this process. */
#ifndef FUZZ_RANKS_H
#define FUZZ_RANKS_H

#include "harness/case.h"

/* Drives every rank of the case as the kit does (harness/runner_drive.h): the ranks read the case from the bytes of a
 * case file, and what they show comes home as the bytes of result files. folder: for a case that saves and loads, else
 * null. The trace; null: message says what failed (which is never the implementation). */
trace *ranks_run(const test_case *c, const psgd_implementation *table, bool seeded, const char *folder, char *message,
                 size_t message_size);

#endif
