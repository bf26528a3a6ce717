/* comm.h: the collectives that come with the project, each a psgd_comm.
 *
 *   self        one rank, no peers
 *   processes   ranks of one machine, each a process of its own, over shared memory (fork + exec)
 *   mpi         any MPI communicator (psgd/comm_mpi.h, a library of its own: what does not use MPI does not load it)
 *
 * All of them sum in a fixed order, rank 0 first, in double rounded once to the type (mpi: as the MPI library sums),
 * and give every rank the same bits. The context of a psgd_comm belongs to the object that made it and is released with
 * that object.
 */
#ifndef PSGD_COMM_H
#define PSGD_COMM_H

#include "psgd/psgd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A group of one: the sum is the value itself. Needs no release. */
psgd_comm psgd_comm_self(void);

/* Ranks as processes. The launcher makes the group and starts each rank's program; a rank's program joins the group
 * that it inherited. A collective that waits longer than timeout_seconds, or whose group was marked as failed, returns
 * PSGD_ERR_COMM on every rank that waits or comes later: no rank waits for a peer that died. */
typedef struct psgd_processes psgd_processes;

/* In the launcher. size >= 1; timeout_seconds > 0. message (may be null) gets a reason on failure. */
psgd_status psgd_processes_create(psgd_processes **group, int32_t size, double timeout_seconds, char *message,
                                  size_t message_size);

/* In the launcher: starts argv[0] (a path, not searched for) with argv as the process of this rank, by fork + exec;
 * *pid gets its process id. The child gets the group through one inherited file descriptor and the environment variable
 * PSGD_PROCESSES; all other descriptors above 2 that are not close-on-exec stay as they are. The caller waits for the
 * process, and calls psgd_processes_fail when it ended without success. */
psgd_status psgd_processes_start(psgd_processes *group, int32_t rank, char *const argv[], int64_t *pid, char *message,
                                 size_t message_size);

/* In any process of the group: from now on every collective returns PSGD_ERR_COMM; ranks that wait are woken. */
void psgd_processes_fail(psgd_processes *group);

/* In a started process: joins the group named by PSGD_PROCESSES and fills *comm. */
psgd_status psgd_processes_join(psgd_processes **group, psgd_comm *comm, char *message, size_t message_size);

/* In any process: releases this process's hold on the group; its psgd_comm is invalid afterwards. Null is allowed. */
void psgd_processes_release(psgd_processes *group);

#ifdef __cplusplus
}
#endif
#endif
