/* files_rank.c: what one rank does with a case: create, a step for each bucket, a look at the state after it, destroy.
 * What it leaves is kept as tensors under their names in the file.
 */
#include "files_port.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct rank {
    rank_result *result;
    const file_case *c;
    const psgd_implementation *port;
    const psgd_comm *comm;
    psgd_q_source q_source;
    psgd_state *state;
    int64_t step;
    size_t bucket;
    const char *checkpoint; /* path */
} rank;

/* ---- what is said, what is kept ---- */

void rank_says(rank_result *result, psgd_status status, const char *message)
{
    result->status = status;
    (void)snprintf(result->message, TEXT, "%s", message);
}

void rank_free(rank_result *result)
{
    for (size_t i = 0; i < result->tensor_count; i++)
        free((void *)result->tensors[i].data);
    free(result->tensors);
    free(result->statistics);
    *result = (rank_result){.status = PSGD_OK};
}

static bool fails(rank *k, psgd_status status, const char *what)
{
    const char *words = k->state != NULL && k->port->last_error != NULL ? k->port->last_error(k->state) : "";
    char text[TEXT];
    (void)snprintf(text, TEXT, "%s gave %s in step %lld, bucket %zu%s%s", what, psgd_status_name(status),
                   (long long)k->step, k->bucket, words[0] != '\0' ? ": " : "", words);
    rank_says(k->result, status, text);
    return false;
}

/* Room for a tensor [dims[0]] or [dims[0]][dims[1]] of this name ("out", ...; kind and number: 'k' a rank, 'i' a
 * tensor). Null without memory. */
static void *keep(rank *k, const char *name, char kind, size_t number, size_t rows, size_t columns)
{
    rank_result *r = k->result;
    const size_t count = columns > 0 ? rows * columns : rows, bytes = count * psgd_dtype_size(k->c->dtype);
    psgd_tensor *more = realloc(r->tensors, (r->tensor_count + 1) * sizeof *more);
    if (more == NULL)
        return NULL;
    r->tensors = more;
    char *data = malloc(bytes + 96);
    if (data == NULL)
        return NULL;
    (void)snprintf(data + bytes, 96, "%s/t%lld/b%zu/%c%zu", name, (long long)k->step, k->bucket, kind, number);
    more[r->tensor_count++] = (psgd_tensor){.name = data + bytes,
                                            .element = (psgd_element)k->c->dtype,
                                            .ndim = columns > 0 ? 2 : 1,
                                            .dims = {rows, columns},
                                            .bytes = bytes,
                                            .data = data};
    return data;
}

/* The tensors from this one on are no results. */
static void drop(rank_result *r, size_t first)
{
    while (r->tensor_count > first)
        free((void *)r->tensors[--r->tensor_count].data);
}

/* ---- Q ---- */

static const psgd_tensor *q_in_case(const file_case *c, uint64_t step, size_t bucket, size_t tensor)
{
    char name[96];
    (void)snprintf(name, sizeof name, "q0/t%llu/b%zu/i%zu", (unsigned long long)step, bucket, tensor);
    return psgd_safetensors_find(c->file, name);
}

/* The case's own Q; for a port that draws where the hook does not, that of another step. */
static psgd_status draw(void *context, uint64_t step, size_t bucket, size_t tensor, psgd_dtype dtype, size_t m,
                        size_t r, void *q)
{
    const file_case *c = context;
    const psgd_tensor *found = q_in_case(c, step, bucket, tensor);
    for (int64_t t = 0; found == NULL && t < c->steps; t++)
        found = q_in_case(c, (uint64_t)t, bucket, tensor);
    if (found == NULL || dtype != c->dtype || found->bytes != m * r * psgd_dtype_size(dtype))
        return PSGD_ERR_ARGUMENT;
    memcpy(q, found->data, found->bytes);
    return PSGD_OK;
}

static bool has_q(const file_case *c)
{
    for (size_t i = 0; i < psgd_safetensors_count(c->file); i++)
        if (strncmp(psgd_safetensors_at(c->file, i)->name, "q0/", 3) == 0)
            return true;
    return false;
}

/* ---- the state ---- */

static bool create(rank *k)
{
    psgd_config config = k->c->config;
    char message[TEXT] = "";
    config.q_source = k->result->q_given ? &k->q_source : NULL;
    psgd_status status = k->port->create(&config, k->comm, &k->state, message, TEXT);
    if (status == PSGD_ERR_UNSUPPORTED && k->result->q_given) { /* then with a Q of its own */
        k->result->q_given = false;
        config.q_source = NULL;
        status = k->port->create(&config, k->comm, &k->state, message, TEXT);
    }
    if (status == PSGD_OK)
        return true;
    k->state = NULL;
    char text[TEXT];
    (void)snprintf(text, TEXT, "create: %.400s", message);
    return fails(k, status, text);
}

static bool save_and_load(rank *k)
{
    if (k->port->save == NULL || k->port->load == NULL)
        return fails(k, PSGD_ERR_UNSUPPORTED, "save");
    psgd_status status = k->port->save(k->state, k->checkpoint);
    if (status != PSGD_OK)
        return fails(k, status, "save");
    k->port->destroy(k->state);
    if (!create(k))
        return false;
    status = k->port->load(k->state, k->checkpoint);
    return status == PSGD_OK || fails(k, status, "load");
}

/* Does the port show this? It is kept if so. False: it failed. */
static bool peek(rank *k, psgd_part part, const char *name, char kind, size_t number, size_t rows, size_t columns,
                 bool *shown)
{
    const size_t before = k->result->tensor_count, tensor = kind == 'i' ? number : 0;
    void *data = keep(k, name, kind, number, rows, columns);
    if (data == NULL)
        return fails(k, PSGD_ERR_MEMORY, "peek");
    const psgd_status status =
        k->port->peek(k->state, part, k->c->buckets[k->bucket].index, tensor, data, k->result->tensors[before].bytes);
    *shown = status == PSGD_OK;
    if (!*shown)
        drop(k->result, before);
    return *shown || status == PSGD_ERR_ARGUMENT || status == PSGD_ERR_UNSUPPORTED || fails(k, status, "peek");
}

/* After a compressed step: the error of this rank; P and Q, equal on all ranks, from rank 0. */
static bool look(rank *k)
{
    const psgd_bucket *b = &k->c->buckets[k->bucket];
    const bool flattened = k->c->config.variant == PSGD_FLATTENED;
    const size_t numel = file_case_numel(b), self = (size_t)k->comm->rank;
    const file_matrix square = file_case_matrix(k->c, k->bucket, 0);
    const size_t padded = flattened ? square.n * square.m : numel;
    bool shown = false;
    if (k->port->peek == NULL || numel == 0)
        return true;
    if (!peek(k, PSGD_PART_ERROR, "error", 'k', self, padded, 0, &shown))
        return false;
    if (!shown && padded > numel && !peek(k, PSGD_PART_ERROR, "error", 'k', self, numel, 0, &shown))
        return false;
    for (size_t i = 0; self == 0 && i < (flattened ? 1 : b->tensor_count); i++) {
        const file_matrix t = file_case_matrix(k->c, k->bucket, i);
        if (t.r > 0 && (!peek(k, PSGD_PART_P, "p", 'i', i, t.n, t.r, &shown) ||
                        !peek(k, PSGD_PART_Q, "q", 'i', i, t.m, t.r, &shown)))
            return false;
    }
    return true;
}

/* ---- steps ---- */

/* A step with these bytes, in the port's own memory where that is not the host's. */
static psgd_status step_there(rank *k, psgd_bucket *bucket, void *host, size_t bytes)
{
    const psgd_memory *m = k->port->memory;
    bucket->data = m != NULL ? m->allocate(m->context, bytes) : host;
    if (bucket->data == NULL)
        return PSGD_ERR_MEMORY;
    psgd_status status = m != NULL ? m->upload(m->context, bucket->data, host, bytes) : PSGD_OK;
    if (status == PSGD_OK)
        status = k->port->step(k->state, bucket);
    if (status == PSGD_OK && m != NULL)
        status = m->download(m->context, host, bucket->data, bytes);
    if (m != NULL)
        m->release(m->context, bucket->data);
    return status;
}

static bool step_bucket(rank *k)
{
    const file_case *c = k->c;
    psgd_bucket bucket = c->buckets[k->bucket];
    const size_t numel = file_case_numel(&bucket);
    char name[96];
    (void)snprintf(name, sizeof name, "in/t%lld/b%zu/k%d", (long long)k->step, k->bucket, (int)k->comm->rank);
    const psgd_tensor *in = psgd_safetensors_find(c->file, name);
    if (in == NULL || in->element != (psgd_element)c->dtype || in->bytes != numel * psgd_dtype_size(c->dtype))
        return fails(k, PSGD_ERR_FORMAT, name);
    void *out = keep(k, "out", 'k', (size_t)k->comm->rank, numel, 0);
    if (out == NULL)
        return fails(k, PSGD_ERR_MEMORY, "step");
    memcpy(out, in->data, in->bytes);
    const psgd_status status = step_there(k, &bucket, out, in->bytes);
    if (status != PSGD_OK)
        return fails(k, status, "step");
    return k->step < c->config.start_iter || look(k);
}

static bool read_statistics(rank *k)
{
    rank_result *r = k->result;
    if (k->comm->rank != 0 || k->port->statistics == NULL || k->step < k->c->config.start_iter)
        return true;
    const psgd_status status = k->port->statistics(k->state, &r->statistics[k->step - k->c->config.start_iter]);
    r->has_statistics = status == PSGD_OK;
    return r->has_statistics || status == PSGD_ERR_UNSUPPORTED || fails(k, status, "statistics");
}

/* A step that was not finished leaves nothing. */
static bool step(rank *k)
{
    const size_t before = k->result->tensor_count;
    bool ok = true;
    for (k->bucket = 0; ok && k->bucket < k->c->bucket_count; k->bucket++)
        ok = step_bucket(k);
    k->bucket = 0;
    ok = ok && read_statistics(k) && (k->step != k->c->checkpoint || save_and_load(k));
    if (!ok)
        drop(k->result, before);
    return ok;
}

void rank_run(rank_result *result, const file_case *c, const psgd_implementation *port, const psgd_comm *comm,
              const char *folder)
{
    char path[4096];
    *result = (rank_result){.status = PSGD_OK, .q_given = has_q(c)};
    rank k = {.result = result, .c = c, .port = port, .comm = comm, .checkpoint = path};
    k.q_source = (psgd_q_source){.context = (void *)c, .draw = draw};
    const int length = snprintf(path, sizeof path, "%s/%s.checkpoint.k%d", folder, c->id, (int)comm->rank);
    result->statistics = calloc((size_t)c->steps + 1, sizeof *result->statistics);
    bool ok = result->statistics != NULL && length > 0 && (size_t)length < sizeof path ? create(&k)
                                                                                       : fails(&k, PSGD_ERR_MEMORY, "");
    while (ok && k.step < c->steps) {
        ok = step(&k);
        if (ok)
            result->steps_done = ++k.step;
    }
    if (k.state != NULL)
        port->destroy(k.state);
    if (c->checkpoint >= 0)
        (void)remove(path);
}
