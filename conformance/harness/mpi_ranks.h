/* mpi_ranks.h: a part of the world as a group of ranks that notices when one of them has given up.
 *
 * Before each collective of the port, and at the end of each of its calls, the ranks exchange where they are. So a rank
 * whose step failed does not leave the others waiting in an all-reduce: they get PSGD_ERR_COMM instead. Ranks that
 * disagree on which collective comes next get it too.
 */
#ifndef CONFORMANCE_HARNESS_MPI_RANKS_H
#define CONFORMANCE_HARNESS_MPI_RANKS_H

#include "psgd/psgd.h"

#include <mpi.h>

#define MPI_MOST_RANKS 256

typedef struct mpi_ranks {
    MPI_Comm control; /* for the exchanges; and what inner was made from */
    psgd_comm inner;
    psgd_comm comm; /* the one to hand out */
    bool made;
    bool lost; /* some rank has given up, or is elsewhere */
} mpi_ranks;

/* Collective over the world: processes of the same color make a group, sorted by `order`. *ranks may be freed
 * whatever came of it; it stays where it is. */
bool mpi_ranks_make(mpi_ranks *ranks, int color, int order, char *message, size_t message_size);
void mpi_ranks_free(mpi_ranks *ranks);

/* Called by every rank after the same call of the port; context is the mpi_ranks. True if all came through. */
bool mpi_ranks_all_well(void *context, bool ok);

/* Two sizes, then their bytes one after the other; any length. *bytes is malloc'ed. */
bool mpi_send_bytes(const void *bytes, const size_t sizes[2], int to);
bool mpi_receive_bytes(void **bytes, size_t sizes[2], int from);

#endif
