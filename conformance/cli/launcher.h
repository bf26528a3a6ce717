/* launcher.h: is this process one of an mpirun's, and the one that speaks for all of them? Known from the environment,
 * before MPI is started: mistakes on the command line are the same in every process, and are said once. */
#ifndef CONFORMANCE_CLI_LAUNCHER_H
#define CONFORMANCE_CLI_LAUNCHER_H

#include <stdbool.h>

bool launched_by_mpi(void);
bool is_first_process(void); /* rank 0, or the only process */

#endif
