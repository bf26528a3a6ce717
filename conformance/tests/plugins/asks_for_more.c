/* asks_for_more.c: asks for a Q that no case has. */
#include "plugin.h"

static const psgd_q_source *source; /* of the one state that this plug-in is good for */

static psgd_status keep_source(const psgd_config *config, const psgd_comm *comm, psgd_state **state, char *message,
                               size_t message_size)
{
    source = config->q_source;
    return plugin_create(config, comm, state, message, message_size);
}

static psgd_status wrong_step(psgd_state *state, const psgd_bucket *bucket)
{
    float q[8];
    (void)state;
    (void)bucket;
    return source->draw(source->context, 5000, 0, 0, PSGD_F32, 4, 2, q);
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("asks_for_more");
    table.create = keep_source;
    table.step = wrong_step;
    return &table;
}
