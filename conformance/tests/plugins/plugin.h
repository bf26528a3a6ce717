/* plugin.h: the honest part of the tests' plug-ins: a port that averages and never compresses (start_iter is ignored),
 * in a few lines. A plug-in includes this once, defines what is wrong with it, and exports the entry point.
 */
#ifndef CONFORMANCE_TESTS_PLUGIN_H
#define CONFORMANCE_TESTS_PLUGIN_H

#include "psgd/psgd.h"

#include <stdio.h>
#include <stdlib.h>

struct psgd_state {
    psgd_comm comm;
    int64_t steps;
};

static psgd_status plugin_create(const psgd_config *config, const psgd_comm *comm, psgd_state **state, char *message,
                                 size_t message_size)
{
    (void)config;
    *state = calloc(1, sizeof **state);
    if (*state == NULL) {
        if (message != NULL)
            (void)snprintf(message, message_size, "no memory for a state");
        return PSGD_ERR_MEMORY;
    }
    (*state)->comm = *comm;
    return PSGD_OK;
}

static size_t plugin_numel(const psgd_bucket *bucket)
{
    size_t sum = 0;
    for (size_t i = 0; i < bucket->tensor_count; i++) {
        size_t product = 1;
        for (size_t d = 0; d < bucket->shapes[i].ndim; d++)
            product *= bucket->shapes[i].dims[d];
        sum += product;
    }
    return sum;
}

/* The plain mean of f32 values. */
static psgd_status plugin_step(psgd_state *state, const psgd_bucket *bucket)
{
    size_t count = plugin_numel(bucket);
    float *data = bucket->data;
    for (size_t i = 0; i < count; i++)
        data[i] /= (float)state->comm.size;
    if (bucket->is_last)
        state->steps++;
    return state->comm.allreduce_sum(state->comm.context, data, count, PSGD_F32);
}

static void plugin_destroy(psgd_state *state)
{
    free(state);
}

/* The table of an honest port; a plug-in changes what it wants. */
static psgd_implementation plugin_table(const char *name)
{
    return (psgd_implementation){.struct_size = sizeof(psgd_implementation),
                                 .abi = PSGD_ABI,
                                 .name = name,
                                 .version = "0.1",
                                 .claims = PSGD_CLAIM_CORE | PSGD_CLAIM_MULTIRANK,
                                 .create = plugin_create,
                                 .step = plugin_step,
                                 .destroy = plugin_destroy};
}

#endif
