/* ranks.c: see ranks.h. Top to bottom: one rank, the way home, all ranks. */
#include "ranks.h"

#include "harness/casefile.h"
#include "harness/rank_notes.h"
#include "harness/runner_drive.h"
#include "psgd/comm.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMEOUT_SECONDS = 600 }; /* the fuzzer has a limit of its own */

/* ---- one rank ---- */

typedef struct rank {
    psgd_threads *group;
    int number;
    const test_case *c;
    const psgd_implementation *table;
    drive_options options;
    trace *t;
    bool ok; /* the kit's part went well */
    char message[256];
} rank;

/* No rank waits for one whose part of the kit failed. */
static bool all_well(void *context, bool ok)
{
    if (!ok)
        psgd_threads_fail(context);
    return ok;
}

static void *run_rank(void *argument)
{
    rank *self = argument;
    psgd_comm comm;
    self->ok = psgd_threads_join(self->group, self->number, &comm, self->message, sizeof self->message) == PSGD_OK &&
               drive_case(self->t, self->c, self->table, &comm, &self->options, self->message, sizeof self->message);
    (void)all_well(self->group, self->ok);
    psgd_threads_leave(&comm);
    return NULL;
}

static bool run_threads(rank *ranks, int size)
{
    pthread_t *threads = calloc((size_t)size, sizeof *threads);
    int started = 0;
    while (threads && started < size && pthread_create(&threads[started], NULL, run_rank, &ranks[started]) == 0)
        started++;
    if (started < size)
        psgd_threads_fail(ranks[0].group);
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

static bool make_ranks(rank *ranks, psgd_threads *group, const test_case *c, const psgd_implementation *table,
                       bool seeded, const char *folder)
{
    bool ok = true;
    for (int k = 0; k < c->world; k++) {
        ranks[k] = (rank){.group = group,
                          .number = k,
                          .c = c,
                          .table = table,
                          .options = {.seeded = seeded, .folder = folder, .all_well = all_well, .context = group},
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
    psgd_threads *group = NULL;
    rank *ranks = calloc((size_t)c->world, sizeof *ranks);
    trace *whole = NULL;
    if (psgd_threads_create(&group, c->world, TIMEOUT_SECONDS, message, message_size) == PSGD_OK) {
        if (ranks && make_ranks(ranks, group, c, table, seeded, folder))
            whole = run_group(c, ranks, message, message_size);
        else
            (void)snprintf(message, message_size, "no memory for the ranks");
    }
    for (int k = 0; ranks && k < c->world; k++)
        trace_free(ranks[k].t);
    free(ranks);
    psgd_threads_release(group);
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
