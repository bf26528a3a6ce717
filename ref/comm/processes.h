/* processes.h: a group of ranks over shared memory, seen from inside. Internal to ref/comm.
 *
 *   processes_segment.c    the memory that all processes of a group map: make, map, give up, wake a rank, let one sleep
 *   processes_start.c      the life of a group: create, start (fork + exec), join, fail, release
 *   processes_allreduce.c  the one collective
 *
 * No process ever holds anything that another one needs: there is no lock, only counters that are changed in one atomic
 * step, and one semaphore a rank to sleep on. So a process may be killed at any instant and can't block the others:
 * they sleep until somebody fails the group or their time limit is over. (A robust mutex with a condition variable
 * would not do: before version 2.41, glibc's condition variable may wait, without a limit, for a waiter that was killed
 * on its way out.)
 *
 * One chunk of one collective: each rank writes its terms to its own place and raises `arrived`. Who arrives last sums
 * all of them into `result`, raises `generation` and wakes the others, who copy the result out. Nobody can overwrite
 * what others still need: terms of the next chunk are written by ranks that saw the result of this one, and the result
 * of the next chunk is written when all ranks arrived there, so after all copied this one. */
#ifndef PSGD_COMM_PROCESSES_H
#define PSGD_COMM_PROCESSES_H

#include "group.h"
#include "psgd/comm.h"
#include <semaphore.h>
#include <stdatomic.h>

#define PSGD_PROCESSES_VARIABLE "PSGD_PROCESSES" /* FD:RANK of a started process */

enum {
    PSGD_PROCESSES_CHUNK = 256 * 1024, /* bytes that a rank hands in at once: a multiple of every element's size */
    PSGD_PROCESSES_ALIGNMENT = 64      /* no two ranks share a cache line */
};

typedef struct psgd_segment_head {
    uint64_t magic; /* a constant of processes_segment.c: also says which layout this is */
    uint64_t bytes; /* of the whole segment */
    int32_t size;
    int64_t timeout_nanoseconds;
    atomic_uint failed;     /* 1: no collective completes any more */
    atomic_uint arrived;    /* ranks that handed in their terms of the current chunk */
    atomic_uint generation; /* chunks summed so far, modulo 2^32 */
} psgd_segment_head;

/* What a rank says about the collective it is in, for comparison with its peers. */
typedef struct psgd_segment_rank {
    sem_t wake;         /* posted when there may be something new; what it is, is looked up */
    atomic_uint joined; /* 1: a process has taken this rank */
    uint32_t dtype;
    uint64_t count; /* elements of the whole buffer, all chunks */
} psgd_segment_rank;

/* A process's view of the segment: size ranks, size term buffers, one result. */
typedef struct psgd_segment {
    void *base;
    size_t bytes;
    psgd_segment_head *head;
    unsigned char *terms;  /* [size][PSGD_PROCESSES_CHUNK] */
    unsigned char *result; /* [PSGD_PROCESSES_CHUNK] */
} psgd_segment;

struct psgd_processes {
    psgd_segment segment;
    int descriptor; /* of the segment, in the launcher; -1 in a rank */
    int32_t rank;   /* -1 in the launcher */
    bool *started;  /* [size] in the launcher; null in a rank */
};

/* psgd_group_explain with the system's text for this errno value. */
void psgd_processes_explain_errno(char *message, size_t message_size, const char *what, int error);

/* Makes a segment for size ranks without a name in any file system: it is gone when the last process that maps it is.
 * *descriptor is above 2 and close-on-exec. */
psgd_status psgd_segment_make(psgd_segment *segment, int *descriptor, int32_t size, int64_t timeout_nanoseconds,
                              char *message, size_t message_size);

/* Maps the segment behind an inherited descriptor, once it has been checked to be one. */
psgd_status psgd_segment_map(psgd_segment *segment, int descriptor, char *message, size_t message_size);

void psgd_segment_unmap(psgd_segment *segment);

psgd_segment_rank *psgd_segment_rank_at(const psgd_segment *segment, int32_t rank);

void psgd_segment_wake(const psgd_segment *segment, int32_t rank);

/* Marks the group as failed and wakes every rank. */
void psgd_segment_fail(const psgd_segment *segment);

/* Sleeps until this rank is woken, or for a moment at most: the caller looks up what is new and sleeps again. */
void psgd_segment_sleep(const psgd_segment *segment, int32_t rank, int64_t deadline_nanoseconds);

/* psgd_comm's allreduce_sum; context is the psgd_processes of a rank. */
psgd_status psgd_processes_allreduce_sum(void *context, void *data, size_t count, psgd_dtype dtype);

#endif
