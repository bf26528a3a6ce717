/* comm.h: the collectives that come with the project, each a psgd_comm.
 *
 *   self        one rank, no peers
 *   processes   ranks of one machine, each a process of its own, over shared memory (fork + exec)
 *   threads     ranks of one process, each a thread of its own
 *   mpi         any MPI communicator (psgd/comm_mpi.h, a library of its own: what does not use MPI does not load it)
 *
 * Link libpsgd_comm (pkg-config psgd-comm); it goes with every implementation and contains none.
 *
 * All of them take every psgd_dtype and give every rank the same bits. But for mpi, which sums as the MPI library does,
 * they sum in a fixed order, rank 0 first, in double, rounded once to the type: the same bits with processes and with
 * threads. Of f16, whose values are multiples of 2^-24 below 2^16, a double holds the sum of 8192 ranks exactly: the
 * result is the true sum, correctly rounded, whatever the order. (A float's 24 bits do not hold it.) The context of
 * a psgd_comm belongs to the object that made it and is released with that object.
 */
#ifndef PSGD_COMM_H
#define PSGD_COMM_H

#include "psgd/psgd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A group of one: the sum is the value itself. Needs no release. */
PSGD_EXPORT psgd_comm psgd_comm_self(void);

/* Ranks as processes. The launcher makes the group and starts each rank's program; a rank's program joins the group
 * that it inherited. A rank that waits longer than timeout_seconds for its peers in a collective gets PSGD_ERR_COMM and
 * fails the group; in a failed group every rank that waits is woken, and gets PSGD_ERR_COMM, as does every later call:
 * no rank waits for a peer that died. Ranks that disagree on a collective's count or dtype fail the group too. A
 * collective that was summed before the failure still succeeds on every rank that is in it.
 *
 * Blocking calls only. A group is used by one thread of a rank at a time. A process may be killed at any instant: no
 * other can be blocked by it. */
typedef struct psgd_processes psgd_processes;

/* In the launcher. size is 1 to 1024; timeout_seconds > 0. message (may be null) gets a reason on failure. */
PSGD_EXPORT psgd_status psgd_processes_create(psgd_processes **group, int32_t size, double timeout_seconds,
                                              char *message, size_t message_size);

/* In the launcher: starts argv[0] (a path, not searched for) with argv as the process of this rank, by fork + exec;
 * *pid gets its process id. PSGD_ERR_IO with the reason if the program can't be executed; the rank can then be started
 * anew. The child gets the group through one inherited file descriptor and the environment variable PSGD_PROCESSES; all
 * other descriptors above 2 that are not close-on-exec stay as they are.
 *
 * The launcher learns from waitpid() alone that a rank is gone, so it waits for its children and calls
 * psgd_processes_fail() as soon as one ended without success: the others then return at once, not after the time limit.
 * It reads the environment, and a fork in another thread at the same instant may delay its return until that other
 * child has ended or called exec: start ranks from one thread. */
PSGD_EXPORT psgd_status psgd_processes_start(psgd_processes *group, int32_t rank, char *const argv[], int64_t *pid,
                                             char *message, size_t message_size);

/* In any process of the group, from any thread or signal handler: from now on every collective returns PSGD_ERR_COMM;
 * ranks that wait are woken. Null is allowed. */
PSGD_EXPORT void psgd_processes_fail(psgd_processes *group);

/* In a started process: joins the group named by PSGD_PROCESSES and fills *comm. Once per rank: a second join is
 * PSGD_ERR_IO. The descriptor is closed, so that programs started by this process can't reach the group. */
PSGD_EXPORT psgd_status psgd_processes_join(psgd_processes **group, psgd_comm *comm, char *message,
                                            size_t message_size);

/* In any process: releases this process's hold on the group; its psgd_comm is invalid afterwards. A rank leaves the
 * group with it: peers that wait for this rank, or start another collective, get PSGD_ERR_COMM. In the launcher, ranks
 * that run go on. Null is allowed. */
PSGD_EXPORT void psgd_processes_release(psgd_processes *group);

/* Ranks as threads of one process: for tests, for thread sanitizers, and for programs whose workers are threads. The
 * caller makes the group, starts one thread for each rank, and lets each join under its own rank. A rank that waits
 * longer than timeout_seconds for its peers (from its first wait or test of that collective on) gets PSGD_ERR_COMM and
 * fails the group; in a failed group every rank that waits is woken and gets PSGD_ERR_COMM, as does every later call. A
 * collective that was summed before the failure still succeeds on every rank. Ranks that disagree on a collective's
 * count or dtype fail the group too.
 *
 * Blocking and non-blocking calls: the n-th collective that one rank starts, by either, meets the n-th of every other;
 * several may be under way at once. Terms are copied when a collective starts and the sum is copied back in the rank's
 * own test or wait: no other thread ever touches a rank's buffer, which is the caller's again after any failure. The
 * first rank to start a collective allocates room for all: PSGD_ERR_MEMORY if there is none, and nothing was started.
 *
 * The psgd_comm of a rank is used by one thread at a time, which need not be always the same; one thread may hold
 * several ranks, if it starts a collective on all before it waits on one. */
typedef struct psgd_threads psgd_threads;

/* size is 1 to 1024; timeout_seconds > 0. message (may be null) gets a reason on failure. */
PSGD_EXPORT psgd_status psgd_threads_create(psgd_threads **group, int32_t size, double timeout_seconds, char *message,
                                            size_t message_size);

/* Takes this rank and fills *comm, which is valid until the group is released. Once per rank: PSGD_ERR_ARGUMENT for a
 * rank that is taken, or outside 0 .. size-1. */
PSGD_EXPORT psgd_status psgd_threads_join(psgd_threads *group, int32_t rank, psgd_comm *comm, char *message,
                                          size_t message_size);

/* This rank takes part in nothing more: peers that wait for it, or start another collective, get PSGD_ERR_COMM.
 * Collectives that it has a part in complete. comm is one that psgd_threads_join filled, and is invalid afterwards. */
PSGD_EXPORT void psgd_threads_leave(psgd_comm *comm);

/* From any thread: from now on every collective returns PSGD_ERR_COMM; ranks that wait are woken. Null is allowed. */
PSGD_EXPORT void psgd_threads_fail(psgd_threads *group);

/* When no rank is in a call any more. Requests that were not waited for are released with it. Null is allowed. */
PSGD_EXPORT void psgd_threads_release(psgd_threads *group);

#ifdef __cplusplus
}
#endif
#endif
