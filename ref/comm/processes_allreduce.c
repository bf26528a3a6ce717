/* processes_allreduce.c: the sum over the ranks of a group of processes. How ranks meet is told in processes.h.
 *
 * Refuses what is no psgd_dtype, and ranks that disagree on count or type: that fails the group. */
#include "processes.h"
#include "sum.h"
#include <string.h>

/* Every rank has arrived: do all of them mean the same collective? */
static bool ranks_agree(const psgd_segment *segment, const psgd_segment_rank *own)
{
    for (int32_t rank = 0; rank < segment->head->size; rank++) {
        const psgd_segment_rank *place = psgd_segment_rank_at(segment, rank);
        if (place->count != own->count || place->dtype != own->dtype)
            return false;
    }
    return true;
}

/* Sleeps until the chunk after `generation` is summed. What is summed already counts, even if the group failed later.
 */
static psgd_status wait_for_sum(const psgd_processes *group, unsigned generation)
{
    const psgd_segment *segment = &group->segment;
    int64_t deadline = psgd_monotonic_nanoseconds() + segment->head->timeout_nanoseconds;
    for (;;) {
        /* Before generation: who fails a group has summed first. */
        bool failed = atomic_load(&segment->head->failed) != 0;
        if (atomic_load(&segment->head->generation) != generation)
            return PSGD_OK;
        if (failed)
            return PSGD_ERR_COMM;
        if (psgd_monotonic_nanoseconds() >= deadline) {
            psgd_segment_fail(segment);
            return PSGD_ERR_COMM;
        }
        psgd_segment_sleep(segment, group->rank, deadline);
    }
}

/* Sums one chunk of a buffer of `total` elements: elements[count] of this rank become the sum over all ranks. */
static psgd_status sum_chunk(const psgd_processes *group, void *elements, size_t count, size_t total,
                             const psgd_value_type *type)
{
    const psgd_segment *segment = &group->segment;
    psgd_segment_head *head = segment->head;
    if (atomic_load(&head->failed) != 0)
        return PSGD_ERR_COMM;
    psgd_segment_rank *own = psgd_segment_rank_at(segment, group->rank);
    own->count = total;
    own->dtype = (uint32_t)type->dtype;
    if (count > 0)
        memcpy(segment->terms + (size_t)group->rank * PSGD_PROCESSES_CHUNK, elements,
               count * psgd_dtype_size((uint32_t)type->dtype));

    unsigned generation = atomic_load(&head->generation);
    if (atomic_fetch_add(&head->arrived, 1) + 1 == (unsigned)head->size) {
        if (!ranks_agree(segment, own)) {
            psgd_segment_fail(segment);
            return PSGD_ERR_COMM;
        }
        psgd_sum(segment->result, segment->terms, type, count, (size_t)head->size, PSGD_PROCESSES_CHUNK);
        atomic_store(&head->arrived, 0);
        atomic_store(&head->generation, generation + 1);
        for (int32_t rank = 0; rank < head->size; rank++)
            if (rank != group->rank)
                psgd_segment_wake(segment, rank);
    } else {
        psgd_status status = wait_for_sum(group, generation);
        if (status != PSGD_OK)
            return status;
    }
    if (count > 0)
        memcpy(elements, segment->result, count * psgd_dtype_size((uint32_t)type->dtype));
    return PSGD_OK;
}

psgd_status psgd_processes_allreduce_sum(void *context, void *data, size_t count, psgd_dtype dtype)
{
    const psgd_processes *group = context;
    size_t size = psgd_dtype_size((uint32_t)dtype);
    if (group == NULL || size == 0 || (count > 0 && data == NULL) || count > SIZE_MAX / size)
        return PSGD_ERR_ARGUMENT;
    const psgd_value_type *type = psgd_value_type_of((uint32_t)dtype);
    const size_t chunk = PSGD_PROCESSES_CHUNK / size;
    size_t first = 0;
    do { /* once for an empty buffer too: ranks meet in every collective */
        size_t n = count - first < chunk ? count - first : chunk;
        unsigned char *elements = data == NULL ? NULL : (unsigned char *)data + first * size;
        psgd_status status = sum_chunk(group, elements, n, count, type);
        if (status != PSGD_OK)
            return status;
        first += n;
    } while (first < count);
    return PSGD_OK;
}
