/* watched_comm.c: see watched_comm.h. */
#include "harness/watched_comm.h"

#include <stdio.h>

static void count_in(watched_comm *w, size_t count)
{
    w->elements += (int64_t)count;
    if (w->doing != NULL) {
        char text[64];
        (void)snprintf(text, sizeof text, "an all-reduce of %zu elements", count);
        w->doing(w->doing_context, text);
    }
}

static psgd_status note(watched_comm *w, psgd_status status)
{
    if (status != PSGD_OK)
        w->failed = true;
    if (w->doing != NULL)
        w->doing(w->doing_context, NULL);
    return status;
}

static psgd_status allreduce_sum(void *context, void *data, size_t count, psgd_dtype dtype)
{
    watched_comm *w = context;
    count_in(w, count);
    return note(w, w->inner.allreduce_sum(w->inner.context, data, count, dtype));
}

static psgd_status start_allreduce_sum(void *context, void *data, size_t count, psgd_dtype dtype, void **request)
{
    watched_comm *w = context;
    count_in(w, count);
    return note(w, w->inner.start_allreduce_sum(w->inner.context, data, count, dtype, request));
}

static psgd_status test(void *context, void *request, bool *done)
{
    watched_comm *w = context;
    psgd_status status = w->inner.test(w->inner.context, request, done);
    if (status != PSGD_OK)
        w->failed = true;
    return status;
}

static psgd_status wait_for(void *context, void *request)
{
    watched_comm *w = context;
    if (w->doing != NULL)
        w->doing(w->doing_context, "the wait for an all-reduce");
    return note(w, w->inner.wait(w->inner.context, request));
}

void watched_comm_init(watched_comm *w, const psgd_comm *inner)
{
    *w = (watched_comm){.inner = *inner};
}

psgd_comm watched_comm_outer(watched_comm *w)
{
    psgd_comm outer = w->inner;
    outer.context = w;
    outer.allreduce_sum = allreduce_sum;
    if (outer.start_allreduce_sum != NULL) {
        outer.start_allreduce_sum = start_allreduce_sum;
        outer.test = test;
        outer.wait = wait_for;
    }
    return outer;
}
