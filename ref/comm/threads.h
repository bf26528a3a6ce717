/* threads.h: a group of ranks that are threads of one process, seen from inside. Internal to ref/comm.
 *
 *   threads.c             the life of a group: create, join, leave, fail, release
 *   threads_allreduce.c   its collectives
 *
 * Collectives are numbered, on each rank by itself, from 0: the n-th of one rank meets the n-th of every other. Each
 * has a place for every rank. start copies the rank's terms in; who comes last sums all of them; test and wait copy the
 * result out. So every buffer is touched by its own rank only, inside that rank's own calls: nobody has to wait for a
 * peer that still reads, and a rank that was told of a failure may free its buffer at once.
 *
 * One lock for everything, one condition that says that something changed: a collective was summed, the group failed,
 * a rank left. Sums are made under the lock. That is no loss to what this is for, and leaves no order of events to
 * think about. */
#ifndef PSGD_COMM_THREADS_H
#define PSGD_COMM_THREADS_H

#include "psgd/comm.h"
#include <pthread.h>

/* One rank; context of its psgd_comm. */
typedef struct psgd_threads_rank {
    psgd_threads *group;
    int32_t number;
    bool taken;       /* a thread has joined as this rank */
    uint64_t started; /* collectives: also the number of its next */
} psgd_threads_rank;

struct psgd_threads {
    int32_t size;
    int64_t timeout_nanoseconds;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    bool failed;
    uint64_t end;                          /* a rank has left without a part in this collective, nor in any later one */
    struct psgd_threads_collective *first; /* the collectives under way, in the order of their numbers */
    psgd_threads_rank ranks[];             /* [size] */
};

void psgd_threads_lock(psgd_threads *group);
void psgd_threads_unlock(psgd_threads *group);

/* Under the lock. */
void psgd_threads_fail_locked(psgd_threads *group);

/* All that are under way, when no rank is in a call any more. */
void psgd_threads_free_collectives(psgd_threads *group);

/* The calls of psgd_comm; context is the psgd_threads_rank. */
psgd_status psgd_threads_allreduce_sum(void *context, void *data, size_t count, psgd_dtype dtype);
psgd_status psgd_threads_start(void *context, void *data, size_t count, psgd_dtype dtype, void **request);
psgd_status psgd_threads_test(void *context, void *request, bool *done);
psgd_status psgd_threads_wait(void *context, void *request);

#endif
