/* ways.h: the ways to make one sum with a psgd_comm that has non-blocking calls. For tests. */
#ifndef PSGD_COMM_TESTS_WAYS_H
#define PSGD_COMM_TESTS_WAYS_H

#include "psgd/psgd.h"
#include <sched.h>

typedef enum way { BLOCKING, WAIT, TEST_THEN_WAIT, WAYS } way;

static inline psgd_status start(const psgd_comm *comm, void *data, size_t count, psgd_dtype dtype, void **request)
{
    return comm->start_allreduce_sum(comm->context, data, count, dtype, request);
}

static inline psgd_status sum(const psgd_comm *comm, void *data, size_t count, psgd_dtype dtype, way how)
{
    if (how == BLOCKING)
        return comm->allreduce_sum(comm->context, data, count, dtype);
    void *request = NULL;
    psgd_status status = start(comm, data, count, dtype, &request);
    if (request == NULL)
        return status;
    bool done = how == WAIT;
    while (status == PSGD_OK && !done) {
        status = comm->test(comm->context, request, &done);
        (void)sched_yield(); /* ranks may be more than cores */
    }
    const psgd_status waited = comm->wait(comm->context, request);
    return status == PSGD_OK ? waited : status;
}

#endif
