/* closes_descriptors.c: closes every descriptor of its process in its last step, as programs do that become daemons:
 * MPI can no longer talk to the other ranks. */
#define _POSIX_C_SOURCE 200809L

#include "plugin.h"

#include <unistd.h>

static psgd_status closing_step(psgd_state *state, const psgd_bucket *bucket)
{
    psgd_status status = plugin_step(state, bucket);
    for (int fd = 3; state->steps == 5 && state->comm.rank == 1 && fd < 1024; fd++)
        (void)close(fd);
    return status;
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("closes_descriptors");
    table.step = closing_step;
    return &table;
}
