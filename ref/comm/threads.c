/* threads.c: a group of ranks that are threads of one process. Its contract is in psgd/comm.h.
 *
 * Collectives are numbered, on each rank by itself, from 0: the n-th of one rank meets the n-th of every other. Each
 * has a place for every rank. start copies the rank's terms in; who comes last sums all of them; test and wait copy the
 * result out. So every buffer is touched by its own rank only, inside that rank's own calls: nobody has to wait for a
 * peer that still reads, and a rank that was told of a failure may free its buffer at once.
 *
 * One lock for everything, one condition that says that something changed: a collective was summed, the group failed,
 * a rank left. Sums are made under the lock. That is no loss to what this is for, and leaves no order of events to
 * think about. Read next: sum.h. */
#include "group.h"
#include "psgd/comm.h"
#include "sum.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One rank; context of its psgd_comm. */
typedef struct rank {
    psgd_threads *group;
    int32_t number;
    bool taken;       /* a thread has joined as this rank */
    uint64_t started; /* collectives: also the number of its next */
} rank;

/* One rank's part in one collective; the request of psgd_comm. */
typedef struct place {
    struct collective *collective;
    const rank *owner; /* null: has not come yet */
    void *data;        /* [count]: the owner's buffer */
    int64_t deadline;  /* of its patience, on the monotonic clock; 0: has not asked yet */
    bool copied;       /* data holds the sum */
} place;

typedef struct collective {
    struct collective *next; /* with a higher number */
    uint64_t number;
    size_t count;
    const psgd_value_type *type;
    int32_t arrived; /* ranks that handed in their terms */
    int32_t ended;   /* ranks whose request is freed: after the last, so is all this */
    bool summed;
    unsigned char *values; /* [1 + size][count]: the sum, then the terms of each rank */
    place places[];        /* [size] */
} collective;

struct psgd_threads {
    int32_t size;
    int64_t timeout_nanoseconds;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    bool failed;
    uint64_t end;      /* a rank has left without a part in this collective, nor in any later one */
    collective *first; /* the collectives under way, in the order of their numbers */
    rank ranks[];      /* [size] */
};

static void lock(psgd_threads *group)
{
    (void)pthread_mutex_lock(&group->lock); /* fails only where the mutex is not one */
}

static void unlock(psgd_threads *group)
{
    (void)pthread_mutex_unlock(&group->lock);
}

/* ---- What follows, up to the next banner, is called under the lock. ---- */

static void fail(psgd_threads *group)
{
    group->failed = true;
    (void)pthread_cond_broadcast(&group->changed);
}

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
static psgd_status start(place **request, rank *own, void *data, size_t count, const psgd_value_type *type)
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
        fail(group);
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
        fail(group);
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

static psgd_status threads_start(void *context, void *data, size_t count, psgd_dtype dtype, void **request)
{
    rank *own = context;
    if (request == NULL)
        return PSGD_ERR_ARGUMENT;
    *request = NULL;
    const psgd_value_type *type = psgd_value_type_of((uint32_t)dtype);
    if (own == NULL || type == NULL || (count > 0 && data == NULL) ||
        count > SIZE_MAX / psgd_dtype_size((uint32_t)dtype))
        return PSGD_ERR_ARGUMENT;
    place *p = NULL;
    lock(own->group);
    const psgd_status status = start(&p, own, data, count, type);
    unlock(own->group);
    *request = p;
    return status;
}

static psgd_status threads_test(void *context, void *request, bool *done)
{
    const rank *own = context;
    place *p = request;
    if (own == NULL || p == NULL || done == NULL || p->owner != own)
        return PSGD_ERR_ARGUMENT;
    bool pending = false;
    lock(own->group);
    const psgd_status status = look(p, &pending);
    unlock(own->group);
    *done = status == PSGD_OK && !pending;
    return status;
}

static psgd_status threads_wait(void *context, void *request)
{
    const rank *own = context;
    place *p = request;
    if (own == NULL || p == NULL || p->owner != own)
        return PSGD_ERR_ARGUMENT;
    lock(own->group);
    const psgd_status status = wait_for_sum(p);
    end_request(p);
    unlock(own->group);
    return status;
}

static psgd_status threads_allreduce_sum(void *context, void *data, size_t count, psgd_dtype dtype)
{
    void *request = NULL;
    const psgd_status status = threads_start(context, data, count, dtype, &request);
    return status == PSGD_OK ? threads_wait(context, request) : status;
}

/* ---- The life of a group ---- */

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
        made->ranks[k] = (rank){.group = made, .number = k};
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

psgd_status psgd_threads_join(psgd_threads *group, int32_t number, psgd_comm *comm, char *message, size_t message_size)
{
    if (group == NULL || comm == NULL) {
        psgd_group_explain(message, message_size, "%s is null", group == NULL ? "group" : "comm");
        return PSGD_ERR_ARGUMENT;
    }
    *comm = (psgd_comm){0};
    if (number < 0 || number >= group->size) {
        psgd_group_explain(message, message_size, "rank is %ld; it must be 0 to %ld", (long)number,
                           (long)group->size - 1);
        return PSGD_ERR_ARGUMENT;
    }
    rank *own = &group->ranks[number];
    lock(group);
    const bool taken = own->taken;
    own->taken = true;
    unlock(group);
    if (taken) {
        psgd_group_explain(message, message_size, "rank %ld is taken", (long)number);
        return PSGD_ERR_ARGUMENT;
    }
    *comm = (psgd_comm){.struct_size = (uint32_t)sizeof *comm,
                        .context = own,
                        .rank = number,
                        .size = group->size,
                        .allreduce_sum = threads_allreduce_sum,
                        .start_allreduce_sum = threads_start,
                        .test = threads_test,
                        .wait = threads_wait};
    return PSGD_OK;
}

void psgd_threads_leave(psgd_comm *comm)
{
    if (comm == NULL || comm->context == NULL)
        return;
    const rank *own = comm->context;
    psgd_threads *group = own->group;
    lock(group);
    if (group->end > own->started)
        group->end = own->started;
    (void)pthread_cond_broadcast(&group->changed);
    unlock(group);
    *comm = (psgd_comm){0};
}

void psgd_threads_fail(psgd_threads *group)
{
    if (group == NULL)
        return;
    lock(group);
    fail(group);
    unlock(group);
}

void psgd_threads_release(psgd_threads *group)
{
    if (group == NULL)
        return;
    while (group->first != NULL) {
        collective *c = group->first;
        group->first = c->next;
        free_collective(c);
    }
    (void)pthread_cond_destroy(&group->changed);
    (void)pthread_mutex_destroy(&group->lock);
    free(group);
}
