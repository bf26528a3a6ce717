/* faulty_async.c: submit and wait. The work is done within submit, or (works-in-wait) in the first wait that needs it,
 * in the order of submission: then the request holds a copy of the bucket's shapes. */
#include "mutants/faulty.h"

#include "core/config.h"

#include <stdlib.h>
#include <string.h>

struct psgd_request {
    psgd_bucket bucket; /* shapes: the copy */
    psgd_shape *shapes;
    size_t *dims;
    bool done;
    psgd_status status; /* once it is done */
    psgd_request *next; /* submitted after this one */
};

static void request_free(psgd_request *r)
{
    if (r != NULL) {
        free(r->shapes);
        free(r->dims);
        free(r);
    }
}

/* Null: no memory. */
static psgd_request *request_make(const psgd_bucket *bucket)
{
    size_t count = 0, used = 0;
    for (size_t i = 0; i < bucket->tensor_count; i++) {
        count += bucket->shapes[i].ndim;
    }
    psgd_request *r = calloc(1, sizeof *r);
    if (r == NULL) {
        return NULL;
    }
    r->bucket = *bucket;
    r->shapes = calloc(bucket->tensor_count + 1, sizeof *r->shapes);
    r->dims = calloc(count + 1, sizeof *r->dims);
    if (r->shapes == NULL || r->dims == NULL) {
        request_free(r);
        return NULL;
    }
    for (size_t i = 0; i < bucket->tensor_count; i++) {
        const size_t ndim = bucket->shapes[i].ndim;
        r->shapes[i] = (psgd_shape){ndim, r->dims + used};
        if (ndim > 0) {
            memcpy(r->dims + used, bucket->shapes[i].dims, ndim * sizeof *r->dims);
        }
        used += ndim;
    }
    r->bucket.shapes = r->shapes;
    return r;
}

static void run(psgd_state *state, psgd_request *r)
{
    if (!r->done) {
        r->done = true;
        r->status = faulty_step(state, &r->bucket);
    }
}

/* The iteration that the next bucket belongs to: the counter advances at the submit of a last bucket. */
static uint64_t iteration_of_next(const psgd_state *state)
{
    uint64_t iteration = state->iteration;
    for (const psgd_request *r = state->requests; r != NULL; r = r->next) {
        iteration += !r->done && r->bucket.is_last;
    }
    return iteration;
}

psgd_status faulty_check_idle(const psgd_state *state, const char *call)
{
    if (state == NULL) {
        return PSGD_ERR_ARGUMENT;
    }
    return state->requests == NULL ? PSGD_OK
                                   : psgd_fail(PSGD_ERR_ARGUMENT, state->message, FAULTY_MESSAGE,
                                               "%s: a request is pending; wait for it first", call);
}

static psgd_status check_bucket(psgd_state *state, const psgd_bucket *bucket)
{
    psgd_bucket_layout layout;
    const psgd_status status = faulty_accept(state, bucket, iteration_of_next(state), &layout);
    psgd_bucket_layout_free(&layout);
    for (const psgd_request *r = state->requests; status == PSGD_OK && r != NULL; r = r->next) {
        if (r->bucket.index == bucket->index) {
            return psgd_fail(PSGD_ERR_ARGUMENT, state->message, FAULTY_MESSAGE,
                             "bucket.index: a request of bucket %zu is pending", bucket->index);
        }
    }
    return status;
}

psgd_status faulty_submit(psgd_state *state, const psgd_bucket *bucket, psgd_request **request)
{
    if (request != NULL) {
        *request = NULL;
    }
    if (state == NULL) {
        return PSGD_ERR_ARGUMENT;
    }
    if (request == NULL) {
        return psgd_fail(PSGD_ERR_ARGUMENT, state->message, FAULTY_MESSAGE, "request is null");
    }
    psgd_status status = check_bucket(state, bucket);
    if (status != PSGD_OK) {
        return status;
    }
    psgd_request *r = request_make(bucket);
    if (r == NULL) {
        return psgd_fail(PSGD_ERR_MEMORY, state->message, FAULTY_MESSAGE, "no memory for a request");
    }
    if (!fault_is(state, HONEST_WORKS_IN_WAIT)) {
        run(state, r);
    }
    if (r->done && r->status != PSGD_OK) {
        status = r->status;
        request_free(r);
        return status;
    }
    psgd_request **end = &state->requests;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = r;
    *request = r;
    return PSGD_OK;
}

psgd_status faulty_wait(psgd_state *state, psgd_request *request)
{
    if (state == NULL) {
        return PSGD_ERR_ARGUMENT;
    }
    psgd_request **place = &state->requests;
    while (*place != NULL && *place != request) {
        place = &(*place)->next;
    }
    if (*place == NULL) {
        return psgd_fail(PSGD_ERR_ARGUMENT, state->message, FAULTY_MESSAGE,
                         request == NULL ? "request is null" : "request: not pending in this state");
    }
    for (psgd_request *r = state->requests; r != request->next; r = r->next) {
        run(state, r);
    }
    const psgd_status status = request->status;
    *place = request->next;
    request_free(request);
    return status;
}

void faulty_complete(psgd_state *state)
{
    while (state->requests != NULL) {
        (void)faulty_wait(state, state->requests);
    }
}
