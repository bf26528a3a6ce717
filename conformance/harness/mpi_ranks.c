/* mpi_ranks.c: see mpi_ranks.h. */
#include "harness/mpi_ranks.h"

#include "harness/message.h"
#include "psgd/comm_mpi.h"

#include <stdlib.h>

/* Where a rank is. */
enum { PLACE_GIVEN_UP = 0, PLACE_END_OF_CALL = 1, PLACE_COLLECTIVE = 2 };

/* True if all ranks are at this place with this count. After the first time that they are not, nothing is exchanged any
 * more: each rank then knows. */
static bool meet(mpi_ranks *ranks, int64_t place, int64_t count)
{
    if (ranks->lost)
        return false;
    int64_t mine[4] = {place, -place, count, -count}, least[4] = {0};
    bool ok = MPI_Allreduce(mine, least, 4, MPI_INT64_T, MPI_MIN, ranks->control) == MPI_SUCCESS;
    ok = ok && least[0] == -least[1] && least[2] == -least[3] && place != PLACE_GIVEN_UP;
    ranks->lost = !ok;
    return ok;
}

static int64_t sign_of(size_t count, psgd_dtype dtype)
{
    return (int64_t)(count * 8 + (size_t)dtype);
}

static psgd_status allreduce_sum(void *context, void *data, size_t count, psgd_dtype dtype)
{
    mpi_ranks *ranks = context;
    if (!meet(ranks, PLACE_COLLECTIVE, sign_of(count, dtype)))
        return PSGD_ERR_COMM;
    return ranks->inner.allreduce_sum(ranks->inner.context, data, count, dtype);
}

static psgd_status start_allreduce_sum(void *context, void *data, size_t count, psgd_dtype dtype, void **request)
{
    mpi_ranks *ranks = context;
    if (!meet(ranks, PLACE_COLLECTIVE, sign_of(count, dtype)))
        return PSGD_ERR_COMM;
    return ranks->inner.start_allreduce_sum(ranks->inner.context, data, count, dtype, request);
}

static psgd_status test(void *context, void *request, bool *done)
{
    mpi_ranks *ranks = context;
    return ranks->inner.test(ranks->inner.context, request, done);
}

static psgd_status wait_for(void *context, void *request)
{
    mpi_ranks *ranks = context;
    return ranks->inner.wait(ranks->inner.context, request);
}

bool mpi_ranks_all_well(void *context, bool ok)
{
    return meet(context, ok ? PLACE_END_OF_CALL : PLACE_GIVEN_UP, 0) && ok;
}

bool mpi_ranks_make(mpi_ranks *ranks, int color, int order, char *message, size_t message_size)
{
    *ranks = (mpi_ranks){.control = MPI_COMM_NULL};
    if (MPI_Comm_split(MPI_COMM_WORLD, color, order, &ranks->control) != MPI_SUCCESS)
        return refuse(message, message_size, "MPI_Comm_split failed");
    if (psgd_comm_mpi_create(ranks->control, &ranks->inner, message, message_size) != PSGD_OK)
        return false;
    ranks->made = true;
    ranks->comm = ranks->inner;
    ranks->comm.context = ranks;
    ranks->comm.allreduce_sum = allreduce_sum;
    if (ranks->comm.start_allreduce_sum != NULL) {
        ranks->comm.start_allreduce_sum = start_allreduce_sum;
        ranks->comm.test = test;
        ranks->comm.wait = wait_for;
    }
    return true;
}

void mpi_ranks_free(mpi_ranks *ranks)
{
    if (ranks->made)
        psgd_comm_mpi_release(&ranks->inner);
    if (ranks->control != MPI_COMM_NULL)
        (void)MPI_Comm_free(&ranks->control);
    ranks->made = false;
}

#define PIECE ((size_t)1 << 30) /* MPI counts in int */
#define TAG   77

bool mpi_send_bytes(const void *bytes, const size_t sizes[2], int to)
{
    uint64_t both[2] = {bytes != NULL ? sizes[0] : 0, bytes != NULL ? sizes[1] : 0};
    bool ok = MPI_Send(both, 2, MPI_UINT64_T, to, TAG, MPI_COMM_WORLD) == MPI_SUCCESS;
    size_t count = (size_t)(both[0] + both[1]);
    for (size_t at = 0; ok && at < count; at += PIECE) {
        size_t piece = count - at < PIECE ? count - at : PIECE;
        ok = MPI_Send((const unsigned char *)bytes + at, (int)piece, MPI_BYTE, to, TAG, MPI_COMM_WORLD) == MPI_SUCCESS;
    }
    return ok;
}

bool mpi_receive_bytes(void **bytes, size_t sizes[2], int from)
{
    uint64_t both[2] = {0, 0};
    *bytes = NULL;
    if (MPI_Recv(both, 2, MPI_UINT64_T, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return false;
    sizes[0] = (size_t)both[0];
    sizes[1] = (size_t)both[1];
    size_t count = sizes[0] + sizes[1];
    *bytes = malloc(count + 1);
    bool ok = *bytes != NULL;
    for (size_t at = 0; ok && at < count; at += PIECE) {
        size_t piece = count - at < PIECE ? count - at : PIECE;
        ok = MPI_Recv((unsigned char *)*bytes + at, (int)piece, MPI_BYTE, from, TAG, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE) == MPI_SUCCESS;
    }
    return ok && count > 0;
}
