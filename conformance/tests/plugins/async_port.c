/* async_port.c: the reference behind a submit and a wait of its own. Honest without the environment variable
 * ASYNC_PORT, and with "deferred" and "threaded"; else it has the fault of that name, each made to be found by one
 * check of claim async.
 *
 * Means of the plain phase go by the communicator's non-blocking calls, where it offers them; a compressed step is made
 * in submit, or (deferred) in the first wait that needs it, or (threaded) by a thread of its own, always in the order
 * of submission. Results lie in a copy until their wait. Needs buckets in host memory.
 */
#include "mutants/shapes_copy.h"
#include "psgd/ref.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool chosen(const char *name)
{
    const char *choice = getenv("ASYNC_PORT");
    return choice != NULL && strcmp(choice, name) == 0;
}

struct psgd_request {
    psgd_request *next; /* in the order of submission */
    psgd_bucket bucket; /* data and shapes are copies: the caller's are read within submit only */
    shapes_copy shapes;
    void *result, *to; /* to: where the result goes */
    size_t bytes;
    bool done; /* the reference's step was made */
    psgd_status status;
    void *sum; /* the request of a mean under way; null: none */
    psgd_state *owner;
    pthread_t worker;
    bool at_work; /* the worker is to be joined */
};

struct psgd_state {
    psgd_state *real;
    psgd_comm comm;        /* of the caller */
    psgd_request *pending; /* the oldest first */
    psgd_request *running; /* whose step is being made */
    int64_t steps, start;
    bool harmed;
    char words[96]; /* of the last refusal, or "" */
};

static psgd_status refuse(psgd_state *s, const char *words)
{
    (void)snprintf(s->words, sizeof s->words, "%s", words);
    return PSGD_ERR_ARGUMENT;
}

/* What the reference calls. A plain mean is started only: its sum is all that the step makes of it, so the reference
 * may go on with what it has. */
static psgd_status allreduce(void *context, void *data, size_t count, psgd_dtype dtype)
{
    psgd_state *s = context;
    psgd_request *r = s->running;
    const bool may_wait = r != NULL && s->steps < s->start && s->comm.start_allreduce_sum != NULL && count > 0;
    if (!may_wait || count * psgd_dtype_size((uint32_t)dtype) != r->bytes)
        return s->comm.allreduce_sum(s->comm.context, data, count, dtype);
    memcpy(r->result, data, r->bytes);
    bool done = false;
    psgd_status status = s->comm.start_allreduce_sum(s->comm.context, r->result, count, dtype, &r->sum);
    return status == PSGD_OK ? s->comm.test(s->comm.context, r->sum, &done) : status;
}

static void run(psgd_state *s, psgd_request *r)
{
    s->running = r;
    r->done = true;
    psgd_bucket bucket = r->bucket;
    if (chosen("ignores-is-last"))
        bucket.is_last = false;
    r->status = psgd_ref()->step(s->real, &bucket);
    s->running = NULL;
    s->steps += bucket.is_last ? 1 : 0;
    if (r->sum == NULL && r->bytes > 0)
        memcpy(r->result, bucket.data, r->bytes);
}

static void run_up_to(psgd_state *s, const psgd_request *last)
{
    for (psgd_request *r = s->pending; r != NULL; r = r->next) {
        if (!r->done)
            run(s, r);
        if (r == last)
            return;
    }
}

static void *work(void *request)
{
    psgd_request *r = request;
    run(r->owner, r);
    return NULL;
}

static void join(psgd_request *r)
{
    if (r->at_work)
        (void)pthread_join(r->worker, NULL);
    r->at_work = false;
}

/* One worker at a time, so that the steps come in the order of submission. */
static void start(psgd_state *s, psgd_request *r)
{
    for (psgd_request *before = s->pending; before != r; before = before->next)
        join(before);
    r->at_work = chosen("threaded") && pthread_create(&r->worker, NULL, work, r) == 0;
    if (!r->at_work)
        run(s, r);
}

static void forget(psgd_request *r)
{
    free(r->bucket.data);
    shapes_copy_free(&r->shapes);
    free(r->result);
    free(r);
}

/* Takes r out of the pending ones, with its result where it belongs. */
static psgd_status finish(psgd_state *s, psgd_request *r)
{
    join(r);
    psgd_request **place = &s->pending;
    while (*place != r)
        place = &(*place)->next;
    *place = r->next;
    psgd_status status = r->status;
    if (r->sum != NULL) {
        psgd_status summed = s->comm.wait(s->comm.context, r->sum);
        status = status == PSGD_OK ? summed : status;
    }
    if (status == PSGD_ERR_COMM && chosen("failure-lost"))
        status = PSGD_OK;
    if (status == PSGD_OK && r->bytes > 0 && !chosen("no-result"))
        memcpy(r->to, r->result, r->bytes);
    if (s->harmed && r->bytes > 0)
        memset(r->to, 0, psgd_dtype_size(r->bucket.dtype));
    forget(r);
    return status;
}

static psgd_status create(const psgd_config *config, const psgd_comm *comm, psgd_state **state, char *message,
                          size_t message_size)
{
    psgd_state *s = calloc(1, sizeof *s);
    if (s == NULL)
        return PSGD_ERR_MEMORY;
    psgd_comm own = {0};
    if (comm != NULL) {
        s->comm = own = *comm;
        own.context = s;
        own.allreduce_sum = comm->allreduce_sum != NULL ? allreduce : NULL;
        own.start_allreduce_sum = NULL;
        own.test = NULL;
        own.wait = NULL;
    }
    s->start = config != NULL ? config->start_iter : 0;
    psgd_status status =
        psgd_ref()->create(config, comm != NULL ? &own : NULL, state != NULL ? &s->real : NULL, message, message_size);
    if (status != PSGD_OK) {
        free(s);
        return status;
    }
    *state = s;
    return PSGD_OK;
}

static void destroy(psgd_state *s)
{
    if (s == NULL)
        return;
    while (s->pending != NULL && !chosen("destroy-drops")) {
        join(s->pending);
        run_up_to(s, s->pending);
        (void)finish(s, s->pending);
    }
    while (s->pending != NULL) {
        psgd_request *r = s->pending;
        s->pending = r->next;
        forget(r);
    }
    psgd_ref()->destroy(s->real);
    free(s);
}

/* A call that has to wait for what is pending. */
static bool is_refused(psgd_state *s, const char *call, const char *fault)
{
    s->words[0] = '\0';
    if (s->pending == NULL || chosen(fault))
        return false;
    (void)refuse(s, call);
    s->harmed = s->harmed || chosen("refused-but-harmed");
    return true;
}

static psgd_status step(psgd_state *s, const psgd_bucket *b)
{
    if (s == NULL)
        return PSGD_ERR_ARGUMENT;
    if (is_refused(s, "step: a request is pending", "step-accepted"))
        return PSGD_ERR_ARGUMENT;
    psgd_status status = psgd_ref()->step(s->real, b);
    s->steps += status == PSGD_OK && b->is_last ? 1 : 0;
    return status;
}

static size_t bytes_of(const psgd_bucket *b)
{
    size_t count = 0;
    for (size_t i = 0; i < b->tensor_count; i++) {
        size_t product = 1;
        for (size_t d = 0; d < b->shapes[i].ndim; d++)
            product *= b->shapes[i].dims[d];
        count += product;
    }
    return count * psgd_dtype_size(b->dtype);
}

static psgd_status submit(psgd_state *s, const psgd_bucket *b, psgd_request **request)
{
    if (s == NULL)
        return PSGD_ERR_ARGUMENT;
    if (b == NULL || request == NULL)
        return refuse(s, b == NULL ? "bucket is null" : "request is null");
    psgd_request **place = &s->pending;
    for (; *place != NULL; place = &(*place)->next)
        if ((*place)->bucket.index == b->index && !chosen("submit-accepted"))
            return refuse(s, "bucket.index: a request of this bucket is pending");
    s->words[0] = '\0';
    if (chosen("dies-in-submit"))
        abort();
    psgd_request *r = calloc(1, sizeof *r);
    if (r == NULL)
        return PSGD_ERR_MEMORY;
    *r = (psgd_request){.bucket = *b, .to = b->data, .bytes = bytes_of(b), .owner = s};
    r->bucket.data = malloc(r->bytes + 1);
    r->result = malloc(r->bytes + 1);
    if (r->bucket.data == NULL || r->result == NULL || !shapes_copy_make(&r->shapes, b)) {
        forget(r);
        return PSGD_ERR_MEMORY;
    }
    r->bucket.shapes = r->shapes.shapes;
    memcpy(r->bucket.data, b->data, r->bytes);
    *place = r;
    const bool later = chosen("deferred") || chosen("destroy-drops") || (chosen("counts-at-wait") && b->is_last);
    if (!later)
        start(s, r);
    *request = chosen("null-request") ? NULL : r;
    return PSGD_OK;
}

static psgd_status wait_for(psgd_state *s, psgd_request *r)
{
    if (s == NULL)
        return PSGD_ERR_ARGUMENT;
    psgd_request *known = s->pending;
    while (known != NULL && known != r)
        known = known->next;
    if (known == NULL && !(r != NULL && chosen("foreign-accepted")))
        return refuse(s, "request: not one of this state");
    s->words[0] = '\0';
    if (known == NULL)
        return PSGD_OK;
    while (chosen("hangs-in-wait"))
        (void)getenv("PATH"); /* for ever */
    if (chosen("wait-fails") && s->comm.rank == 0) {
        (void)finish(s, r);
        return PSGD_ERR_DEVICE;
    }
    join(r);
    run_up_to(s, r);
    psgd_request *oldest = s->pending;
    if (chosen("oldest-first")) /* the result of another bucket, if it is not the oldest */
        memcpy(r->result, oldest->result, oldest->bytes < r->bytes ? oldest->bytes : r->bytes);
    return finish(s, r);
}

static psgd_status peek(const psgd_state *s, psgd_part part, size_t bucket, size_t tensor, void *data, size_t bytes)
{
    if (s->pending != NULL && !chosen("peek-accepted"))
        return PSGD_ERR_ARGUMENT;
    return psgd_ref()->peek(s->real, part, bucket, tensor, data, bytes);
}

static psgd_status statistics(const psgd_state *s, psgd_statistics *out)
{
    if (s->pending != NULL && !chosen("statistics-accepted"))
        return PSGD_ERR_ARGUMENT;
    return psgd_ref()->statistics(s->real, out);
}

static psgd_status save(const psgd_state *s, const char *path)
{
    if (s->pending != NULL && !chosen("save-accepted"))
        return PSGD_ERR_ARGUMENT;
    return psgd_ref()->save(s->real, path);
}

static psgd_status load(psgd_state *s, const char *path)
{
    if (is_refused(s, "load: a request is pending", "load-accepted"))
        return PSGD_ERR_ARGUMENT;
    return psgd_ref()->load(s->real, path);
}

static const char *last_error(const psgd_state *s)
{
    if (s == NULL)
        return "";
    if (s->pending != NULL && s->words[0] == '\0')
        return "a request is pending";
    return s->words[0] != '\0' ? s->words : psgd_ref()->last_error(s->real);
}

PSGD_EXPORT const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = *psgd_ref();
    table.name = "async_port";
    table.claims |= PSGD_CLAIM_ASYNC;
    table.create = create;
    table.step = step;
    table.destroy = destroy;
    table.submit = submit;
    table.wait = chosen("no-wait") ? NULL : wait_for;
    table.peek = peek;
    table.statistics = statistics;
    table.save = save;
    table.load = load;
    table.last_error = last_error;
    return &table;
}
