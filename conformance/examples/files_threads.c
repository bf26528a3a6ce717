/* files_threads.c: PROGRAM DIR, each rank of a case a thread. Ends with 0 when a result of each case that the port's
 * claims cover is written, whatever the result says; how good it is, is for others to judge. */
#include "files_port.h"

#include "psgd/comm.h"

#include <pthread.h>
#include <stdlib.h>

#define PATIENCE 600.0 /* seconds that a rank waits for the others */

typedef struct worker {
    pthread_t thread;
    bool started;
    psgd_threads *group;
    psgd_comm comm;
    const file_case *c;
    const psgd_implementation *port;
    const char *folder;
    rank_result *result;
} worker;

static void *work(void *context)
{
    worker *w = context;
    rank_run(w->result, w->c, w->port, &w->comm, w->folder);
    if (w->result->status != PSGD_OK)
        psgd_threads_fail(w->group); /* nobody waits for a rank that has given up */
    return NULL;
}

static bool run_all(rank_result *results, worker *workers, const file_case *c, const psgd_implementation *port,
                    const char *folder, char *message)
{
    psgd_threads *group = NULL;
    bool ok = psgd_threads_create(&group, c->world, PATIENCE, message, TEXT) == PSGD_OK;
    for (int k = 0; ok && k < c->world; k++) {
        workers[k] = (worker){.group = group, .c = c, .port = port, .folder = folder, .result = &results[k]};
        ok = psgd_threads_join(group, k, &workers[k].comm, message, TEXT) == PSGD_OK;
    }
    for (int k = 0; ok && k < c->world; k++) {
        workers[k].started = pthread_create(&workers[k].thread, NULL, work, &workers[k]) == 0;
        ok = workers[k].started;
        if (!ok)
            (void)snprintf(message, TEXT, "no thread for rank %d", k);
    }
    if (!ok)
        psgd_threads_fail(group);
    for (int k = 0; k < c->world; k++)
        if (workers[k].started)
            (void)pthread_join(workers[k].thread, NULL);
    psgd_threads_release(group);
    return ok;
}

static bool answer(const file_case *c, const psgd_implementation *port, const char *folder, char *message)
{
    rank_result *results = calloc((size_t)c->world, sizeof *results);
    worker *workers = calloc((size_t)c->world, sizeof *workers);
    bool ok = results != NULL && workers != NULL;
    if (!ok)
        (void)snprintf(message, TEXT, "no memory for %d ranks", c->world);
    ok = ok && run_all(results, workers, c, port, folder, message) &&
         result_write(c, port, results, 0, c->world, false, folder, message);
    for (int k = 0; results != NULL && k < c->world; k++)
        rank_free(&results[k]);
    free(results);
    free(workers);
    return ok;
}

int main(int argc, char **argv)
{
    const psgd_implementation *port = psgd_implementation_entry();
    char message[TEXT] = "", **ids = NULL;
    size_t count = 0;
    if (argc != 2 || port == NULL) {
        fprintf(stderr, "%s\n", argc != 2 ? "usage: PROGRAM DIR" : "the port is not there");
        return 2;
    }
    bool ok = file_cases_list(&ids, &count, argv[1], message);
    for (size_t i = 0; ok && i < count; i++) {
        file_case c;
        ok = file_case_open(&c, argv[1], ids[i], port->claims, message) &&
             (!c.wanted || answer(&c, port, argv[1], message));
        file_case_close(&c);
    }
    for (size_t i = 0; i < count; i++)
        free(ids[i]);
    free(ids);
    if (!ok)
        fprintf(stderr, "%s: %s\n", argv[0], message);
    return ok ? 0 : 1;
}
