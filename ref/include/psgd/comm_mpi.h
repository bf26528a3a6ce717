/* comm_mpi.h: collectives over any MPI communicator. Link libpsgd_comm_mpi and MPI
 * (pkg-config psgd-comm-mpi names both). */
#ifndef PSGD_COMM_MPI_H
#define PSGD_COMM_MPI_H

#include "psgd/psgd.h"
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ranks of communicator as a psgd_comm, blocking and non-blocking calls (start, test, wait). MPI must be
 * initialised; the communicator is duplicated (collective over it), so the library's messages never meet the caller's,
 * and errors are returned as PSGD_ERR_COMM, not fatal (those of the duplication itself go to the communicator's own
 * error handler first). Long buffers are sent in chunks. Sums are made in MPI's own order and in the type itself: over
 * W ranks, each element is rounded up to W - 1 times, to nearest even (in f16 and bf16 too: see psgd/half.h), and a
 * part of the sum may overflow where the whole would not. All ranks get the same bits; a NaN in a sum is always the C
 * library's NAN, in the element's type. Ranks that disagree on count or dtype are an error of the caller that MPI may
 * or may not notice. message (may be null) gets a reason on failure. */
PSGD_EXPORT psgd_status psgd_comm_mpi_create(MPI_Comm communicator, psgd_comm *comm, char *message,
                                             size_t message_size);

/* Frees the duplicate (collective). comm is zeroed. No request may be pending. */
PSGD_EXPORT void psgd_comm_mpi_release(psgd_comm *comm);

#ifdef __cplusplus
}
#endif
#endif
