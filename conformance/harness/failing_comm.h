/* failing_comm.h: a communicator whose collectives fail on order, for scenarios. It offers non-blocking calls, made of
 * the inner one's blocking ones, where it is their failure that is wanted. */
#ifndef CONFORMANCE_HARNESS_FAILING_COMM_H
#define CONFORMANCE_HARNESS_FAILING_COMM_H

#include "psgd/psgd.h"

typedef enum failure {
    FAIL_ALL,   /* every rank's call number fail_at fails, before anything is sent */
    FAIL_HERE,  /* this rank's call number fail_at fails although it took part; on the other ranks, all later calls fail
                 */
    FAIL_START, /* as FAIL_ALL, with non-blocking calls: it cannot be started */
    FAIL_WAIT   /* the same, but it is the wait for it that fails */
} failure;

typedef struct failing_comm {
    psgd_comm inner;
    failure kind;
    int64_t calls;   /* since the last reset */
    int64_t fail_at; /* -1: never */
    bool is_victim;  /* FAIL_HERE: is it this rank's call that fails? */
} failing_comm;

/* Fails nothing yet. */
psgd_comm failing_comm_make(failing_comm *f, const psgd_comm *inner, failure kind);

#endif
