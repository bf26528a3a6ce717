/* rank_threads.c: see rank_threads.h. One or two groups, each with its case, its psgd_threads and its ranks; the port
 * is loaded by the main thread, which then waits for the others. Whatever ends the process ends all ranks: rank_crash.h
 * notes whose thread it was.
 */
#include "harness/rank_threads.h"

#include "harness/casefile.h"
#include "harness/implementation.h"
#include "harness/message.h"
#include "harness/rank_crash.h"
#include "harness/rank_run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define STACK_SIZE ((size_t)8 * 1024 * 1024) /* what a process's main thread has by default, whatever a thread has */

typedef struct thread {
    rank r;
    int number; /* within the group */
    pthread_t id;
    bool started;
    bool ok;
} thread;

typedef struct group {
    const char *folder;
    const char *case_file; /* or null */
    int size;
    test_case c;
    psgd_threads *collectives;
    thread *threads; /* [size] */
} group;

typedef struct host {
    const rank_arguments *arguments;
    const scenario *s; /* or null */
    implementation impl;
    group groups[2];
    int count;
} host;

/* ---- the whole process ---- */

/* All ranks end this way. */
static bool all_end(host *h, rank_ending ending, const char *message)
{
    for (int i = 0; i < h->count; i++)
        for (int k = 0; k < h->groups[i].size; k++) {
            rank_answer *answer = h->groups[i].threads[k].r.answer;
            (void)refuse(answer->message, sizeof answer->message, "%s", message);
            (void)rank_ends(answer, ending, false);
        }
    return false;
}

static void all_doing(host *h, const char *what)
{
    for (int i = 0; i < h->count; i++)
        for (int k = 0; k < h->groups[i].size; k++)
            rank_answer_doing(h->groups[i].threads[k].r.answer, -1, 0, what);
}

/* False: not even the answers are there. */
static bool open_answers(host *h)
{
    char message[256];
    for (int i = 0; i < h->count; i++) {
        group *g = &h->groups[i];
        g->threads = calloc((size_t)g->size, sizeof *g->threads);
        if (g->threads == NULL)
            return false;
        for (int k = 0; k < g->size; k++) {
            thread *t = &g->threads[k];
            t->number = k;
            t->r = (rank){.folder = g->folder, .s = h->s, .seeded = h->arguments->seeded};
            t->r.answer = rank_answer_open(g->folder, k, message, sizeof message);
            if (t->r.answer == NULL)
                return false;
        }
    }
    return true;
}

static bool load(host *h)
{
    char message[1024];
    if (!rank_crash_watch())
        return all_end(h, ENDING_KIT_FAILED, "the signals cannot be watched");
    all_doing(h, "being loaded");
    if (!implementation_load(&h->impl, h->arguments->implementation, message, sizeof message))
        return all_end(h, ENDING_NOT_LOADED, message);
    if (!rank_crash_watch_exit())
        return all_end(h, ENDING_KIT_FAILED, "the end of the process cannot be watched");
    for (int i = 0; i < h->count; i++)
        for (int k = 0; k < h->groups[i].size; k++) {
            rank *r = &h->groups[i].threads[k].r;
            r->table = h->impl.table;
            rank_has_loaded(r->answer, r->table);
        }
    return true;
}

/* Everything that the ranks of a group share, made before the first of them runs. */
static bool make_group(host *h, group *g)
{
    char message[1024];
    if (g->case_file != NULL && !casefile_read(&g->c, g->case_file, message, sizeof message)) {
        g->case_file = NULL;
        return all_end(h, ENDING_KIT_FAILED, message);
    }
    /* The kit's own time limit comes first, and the alarm if the kit is no longer there. */
    if (psgd_threads_create(&g->collectives, g->size, h->arguments->limit + 1, message, sizeof message) != PSGD_OK)
        return all_end(h, ENDING_KIT_FAILED, message);
    for (int k = 0; k < g->size; k++) {
        rank *r = &g->threads[k].r;
        r->c = g->case_file != NULL ? &g->c : NULL;
        r->threads = g->collectives;
    }
    return true;
}

/* ---- a rank ---- */

static void *run_thread(void *context)
{
    thread *t = context;
    rank *r = &t->r;
    unsigned char stack[RANK_CRASH_STACK]; /* at the far end from where this thread's stack runs out */
    if (!rank_crash_begin(r->answer, stack)) {
        (void)refuse(r->answer->message, sizeof r->answer->message, "no stack for a signal handler");
        t->ok = rank_ends(r->answer, ENDING_KIT_FAILED, false);
        rank_give_up(r);
        return NULL;
    }
    rank_answer_doing(r->answer, -1, 0, "joining its group");
    if (psgd_threads_join(r->threads, t->number, &r->comm, r->answer->message, sizeof r->answer->message) != PSGD_OK) {
        t->ok = rank_ends(r->answer, ENDING_KIT_FAILED, false);
        rank_give_up(r);
    } else {
        t->ok = rank_run(r);
        psgd_threads_leave(&r->comm);
    }
    rank_crash_done();
    return NULL;
}

static bool start_thread(thread *t, const pthread_attr_t *attributes)
{
    int error = pthread_create(&t->id, attributes, run_thread, t);
    t->started = error == 0;
    if (t->started)
        return true;
    rank_give_up(&t->r);
    (void)refuse(t->r.answer->message, sizeof t->r.answer->message, "no thread for rank %d: %s", t->number,
                 strerror(error));
    return rank_ends(t->r.answer, ENDING_KIT_FAILED, false);
}

static bool start_and_wait(host *h)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstacksize(&attributes, STACK_SIZE) != 0)
        return all_end(h, ENDING_KIT_FAILED, "the threads' attributes cannot be set");
    bool ok = true;
    for (int i = 0; i < h->count; i++)
        for (int k = 0; k < h->groups[i].size; k++)
            ok = start_thread(&h->groups[i].threads[k], &attributes) && ok;
    for (int i = 0; i < h->count; i++)
        for (int k = 0; k < h->groups[i].size; k++) {
            thread *t = &h->groups[i].threads[k];
            ok = (!t->started || pthread_join(t->id, NULL) == 0) && t->ok && ok;
        }
    (void)pthread_attr_destroy(&attributes);
    return ok;
}

static bool run(host *h)
{
    if (!load(h))
        return false;
    for (int i = 0; i < h->count; i++)
        if (!make_group(h, &h->groups[i]))
            return false;
    return start_and_wait(h);
}

static void free_host(host *h)
{
    for (int i = 0; i < h->count; i++) {
        group *g = &h->groups[i];
        psgd_threads_release(g->collectives);
        for (int k = 0; g->threads != NULL && k < g->size; k++)
            rank_answer_close(g->threads[k].r.answer);
        free(g->threads);
        if (g->case_file != NULL)
            case_free(&g->c);
    }
    /* The port stays loaded until the process ends: nothing asks it to survive being unloaded. */
    free(h->impl.path);
    free(h->impl.option);
}

bool rank_threads_run(const rank_arguments *a)
{
    host h = {.arguments = a, .count = 1};
    h.groups[0] = (group){.folder = a->folder, .case_file = a->case_file, .size = a->threads};
    if (a->others > 0) {
        h.groups[1] = (group){.folder = a->others_folder, .case_file = a->others_case, .size = a->others};
        h.count = 2;
    }
    h.s = a->scenario_name != NULL ? scenario_find(a->scenario_name) : NULL;
    bool ok = false;
    if (open_answers(&h))
        ok = a->scenario_name != NULL && h.s == NULL ? all_end(&h, ENDING_KIT_FAILED, "there is no such scenario")
                                                     : run(&h);
    free_host(&h);
    return ok;
}
