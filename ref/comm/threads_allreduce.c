/* threads_allreduce.c: the sum over the ranks of a group of threads. How ranks meet is told in threads.h.
 *
 * Refuses what is no element type, and ranks that disagree on count or type: that fails the group. */
#include "group.h"
#include "sum.h"
#include "threads.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One rank's part in one collective; the request of psgd_comm. */
typedef struct place {
    struct psgd_threads_collective *collective;
    const psgd_threads_rank *owner; /* null: has not come yet */
    void *data;                     /* [count]: the owner's buffer */
    int64_t deadline;               /* of its patience, on the monotonic clock; 0: has not asked yet */
    bool copied;                    /* data holds the sum */
} place;

typedef struct psgd_threads_collective {
    struct psgd_threads_collective *next; /* with a higher number */
    uint64_t number;
    size_t count;
    const psgd_value_type *type;
    int32_t arrived; /* ranks that handed in their terms */
    int32_t ended;   /* ranks whose request is freed: after the last, so is all this */
    bool summed;
    unsigned char *values; /* [1 + size][count]: the sum, then the terms of each rank */
    place places[];        /* [size] */
} collective;

/* ---- What follows, up to the next banner, is called under the lock. ---- */

static size_t byte_count(const collective *c)
{
    return c->count * psgd_dtype_size((uint32_t)c->type->dtype);
}

static void free_collective(collective *c)
{
    if (c != NULL)
        free(c->values);
    free(c);
}

/* Where the pointer to the collective of this number is, or where it would have to be. */
static collective **find(psgd_threads *group, uint64_t number)
{
    collective **link = &group->first;
    while (*link != NULL && (*link)->number < number)
        link = &(*link)->next;
    return link;
}

/* The first rank to come makes the collective. Null without memory. */
static collective *make_collective(const psgd_threads *group, uint64_t number, size_t count,
                                   const psgd_value_type *type)
{
    const size_t buffers = (size_t)group->size + 1;
    const size_t bytes = count * psgd_dtype_size((uint32_t)type->dtype);
    if (bytes > (SIZE_MAX - 1) / buffers)
        return NULL;
    collective *made = calloc(1, sizeof *made + (size_t)group->size * sizeof made->places[0]);
    unsigned char *values = malloc(buffers * bytes + 1);
    if (made == NULL || values == NULL) {
        free(values);
        free(made);
        return NULL;
    }
    made->number = number;
    made->count = count;
    made->type = type;
    made->values = values;
    return made;
}

/* The own rank's next collective; the request is null unless PSGD_OK. */
static psgd_status start(place **request, psgd_threads_rank *own, void *data, size_t count, const psgd_value_type *type)
{
    psgd_threads *group = own->group;
    const uint64_t number = own->started;
    if (group->failed || number >= group->end)
        return PSGD_ERR_COMM;
    collective **link = find(group, number);
    if (*link == NULL) { /* all others under way have a lower number: they have had this rank */
        *link = make_collective(group, number, count, type);
        if (*link == NULL)
            return PSGD_ERR_MEMORY;
    }
    collective *c = *link;
    if (c->count != count || c->type != type) {
        psgd_threads_fail_locked(group);
        return PSGD_ERR_COMM;
    }
    own->started++;
    place *p = &c->places[own->number];
    *p = (place){.collective = c, .owner = own, .data = data};
    const size_t bytes = byte_count(c);
    unsigned char *terms = c->values + bytes;
    if (bytes > 0)
        memcpy(terms + (size_t)own->number * bytes, data, bytes);
    c->arrived++;
    if (c->arrived == group->size) {
        psgd_sum(c->values, terms, type, count, (size_t)group->size, bytes);
        c->summed = true;
        (void)pthread_cond_broadcast(&group->changed);
    }
    *request = p;
    return PSGD_OK;
}

/* PSGD_OK if the sum is there, and in the rank's buffer; or if *pending says that there is still hope. What was summed
 * counts, even if the group failed later. */
static psgd_status look(place *p, bool *pending)
{
    const collective *c = p->collective;
    psgd_threads *group = p->owner->group;
    *pending = false;
    if (c->summed) {
        if (!p->copied && c->count > 0)
            memcpy(p->data, c->values, byte_count(c));
        p->copied = true;
        return PSGD_OK;
    }
    if (group->failed || c->number >= group->end)
        return PSGD_ERR_COMM;
    const int64_t now = psgd_monotonic_nanoseconds();
    if (p->deadline == 0)
        p->deadline = now + group->timeout_nanoseconds;
    else if (now >= p->deadline) {
        psgd_threads_fail_locked(group);
        return PSGD_ERR_COMM;
    }
    *pending = true;
    return PSGD_OK;
}

/* Until the sum is there, or the group has failed. */
static psgd_status wait_for_sum(place *p)
{
    psgd_threads *group = p->owner->group;
    for (;;) {
        bool pending = false;
        const psgd_status status = look(p, &pending);
        if (!pending)
            return status;
        const struct timespec until = {(time_t)(p->deadline / 1000000000), (long)(p->deadline % 1000000000)};
        (void)pthread_cond_timedwait(&group->changed, &group->lock, &until);
    }
}

/* Frees a request, and with the last one its collective. */
static void end_request(place *p)
{
    collective *c = p->collective;
    psgd_threads *group = p->owner->group;
    c->ended++;
    if (c->ended < group->size)
        return;
    collective **link = find(group, c->number);
    *link = c->next;
    free_collective(c);
}

/* ---- The calls of a psgd_comm ---- */

psgd_status psgd_threads_start(void *context, void *data, size_t count, psgd_dtype dtype, void **request)
{
    psgd_threads_rank *own = context;
    if (request == NULL)
        return PSGD_ERR_ARGUMENT;
    *request = NULL;
    const size_t size = psgd_dtype_size((uint32_t)dtype);
    if (own == NULL || size == 0 || (count > 0 && data == NULL) || count > SIZE_MAX / size)
        return PSGD_ERR_ARGUMENT;
    const psgd_value_type *type = psgd_value_type_of((uint32_t)dtype);
    place *p = NULL;
    psgd_threads_lock(own->group);
    const psgd_status status = start(&p, own, data, count, type);
    psgd_threads_unlock(own->group);
    *request = p;
    return status;
}

psgd_status psgd_threads_test(void *context, void *request, bool *done)
{
    const psgd_threads_rank *own = context;
    place *p = request;
    if (own == NULL || p == NULL || done == NULL || p->owner != own)
        return PSGD_ERR_ARGUMENT;
    bool pending = false;
    psgd_threads_lock(own->group);
    const psgd_status status = look(p, &pending);
    psgd_threads_unlock(own->group);
    *done = status == PSGD_OK && !pending;
    return status;
}

psgd_status psgd_threads_wait(void *context, void *request)
{
    const psgd_threads_rank *own = context;
    place *p = request;
    if (own == NULL || p == NULL || p->owner != own)
        return PSGD_ERR_ARGUMENT;
    psgd_threads_lock(own->group);
    const psgd_status status = wait_for_sum(p);
    end_request(p);
    psgd_threads_unlock(own->group);
    return status;
}

psgd_status psgd_threads_allreduce_sum(void *context, void *data, size_t count, psgd_dtype dtype)
{
    void *request = NULL;
    const psgd_status status = psgd_threads_start(context, data, count, dtype, &request);
    return status == PSGD_OK ? psgd_threads_wait(context, request) : status;
}

void psgd_threads_free_collectives(psgd_threads *group)
{
    while (group->first != NULL) {
        collective *c = group->first;
        group->first = c->next;
        free_collective(c);
    }
}
