/* requests.h: submit and wait, the step in two calls.
 *
 * Plain: submit does the whole step, wait hands it over. The rules are those of psgd.h all the same, so that a program
 * that works with this one works with one that computes in between. They are kept by a list of the pending requests,
 * owned by the state: waiting for what is not in it is an error that frees nothing.
 */
#ifndef PSGD_REF_REQUESTS_H
#define PSGD_REF_REQUESTS_H

#include "state.h"

/* Steps, and on success leaves *request pending. On failure *request is null, and all is as after a failed step. state
 * is not broken. */
psgd_status psgd_submit(psgd_state *state, const psgd_bucket *bucket, psgd_request **request);

/* Takes the request from the list and frees it, on a broken state too (PSGD_ERR_BROKEN). PSGD_ERR_ARGUMENT for one that
 * is not pending in this state. */
psgd_status psgd_wait(psgd_state *state, psgd_request *request);

/* The pending request for this bucket; null if there is none. */
const psgd_request *psgd_request_find(const psgd_state *state, size_t bucket);

/* All of a list; what they stand for is done. */
void psgd_requests_free(psgd_request *requests);

#endif
