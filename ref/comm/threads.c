/* threads.c: the life of a group of threads: create, join, leave, fail, release. Its contract is in psgd/comm.h. Read
 * next: threads.h for how ranks meet. */
#include "threads.h"
#include "group.h"
#include <stdlib.h>
#include <time.h>

void psgd_threads_lock(psgd_threads *group)
{
    (void)pthread_mutex_lock(&group->lock); /* fails only where the mutex is not one */
}

void psgd_threads_unlock(psgd_threads *group)
{
    (void)pthread_mutex_unlock(&group->lock);
}

void psgd_threads_fail_locked(psgd_threads *group)
{
    group->failed = true;
    (void)pthread_cond_broadcast(&group->changed);
}

/* Its waits are timed by the clock that nobody sets. */
static bool make_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0)
        return false;
    const bool made =
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 && pthread_cond_init(condition, &attributes) == 0;
    (void)pthread_condattr_destroy(&attributes);
    return made;
}

psgd_status psgd_threads_create(psgd_threads **group, int32_t size, double timeout_seconds, char *message,
                                size_t message_size)
{
    if (group == NULL) {
        psgd_group_explain(message, message_size, "group is null");
        return PSGD_ERR_ARGUMENT;
    }
    *group = NULL;
    int64_t timeout = 0;
    const psgd_status status = psgd_group_check(&timeout, size, timeout_seconds, message, message_size);
    if (status != PSGD_OK)
        return status;
    psgd_threads *made = calloc(1, sizeof *made + (size_t)size * sizeof made->ranks[0]);
    if (made == NULL) {
        psgd_group_explain(message, message_size, "no memory for a group of %ld ranks", (long)size);
        return PSGD_ERR_MEMORY;
    }
    made->size = size;
    made->timeout_nanoseconds = timeout;
    made->end = UINT64_MAX;
    for (int32_t k = 0; k < size; k++)
        made->ranks[k] = (psgd_threads_rank){.group = made, .number = k};
    const bool has_lock = pthread_mutex_init(&made->lock, NULL) == 0;
    if (!has_lock || !make_condition(&made->changed)) {
        psgd_group_explain(message, message_size, "no mutex or no condition variable can be made");
        if (has_lock)
            (void)pthread_mutex_destroy(&made->lock);
        free(made);
        return PSGD_ERR_MEMORY;
    }
    *group = made;
    return PSGD_OK;
}

psgd_status psgd_threads_join(psgd_threads *group, int32_t rank, psgd_comm *comm, char *message, size_t message_size)
{
    if (group == NULL || comm == NULL) {
        psgd_group_explain(message, message_size, "%s is null", group == NULL ? "group" : "comm");
        return PSGD_ERR_ARGUMENT;
    }
    *comm = (psgd_comm){0};
    if (rank < 0 || rank >= group->size) {
        psgd_group_explain(message, message_size, "rank is %ld; it must be 0 to %ld", (long)rank,
                           (long)group->size - 1);
        return PSGD_ERR_ARGUMENT;
    }
    psgd_threads_rank *own = &group->ranks[rank];
    psgd_threads_lock(group);
    const bool taken = own->taken;
    own->taken = true;
    psgd_threads_unlock(group);
    if (taken) {
        psgd_group_explain(message, message_size, "rank %ld is taken", (long)rank);
        return PSGD_ERR_ARGUMENT;
    }
    *comm = (psgd_comm){.struct_size = (uint32_t)sizeof *comm,
                        .context = own,
                        .rank = rank,
                        .size = group->size,
                        .allreduce_sum = psgd_threads_allreduce_sum,
                        .start_allreduce_sum = psgd_threads_start,
                        .test = psgd_threads_test,
                        .wait = psgd_threads_wait};
    return PSGD_OK;
}

void psgd_threads_leave(psgd_comm *comm)
{
    if (comm == NULL || comm->context == NULL)
        return;
    const psgd_threads_rank *own = comm->context;
    psgd_threads *group = own->group;
    psgd_threads_lock(group);
    if (group->end > own->started)
        group->end = own->started;
    (void)pthread_cond_broadcast(&group->changed);
    psgd_threads_unlock(group);
    *comm = (psgd_comm){0};
}

void psgd_threads_fail(psgd_threads *group)
{
    if (group == NULL)
        return;
    psgd_threads_lock(group);
    psgd_threads_fail_locked(group);
    psgd_threads_unlock(group);
}

void psgd_threads_release(psgd_threads *group)
{
    if (group == NULL)
        return;
    psgd_threads_free_collectives(group);
    (void)pthread_cond_destroy(&group->changed);
    (void)pthread_mutex_destroy(&group->lock);
    free(group);
}
