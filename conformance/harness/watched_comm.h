/* watched_comm.h: a psgd_comm around another one that counts what a port hands to all-reduce and notes what became of
 * it. The port sees nothing but a psgd_comm.
 */
#ifndef CONFORMANCE_HARNESS_WATCHED_COMM_H
#define CONFORMANCE_HARNESS_WATCHED_COMM_H

#include "psgd/psgd.h"

typedef struct watched_comm {
    psgd_comm inner;  /* copied; its context outlives this object */
    int64_t elements; /* handed to all-reduce since the last reset by the user of this object */
    bool failed;      /* a collective came back with an error: a peer is gone */
    /* Called with what the rank is about to do ("all-reduce of 960 elements") and, afterwards, with null. May be null.
     */
    void (*doing)(void *context, const char *what);
    void *doing_context;
} watched_comm;

void watched_comm_init(watched_comm *w, const psgd_comm *inner);
/* The comm to hand to the port; w must stay where it is as long as this is used. */
psgd_comm watched_comm_outer(watched_comm *w);

#endif
