/* files_mpi.c: mpirun -n N PROGRAM DIR. A case of W ranks is run by the first W of the N, each of which writes a file
 * of its own; a case of more than N ranks is answered with `unsupported`, which says that it was not run.
 *
 * A rank that fails alone leaves the others waiting in MPI, and nothing but the time limit of whoever started the
 * program ends that: a port that knows of its failure would better call MPI_Abort.
 */
#include "files_port.h"

#include "psgd/comm_mpi.h"

#include <stdlib.h>

/* On each of the first W ranks. */
static bool answer(const file_case *c, const psgd_implementation *port, const char *folder, MPI_Comm members,
                   char *message)
{
    psgd_comm comm;
    if (psgd_comm_mpi_create(members, &comm, message, TEXT) != PSGD_OK)
        return false;
    rank_result *results = calloc((size_t)c->world, sizeof *results); /* of all ranks, only this one's filled in */
    if (results == NULL)
        (void)snprintf(message, TEXT, "no memory for results");
    bool ok = results != NULL;
    if (ok) {
        rank_run(&results[comm.rank], c, port, &comm, folder);
        ok = result_write(c, port, results, comm.rank, 1, true, folder, message);
        rank_free(&results[comm.rank]);
    }
    free(results);
    psgd_comm_mpi_release(&comm);
    return ok;
}

/* By one rank for all: nobody has run it. */
static bool decline(const file_case *c, const psgd_implementation *port, int there_are, const char *folder,
                    char *message)
{
    rank_result *results = calloc((size_t)c->world, sizeof *results);
    char text[TEXT];
    (void)snprintf(text, TEXT, "the case has %d ranks, mpirun gave %d", c->world, there_are);
    for (int k = 0; results != NULL && k < c->world; k++)
        rank_says(&results[k], PSGD_ERR_UNSUPPORTED, text);
    const bool ok = results != NULL && result_write(c, port, results, 0, c->world, false, folder, message);
    free(results);
    return ok;
}

static bool take(const char *folder, const char *id, const psgd_implementation *port, int rank, int size, char *message)
{
    file_case c;
    MPI_Comm members = MPI_COMM_NULL;
    bool ok = file_case_open(&c, folder, id, port->claims, message);
    if (ok && c.wanted && c.world > size) {
        ok = rank != 0 || decline(&c, port, size, folder, message);
    } else if (ok && c.wanted) {
        ok = MPI_Comm_split(MPI_COMM_WORLD, rank < c.world ? 0 : MPI_UNDEFINED, rank, &members) == MPI_SUCCESS;
        if (ok && members != MPI_COMM_NULL) {
            ok = answer(&c, port, folder, members, message);
            (void)MPI_Comm_free(&members);
        }
    }
    file_case_close(&c);
    return ok;
}

int main(int argc, char **argv)
{
    char message[TEXT] = "", **ids = NULL;
    size_t count = 0;
    int rank = 0, size = 0;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS || MPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS ||
        MPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS)
        return 2;
    const psgd_implementation *port = psgd_implementation_entry();
    if (argc != 2 || port == NULL) {
        fprintf(stderr, "%s\n", argc != 2 ? "usage: PROGRAM DIR" : "the port is not there");
        (void)MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    bool ok = file_cases_list(&ids, &count, argv[1], message);
    (void)MPI_Barrier(MPI_COMM_WORLD); /* all have seen the folder as it was */
    for (size_t i = 0; ok && i < count; i++)
        ok = take(argv[1], ids[i], port, rank, size, message);
    if (!ok) {
        fprintf(stderr, "%s, rank %d: %s\n", argv[0], rank, message);
        (void)MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (size_t i = 0; i < count; i++)
        free(ids[i]);
    free(ids);
    return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
}
