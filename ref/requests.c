/* requests.c: see requests.h. */
#include "requests.h"

#include "core/config.h"
#include "step.h"

#include <stdlib.h>

struct psgd_request {
    size_t bucket;
    psgd_request *next;
};

psgd_status psgd_submit(psgd_state *state, const psgd_bucket *bucket, psgd_request **request)
{
    *request = NULL;
    psgd_request *pending = malloc(sizeof *pending);
    if (!pending) {
        return psgd_fail(PSGD_ERR_MEMORY, state->message, PSGD_MESSAGE_SIZE, "no memory for a request");
    }
    psgd_status status = psgd_step(state, bucket);
    if (status != PSGD_OK) {
        free(pending);
        return status;
    }
    *pending = (psgd_request){.bucket = bucket->index, .next = state->requests};
    state->requests = pending;
    *request = pending;
    return PSGD_OK;
}

psgd_status psgd_wait(psgd_state *state, psgd_request *request)
{
    psgd_request **place = &state->requests;
    while (*place && *place != request) {
        place = &(*place)->next;
    }
    if (!*place) {
        return psgd_fail(PSGD_ERR_ARGUMENT, state->message, PSGD_MESSAGE_SIZE,
                         request ? "request is not pending in this state: another state's, or waited for already"
                                 : "request is null");
    }
    *place = request->next;
    free(request);
    return state->broken ? psgd_state_say_broken(state) : PSGD_OK;
}

const psgd_request *psgd_request_find(const psgd_state *state, size_t bucket)
{
    const psgd_request *request = state->requests;
    while (request && request->bucket != bucket) {
        request = request->next;
    }
    return request;
}

void psgd_requests_free(psgd_request *requests)
{
    while (requests) {
        psgd_request *next = requests->next;
        free(requests);
        requests = next;
    }
}
