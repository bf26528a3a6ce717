/* failing_comm.c: see failing_comm.h. */
#include "harness/failing_comm.h"

#include <string.h>

/* A sum that failed is no sum. */
static psgd_status spoil(void *data, size_t count, psgd_dtype dtype)
{
    if (count > 0)
        memset(data, 0xff, count * psgd_dtype_size(dtype));
    return PSGD_ERR_COMM;
}

static psgd_status allreduce_sum(void *context, void *data, size_t count, psgd_dtype dtype)
{
    failing_comm *f = context;
    const int64_t call = f->calls++;
    if (f->kind != FAIL_HERE)
        return call == f->fail_at ? PSGD_ERR_COMM : f->inner.allreduce_sum(f->inner.context, data, count, dtype);
    if (f->fail_at >= 0 && call > f->fail_at)
        return PSGD_ERR_COMM;
    const psgd_status status = f->inner.allreduce_sum(f->inner.context, data, count, dtype);
    return status == PSGD_OK && call == f->fail_at && f->is_victim ? spoil(data, count, dtype) : status;
}

/* A request says how its wait will end. */
static char ends_well, ends_badly;

static psgd_status start_allreduce_sum(void *context, void *data, size_t count, psgd_dtype dtype, void **request)
{
    failing_comm *f = context;
    const int64_t call = f->calls++;
    *request = NULL;
    if (call == f->fail_at && f->kind == FAIL_START)
        return PSGD_ERR_COMM;
    psgd_status status = f->inner.allreduce_sum(f->inner.context, data, count, dtype);
    if (status == PSGD_OK && call == f->fail_at)
        status = spoil(data, count, dtype);
    *request = status == PSGD_OK ? &ends_well : &ends_badly;
    return PSGD_OK;
}

static psgd_status test(void *context, void *request, bool *done)
{
    (void)context;
    (void)request;
    *done = true;
    return PSGD_OK;
}

static psgd_status wait_for(void *context, void *request)
{
    (void)context;
    return request == &ends_well ? PSGD_OK : PSGD_ERR_COMM;
}

psgd_comm failing_comm_make(failing_comm *f, const psgd_comm *inner, failure kind)
{
    *f = (failing_comm){.inner = *inner, .kind = kind, .fail_at = -1};
    psgd_comm outer = {.struct_size = sizeof(psgd_comm),
                       .flags = inner->flags,
                       .context = f,
                       .rank = inner->rank,
                       .size = inner->size,
                       .allreduce_sum = allreduce_sum};
    if (kind == FAIL_START || kind == FAIL_WAIT) {
        outer.start_allreduce_sum = start_allreduce_sum;
        outer.test = test;
        outer.wait = wait_for;
    }
    return outer;
}
