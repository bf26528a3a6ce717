/* ranks.c: see ranks.h. Top to bottom: a group of threads and its all-reduce, one rank, the way home, all ranks. */
#include "ranks.h"

#include "comm/sum.h"
#include "harness/casefile.h"
#include "harness/rank_notes.h"
#include "harness/runner_drive.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the group ---- */

typedef struct group {
    int size;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    bool failed;
    uint64_t sums; /* collectives done */
    int arrived;   /* ranks that wait in the one at hand */
    void **data;   /* [size]: theirs */
    size_t count;
    psgd_dtype dtype;
} group;

typedef struct rank {
    group *group;
    int number;
    const test_case *c;
    const psgd_implementation *table;
    drive_options options;
    trace *t;
    bool ok; /* the kit's part went well */
    char message[256];
} rank;

static void fail_locked(group *g)
{
    g->failed = true;
    (void)pthread_cond_broadcast(&g->changed);
}

/* All ranks are here and wait, so their data may be read and written. Rank 0 first, as every communicator of
 * psgd/comm.h does it. */
static bool sum_locked(group *g)
{
    const psgd_value_type *type = psgd_value_type_of((uint32_t)g->dtype);
    if (!type)
        return false;
    const size_t bytes = g->count * psgd_dtype_size((uint32_t)g->dtype);
    char *terms = malloc((bytes + 1) * (size_t)g->size), *result = malloc(bytes + 1);
    const bool ok = terms && result;
    for (int k = 0; ok && bytes > 0 && k < g->size; k++)
        memcpy(terms + (size_t)k * bytes, g->data[k], bytes);
    if (ok)
        psgd_sum(result, terms, type, g->count, (size_t)g->size, bytes);
    for (int k = 0; ok && bytes > 0 && k < g->size; k++)
        memcpy(g->data[k], result, bytes);
    free(terms);
    free(result);
    return ok;
}

static psgd_status allreduce_sum(void *context, void *data, size_t count, psgd_dtype dtype)
{
    const rank *self = context;
    group *g = self->group;
    (void)pthread_mutex_lock(&g->lock);
    const uint64_t this = g->sums;
    if (g->arrived == 0) {
        g->count = count;
        g->dtype = dtype;
    }
    g->data[self->number] = data;
    g->arrived++;
    if (g->failed || g->count != count || g->dtype != dtype) {
        fail_locked(g);
    } else if (g->arrived == g->size) {
        g->arrived = 0;
        g->sums++;
        if (sum_locked(g))
            (void)pthread_cond_broadcast(&g->changed);
        else
            fail_locked(g);
    }
    while (g->sums == this && !g->failed)
        (void)pthread_cond_wait(&g->changed, &g->lock);
    const bool failed = g->failed;
    (void)pthread_mutex_unlock(&g->lock);
    return failed ? PSGD_ERR_COMM : PSGD_OK;
}

/* ---- one rank ---- */

/* No rank waits for one that has ended. */
static bool all_well(void *context, bool ok)
{
    group *g = context;
    if (!ok) {
        (void)pthread_mutex_lock(&g->lock);
        fail_locked(g);
        (void)pthread_mutex_unlock(&g->lock);
    }
    return ok;
}

static void *run_rank(void *argument)
{
    rank *self = argument;
    const psgd_comm comm = {.struct_size = (uint32_t)sizeof comm,
                            .context = self,
                            .rank = self->number,
                            .size = self->group->size,
                            .allreduce_sum = allreduce_sum};
    self->ok = drive_case(self->t, self->c, self->table, &comm, &self->options, self->message, sizeof self->message);
    (void)all_well(self->group, self->ok);
    return NULL;
}

static bool run_threads(rank *ranks, int size)
{
    pthread_t *threads = calloc((size_t)size, sizeof *threads);
    int started = 0;
    while (threads && started < size && pthread_create(&threads[started], NULL, run_rank, &ranks[started]) == 0)
        started++;
    if (started < size)
        (void)all_well(ranks[0].group, false);
    for (int k = 0; k < started; k++)
        (void)pthread_join(threads[k], NULL);
    free(threads);
    return started == size;
}

/* ---- the way home ---- */

static bool bring_home(trace *whole, const rank *r, char *message, size_t message_size)
{
    void *result = NULL, *notes = NULL;
    size_t result_size = 0, notes_size = 0;
    bool ok = resultfile_serialize(r->c, r->t, r->number, &result, &result_size, message, message_size) &&
              resultfile_parse(r->c, &whole, r->number, result, result_size, message, message_size);
    if (ok && !(rank_notes_serialize(&notes, &notes_size, r->t, r->number) &&
                rank_notes_apply(whole, r->number, notes, notes_size))) {
        (void)snprintf(message, message_size, "the notes of rank %d did not come home", r->number);
        ok = false;
    }
    free(result);
    free(notes);
    return ok;
}

/* ---- all of them ---- */

static bool make_ranks(rank *ranks, group *g, const test_case *c, const psgd_implementation *table, bool seeded,
                       const char *folder)
{
    bool ok = true;
    for (int k = 0; k < g->size; k++) {
        ranks[k] = (rank){.group = g,
                          .number = k,
                          .c = c,
                          .table = table,
                          .options = {.seeded = seeded, .folder = folder, .all_well = all_well, .context = g},
                          .t = trace_create(c->steps, c->bucket_count, c->tensor_counts, c->world)};
        ok = ok && ranks[k].t;
    }
    return ok;
}

static trace *run_group(const test_case *c, rank *ranks, char *message, size_t message_size)
{
    trace *whole = trace_create(c->steps, c->bucket_count, c->tensor_counts, c->world);
    bool ok = whole && run_threads(ranks, c->world);
    if (!ok)
        (void)snprintf(message, message_size, "no memory, or no threads");
    for (int k = 0; ok && k < c->world; k++) {
        ok = ranks[k].ok;
        if (ok)
            ok = bring_home(whole, &ranks[k], message, message_size);
        else
            (void)snprintf(message, message_size, "%s", ranks[k].message);
    }
    if (!ok) {
        trace_free(whole);
        whole = NULL;
    }
    return whole;
}

static trace *run_case(const test_case *c, const psgd_implementation *table, bool seeded, const char *folder,
                       char *message, size_t message_size)
{
    group g = {.size = c->world, .data = calloc((size_t)c->world, sizeof *g.data)};
    rank *ranks = calloc((size_t)c->world, sizeof *ranks);
    trace *whole = NULL;
    (void)pthread_mutex_init(&g.lock, NULL);
    (void)pthread_cond_init(&g.changed, NULL);
    if (g.data && ranks && make_ranks(ranks, &g, c, table, seeded, folder))
        whole = run_group(c, ranks, message, message_size);
    else
        (void)snprintf(message, message_size, "no memory for the ranks");
    for (int k = 0; ranks && k < g.size; k++)
        trace_free(ranks[k].t);
    (void)pthread_cond_destroy(&g.changed);
    (void)pthread_mutex_destroy(&g.lock);
    free(ranks);
    free(g.data);
    return whole;
}

trace *ranks_run(const test_case *c, const psgd_implementation *table, bool seeded, const char *folder, char *message,
                 size_t message_size)
{
    void *bytes = NULL;
    size_t size = 0;
    test_case read;
    trace *t = NULL;
    if (casefile_serialize(c, true, &bytes, &size, message, message_size) &&
        casefile_parse(&read, bytes, size, message, message_size)) {
        t = run_case(&read, table, seeded, folder, message, message_size);
        case_free(&read);
    }
    free(bytes);
    return t;
}
