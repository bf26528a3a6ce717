/* world_port.c: the reference, but for what it takes for its group; for cases on a subgroup. Environment:
 *
 *   WORLD_PORT         "meets": honest, but a collective of iteration 1 begins only when all ranks of the world are in
 * it. "divides-by-world": means are divided by the size of the world. "sums-over-world": sums go over all ranks of the
 * world, by a place that every rank knows. WORLD_PORT_WORLD   ranks of the world WORLD_PORT_FOLDER  the place: an empty
 * folder WORLD_PORT_GROUP   only groups of this size have the fault (all, if not set)
 *
 * Ranks that wait for others give up after ten seconds with PSGD_ERR_COMM.
 */
#define _POSIX_C_SOURCE 200809L

#include "psgd/ref.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE 1000 /* times 10 ms */
#define MOST     64   /* ranks */

struct psgd_state {
    psgd_state *real;
    psgd_comm comm; /* of the caller */
    int world;
    int calls; /* collectives so far */
    int64_t steps;
    const char *fault, *folder;
};

static int number_of(const char *variable, int otherwise)
{
    const char *text = getenv(variable);
    return text != NULL ? atoi(text) : otherwise;
}

static bool has(const psgd_state *s, const char *fault)
{
    return strcmp(s->fault, fault) == 0 && number_of("WORLD_PORT_GROUP", s->comm.size) == s->comm.size;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* The names of this call's files, sorted; how many there are. */
static int list(const psgd_state *s, char names[MOST][64])
{
    char prefix[16];
    int length = snprintf(prefix, sizeof prefix, "%d.", s->calls), count = 0;
    DIR *folder = opendir(s->folder);
    for (struct dirent *entry; folder != NULL && count < MOST && (entry = readdir(folder)) != NULL;)
        if (strncmp(entry->d_name, prefix, (size_t)length) == 0)
            (void)snprintf(names[count++], 64, "%.63s", entry->d_name);
    if (folder != NULL)
        (void)closedir(folder);
    qsort(names, (size_t)count, 64, compare_names);
    return count;
}

/* Leaves data[bytes] where all ranks of the world see it, and waits until all have. */
static bool meet(const psgd_state *s, const void *data, size_t bytes, char names[MOST][64])
{
    char partial[512], path[512];
    (void)snprintf(partial, sizeof partial, "%s/partial.%ld.%p", s->folder, (long)getpid(), (const void *)s);
    (void)snprintf(path, sizeof path, "%s/%d.%ld.%p", s->folder, s->calls, (long)getpid(), (const void *)s);
    FILE *file = fopen(partial, "wb");
    bool ok = file != NULL && (bytes == 0 || fwrite(data, bytes, 1, file) == 1);
    if (file != NULL)
        ok = fclose(file) == 0 && ok;
    ok = ok && rename(partial, path) == 0;
    for (int i = 0; ok && i < PATIENCE; i++) {
        if (list(s, names) == s->world)
            return true;
        (void)nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    return false;
}

static psgd_status sum_over_world(const psgd_state *s, float *data, size_t count)
{
    char names[MOST][64], path[512];
    float *part = malloc(count * sizeof *part + 1);
    bool ok = part != NULL && meet(s, data, count * sizeof *data, names);
    for (size_t i = 0; ok && i < count; i++)
        data[i] = 0;
    for (int k = 0; ok && k < s->world; k++) {
        (void)snprintf(path, sizeof path, "%s/%s", s->folder, names[k]);
        FILE *file = fopen(path, "rb");
        ok = file != NULL && (count == 0 || fread(part, count * sizeof *part, 1, file) == 1);
        if (file != NULL)
            (void)fclose(file);
        for (size_t i = 0; ok && i < count; i++)
            data[i] += part[i];
    }
    free(part);
    return ok ? PSGD_OK : PSGD_ERR_COMM;
}

static psgd_status allreduce(void *context, void *data, size_t count, psgd_dtype dtype)
{
    psgd_state *s = context;
    char names[MOST][64];
    psgd_status status = PSGD_OK;
    if (has(s, "sums-over-world"))
        status = sum_over_world(s, data, count);
    else if (has(s, "meets") && s->steps == 1 && !meet(s, NULL, 0, names))
        status = PSGD_ERR_COMM;
    s->calls++;
    if (status != PSGD_OK || has(s, "sums-over-world"))
        return status;
    return s->comm.allreduce_sum(s->comm.context, data, count, dtype);
}

static psgd_status create(const psgd_config *config, const psgd_comm *comm, psgd_state **state, char *message,
                          size_t message_size)
{
    psgd_state *s = calloc(1, sizeof *s);
    if (s == NULL)
        return PSGD_ERR_MEMORY;
    psgd_comm own = s->comm = *comm;
    s->fault = getenv("WORLD_PORT") != NULL ? getenv("WORLD_PORT") : "";
    s->folder = getenv("WORLD_PORT_FOLDER") != NULL ? getenv("WORLD_PORT_FOLDER") : ".";
    s->world = number_of("WORLD_PORT_WORLD", comm->size);
    own.context = s;
    own.allreduce_sum = allreduce;
    own.start_allreduce_sum = NULL;
    own.test = NULL;
    own.wait = NULL;
    if (has(s, "divides-by-world"))
        own.size = s->world;
    psgd_status status = psgd_ref()->create(config, &own, &s->real, message, message_size);
    if (status != PSGD_OK)
        free(s);
    else
        *state = s;
    return status;
}

static psgd_status step(psgd_state *s, const psgd_bucket *bucket)
{
    psgd_status status = psgd_ref()->step(s->real, bucket);
    s->steps += bucket->is_last ? 1 : 0;
    return status;
}

static void destroy(psgd_state *s)
{
    if (s == NULL)
        return;
    psgd_ref()->destroy(s->real);
    free(s);
}

static psgd_status peek(const psgd_state *s, psgd_part part, size_t bucket, size_t tensor, void *data, size_t bytes)
{
    return psgd_ref()->peek(s->real, part, bucket, tensor, data, bytes);
}

static psgd_status statistics(const psgd_state *s, psgd_statistics *out)
{
    return psgd_ref()->statistics(s->real, out);
}

static const char *last_error(const psgd_state *s)
{
    return psgd_ref()->last_error(s->real);
}

PSGD_EXPORT const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = (psgd_implementation){.struct_size = sizeof table,
                                  .abi = PSGD_ABI,
                                  .name = "world_port",
                                  .version = "1",
                                  .claims = psgd_ref()->claims &
                                            ~(uint64_t)(PSGD_CLAIM_CHECKPOINT | PSGD_CLAIM_ASYNC | PSGD_CLAIM_TORCH),
                                  .create = create,
                                  .step = step,
                                  .destroy = destroy,
                                  .peek = peek,
                                  .statistics = statistics,
                                  .last_error = last_error};
    return &table;
}
