/* self.c: the collectives of a group of one.
 *
 * The sum over one rank is the value itself, so nothing is read or written; arguments are checked as in a larger group.
 * Any element type will do. Read next: processes.h. */
#include "psgd/comm.h"

static psgd_status self_allreduce_sum(void *context, void *data, size_t count, psgd_dtype dtype)
{
    (void)context;
    if (psgd_dtype_size((uint32_t)dtype) == 0 || (count > 0 && data == NULL))
        return PSGD_ERR_ARGUMENT;
    return PSGD_OK;
}

psgd_comm psgd_comm_self(void)
{
    psgd_comm comm = {0};
    comm.struct_size = (uint32_t)sizeof comm;
    comm.rank = 0;
    comm.size = 1;
    comm.allreduce_sum = self_allreduce_sum;
    return comm;
}
