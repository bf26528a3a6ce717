/* rank_threads.h: the ranks of one run as threads of this process, which loads the port once for all of them. */
#ifndef CONFORMANCE_HARNESS_RANK_THREADS_H
#define CONFORMANCE_HARNESS_RANK_THREADS_H

#include "harness/rank_arguments.h"

/* arguments->threads ranks of one group, and beside them those of arguments->others. False: some rank could not do its
 * part; its answer file says why, as far as there is one. */
bool rank_threads_run(const rank_arguments *arguments);

#endif
