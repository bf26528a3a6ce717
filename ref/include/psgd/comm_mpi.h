/* comm_mpi.h: collectives over any MPI communicator. Link psgd_comm_mpi and MPI. */
#ifndef PSGD_COMM_MPI_H
#define PSGD_COMM_MPI_H

#include "psgd/psgd.h"
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ranks of communicator as a psgd_comm, blocking and non-blocking calls (start, test, wait). MPI must be
 * initialised; the communicator is duplicated (collective over it), so the library's messages never meet the caller's,
 * and errors are returned, not fatal. Buffers longer than an int counts are sent in chunks. message (may be null) gets
 * a reason on failure. */
psgd_status psgd_comm_mpi_create(MPI_Comm communicator, psgd_comm *comm, char *message, size_t message_size);

/* Frees the duplicate (collective). comm is zeroed. No request may be pending. */
void psgd_comm_mpi_release(psgd_comm *comm);

#ifdef __cplusplus
}
#endif
#endif
