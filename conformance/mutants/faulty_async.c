/* faulty_async.c: submit and wait. The work is done within submit, or (works-in-wait) in the first wait that needs it,
 * in the order of submission: then the request holds a copy of the bucket's shapes. */
#include "mutants/faulty.h"

#include "core/config.h"
#include "mutants/shapes_copy.h"

#include <stdlib.h>
#include <string.h>

struct psgd_request {
    psgd_bucket bucket; /* shapes: the copy */
    shapes_copy shapes;
    bool done;
    psgd_status status; /* once it is done */
    psgd_request *next; /* submitted after this one */
};

static void request_free(psgd_request *r)
{
    if (r != NULL) {
        shapes_copy_free(&r->shapes);
        free(r);
    }
}

/* Null: no memory. */
static psgd_request *request_make(const psgd_state *state, const psgd_bucket *bucket)
{
    psgd_request *r = calloc(1, sizeof *r);
    if (r == NULL || !shapes_copy_make(&r->shapes, bucket)) {
        free(r);
        return NULL;
    }
    r->bucket = *bucket;
    r->bucket.shapes = fault_is(state, FAULT_SHAPES_READ_IN_WAIT) ? bucket->shapes : r->shapes.shapes;
    return r;
}

static void run(psgd_state *state, psgd_request *r)
{
    if (!r->done) {
        psgd_bucket bucket = r->bucket;
        bucket.is_last = bucket.is_last && !fault_is(state, FAULT_COUNTER_IN_WAIT);
        r->done = true;
        r->status = faulty_step(state, &bucket);
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

/* Is this call taken while a request is pending? */
static bool is_taken(const psgd_state *state, const char *call)
{
    static const struct {
        fault fault;
        const char *call;
    } table[] = {{FAULT_STEP_WHILE_PENDING, "step"},
                 {FAULT_PEEK_WHILE_PENDING, "peek"},
                 {FAULT_STATISTICS_WHILE_PENDING, "statistics"},
                 {FAULT_SAVE_WHILE_PENDING, "save"},
                 {FAULT_LOAD_WHILE_PENDING, "load"}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (fault_is(state, table[i].fault)) {
            return strcmp(call, table[i].call) == 0;
        }
    }
    return false;
}

psgd_status faulty_check_idle(const psgd_state *state, const char *call)
{
    if (state == NULL) {
        return PSGD_ERR_ARGUMENT;
    }
    return state->requests == NULL || is_taken(state, call)
               ? PSGD_OK
               : psgd_fail(PSGD_ERR_ARGUMENT, state->message, FAULTY_MESSAGE,
                           "%s: a request is pending; wait for it first", call);
}

static psgd_status check_bucket(psgd_state *state, const psgd_bucket *bucket)
{
    psgd_bucket_layout layout;
    const psgd_status status = faulty_accept(state, bucket, iteration_of_next(state), &layout);
    psgd_bucket_layout_free(&layout);
    for (const psgd_request *r = state->requests; status == PSGD_OK && r != NULL; r = r->next) {
        if (r->bucket.index == bucket->index && !fault_is(state, FAULT_BUCKET_SUBMITTED_TWICE)) {
            return psgd_fail(PSGD_ERR_ARGUMENT, state->message, FAULTY_MESSAGE,
                             "bucket.index: a request of bucket %zu is pending", bucket->index);
        }
    }
    return status;
}

static bool works_in_wait(const psgd_state *state)
{
    return fault_is(state, HONEST_WORKS_IN_WAIT) || fault_is(state, FAULT_WAIT_TAKES_OLDEST) ||
           fault_is(state, FAULT_WORK_IN_ORDER_OF_WAITS) || fault_is(state, FAULT_SHAPES_READ_IN_WAIT) ||
           fault_is(state, FAULT_DESTROY_DROPS);
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
    psgd_request *r = request_make(state, bucket);
    if (r == NULL) {
        return psgd_fail(PSGD_ERR_MEMORY, state->message, FAULTY_MESSAGE, "no memory for a request");
    }
    if (!works_in_wait(state)) {
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
    if (*place == NULL && fault_is(state, FAULT_UNKNOWN_REQUEST_ACCEPTED)) {
        return PSGD_OK;
    }
    if (*place == NULL) {
        return psgd_fail(PSGD_ERR_ARGUMENT, state->message, FAULTY_MESSAGE,
                         request == NULL ? "request is null" : "request: not pending in this state");
    }
    psgd_request *first = fault_is(state, FAULT_WORK_IN_ORDER_OF_WAITS) ? request : state->requests;
    psgd_request *last = fault_is(state, FAULT_WAIT_TAKES_OLDEST) ? first : request;
    for (psgd_request *r = first; r != last->next; r = r->next) {
        run(state, r);
    }
    state->iteration += request->bucket.is_last && fault_is(state, FAULT_COUNTER_IN_WAIT);
    const psgd_status status = request->status;
    *place = request->next;
    request_free(request);
    return status;
}

void faulty_complete(psgd_state *state)
{
    for (psgd_request *next; state->requests != NULL && fault_is(state, FAULT_DESTROY_DROPS); state->requests = next) {
        next = state->requests->next;
        request_free(state->requests);
    }
    while (state->requests != NULL) {
        (void)faulty_wait(state, state->requests);
    }
}
