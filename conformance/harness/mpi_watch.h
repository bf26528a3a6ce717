/* mpi_watch.h: says what was running when an MPI rank crashed or hung, and then ends the whole mpirun, since the other
 * ranks would wait for ever.
 *
 * Kept in this module alone: it has to be reached from signal handlers and a thread, so there is one per process.
 */
#ifndef CONFORMANCE_HARNESS_MPI_WATCH_H
#define CONFORMANCE_HARNESS_MPI_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool mpi_watch_begin(int rank); /* handlers for fatal signals, the watching thread */
void mpi_watch_end(void);

/* From here to mpi_watch_stop at most timeout_seconds; what: the case's problem string, or the like. */
void mpi_watch_start(double timeout_seconds, const char *what);
void mpi_watch_stop(void);
void mpi_watch_progress(void *context, int64_t step, size_t bucket, const char *what); /* as in drive_options */

#endif
