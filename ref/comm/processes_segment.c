/* processes_segment.c: the memory that all processes of a group map. Its contract, and why it is enough, is in
 * processes.h. Layout: head, size ranks, size term buffers, the result; each part starts at a multiple of 64 bytes. */
#include "processes.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#if ATOMIC_INT_LOCK_FREE != 2
#error "atomic integers must be lock-free to work between processes"
#endif

#define SEGMENT_MAGIC UINT64_C(0x3130676573677370) /* "psgseg01" */

void psgd_processes_explain_errno(char *message, size_t message_size, const char *what, int error)
{
    char text[128];
    if (strerror_r(error, text, sizeof text) != 0)
        (void)snprintf(text, sizeof text, "error %d", error);
    psgd_group_explain(message, message_size, "%s: %s", what, text);
}

static size_t aligned(size_t bytes)
{
    return (bytes + PSGD_PROCESSES_ALIGNMENT - 1) / PSGD_PROCESSES_ALIGNMENT * PSGD_PROCESSES_ALIGNMENT;
}

/* size is at most PSGD_GROUP_MAX_SIZE: no product overflows. */
static size_t bytes_needed(int32_t size)
{
    return aligned(sizeof(psgd_segment_head)) + (size_t)size * aligned(sizeof(psgd_segment_rank)) +
           ((size_t)size + 1) * PSGD_PROCESSES_CHUNK;
}

static psgd_status map(psgd_segment *segment, int descriptor, size_t bytes, char *message, size_t message_size)
{
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (base == MAP_FAILED) {
        psgd_processes_explain_errno(message, message_size, "shared memory can't be mapped", errno);
        return PSGD_ERR_MEMORY;
    }
    segment->base = base;
    segment->bytes = bytes;
    segment->head = base;
    return PSGD_OK;
}

static void find_buffers(psgd_segment *segment)
{
    size_t size = (size_t)segment->head->size;
    segment->terms =
        (unsigned char *)segment->base + aligned(sizeof(psgd_segment_head)) + size * aligned(sizeof(psgd_segment_rank));
    segment->result = segment->terms + size * PSGD_PROCESSES_CHUNK;
}

/* A new shared-memory object whose name is taken away at once; -1 with errno set on failure. */
static int open_unnamed(void)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        char name[64];
        (void)snprintf(name, sizeof name, "/psgd-%ld-%llx-%d", (long)getpid(),
                       (unsigned long long)psgd_monotonic_nanoseconds(), attempt);
        int descriptor = shm_open(name, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR); /* sets close-on-exec */
        if (descriptor < 0 && errno == EEXIST)
            continue;
        if (descriptor < 0 || shm_unlink(name) == 0)
            return descriptor;
        int error = errno;
        (void)close(descriptor);
        errno = error;
        return -1;
    }
    return -1;
}

/* Moves the descriptor above the standard ones, which a started program takes for its terminal. */
static int above_standard(int descriptor)
{
    if (descriptor < 0 || descriptor > 2)
        return descriptor;
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    int error = errno;
    (void)close(descriptor);
    errno = error;
    return moved;
}

psgd_status psgd_segment_make(psgd_segment *segment, int *descriptor, int32_t size, int64_t timeout_nanoseconds,
                              char *message, size_t message_size)
{
    size_t bytes = bytes_needed(size);
    int opened = above_standard(open_unnamed());
    if (opened < 0) {
        psgd_processes_explain_errno(message, message_size, "shared memory can't be made (shm_open)", errno);
        return PSGD_ERR_IO;
    }
    /* Reserved now: where memory lacks, this fails with an error, and a later first touch would be a bus error. */
    int error;
    do
        error = posix_fallocate(opened, 0, (off_t)bytes);
    while (error == EINTR);
    if (error != 0) {
        char what[96];
        (void)snprintf(what, sizeof what, "%zu bytes of shared memory can't be reserved", bytes);
        psgd_processes_explain_errno(message, message_size, what, error);
        (void)close(opened);
        return PSGD_ERR_MEMORY;
    }
    psgd_status status = map(segment, opened, bytes, message, message_size);
    if (status != PSGD_OK) {
        (void)close(opened);
        return status;
    }
    /* The rest of a new object is zero. */
    segment->head->bytes = bytes;
    segment->head->size = size;
    segment->head->timeout_nanoseconds = timeout_nanoseconds;
    atomic_init(&segment->head->failed, 0);
    atomic_init(&segment->head->arrived, 0);
    atomic_init(&segment->head->generation, 0);
    find_buffers(segment);
    for (int32_t rank = 0; rank < size; rank++) {
        psgd_segment_rank *place = psgd_segment_rank_at(segment, rank);
        atomic_init(&place->joined, 0);
        if (sem_init(&place->wake, 1, 0) != 0) {
            psgd_processes_explain_errno(message, message_size, "a semaphore between processes can't be made", errno);
            psgd_segment_unmap(segment);
            (void)close(opened);
            return PSGD_ERR_IO;
        }
    }
    segment->head->magic = SEGMENT_MAGIC;
    *descriptor = opened;
    return PSGD_OK;
}

psgd_status psgd_segment_map(psgd_segment *segment, int descriptor, char *message, size_t message_size)
{
    struct stat properties;
    if (fstat(descriptor, &properties) != 0) {
        psgd_processes_explain_errno(message, message_size, PSGD_PROCESSES_VARIABLE " names a bad descriptor", errno);
        return PSGD_ERR_IO;
    }
    bool plausible = S_ISREG(properties.st_mode) && properties.st_size >= (off_t)bytes_needed(1) &&
                     properties.st_size <= (off_t)bytes_needed(PSGD_GROUP_MAX_SIZE);
    if (plausible) {
        psgd_status status = map(segment, descriptor, (size_t)properties.st_size, message, message_size);
        if (status != PSGD_OK)
            return status;
        const psgd_segment_head *head = segment->head;
        if (head->magic == SEGMENT_MAGIC && head->size >= 1 && head->size <= PSGD_GROUP_MAX_SIZE &&
            head->bytes == segment->bytes && segment->bytes == bytes_needed(head->size)) {
            find_buffers(segment);
            return PSGD_OK;
        }
        psgd_segment_unmap(segment);
    }
    psgd_group_explain(message, message_size, "%s names descriptor %d, which holds no group of this version",
                       PSGD_PROCESSES_VARIABLE, descriptor);
    return PSGD_ERR_IO;
}

void psgd_segment_unmap(psgd_segment *segment)
{
    /* Semaphores are not destroyed: other processes may still sleep on them; the memory ends with its last user. */
    if (segment->base != NULL)
        (void)munmap(segment->base, segment->bytes);
    *segment = (psgd_segment){0};
}

psgd_segment_rank *psgd_segment_rank_at(const psgd_segment *segment, int32_t rank)
{
    unsigned char *first = (unsigned char *)segment->base + aligned(sizeof(psgd_segment_head));
    return (psgd_segment_rank *)(void *)(first + (size_t)rank * aligned(sizeof(psgd_segment_rank)));
}

void psgd_segment_wake(const psgd_segment *segment, int32_t rank)
{
    /* The one way this fails is a counter that is full, so that the rank wakes anyway. */
    (void)sem_post(&psgd_segment_rank_at(segment, rank)->wake);
}

void psgd_segment_fail(const psgd_segment *segment)
{
    atomic_store(&segment->head->failed, 1);
    for (int32_t rank = 0; rank < segment->head->size; rank++)
        psgd_segment_wake(segment, rank);
}

void psgd_segment_sleep(const psgd_segment *segment, int32_t rank, int64_t deadline_nanoseconds)
{
    /* POSIX semaphores time out by the wall clock, which may be set. So each sleep is a fifth of a second at most, and
     * the time limit itself is measured by the caller on the monotonic clock. */
    const int64_t longest = 200000000;
    int64_t span = deadline_nanoseconds - psgd_monotonic_nanoseconds();
    if (span <= 0)
        return;
    if (span > longest)
        span = longest;
    struct timespec until = {0};
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)span;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec += 1;
    }
    (void)sem_timedwait(&psgd_segment_rank_at(segment, rank)->wake, &until);
}
