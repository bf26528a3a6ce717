/* own_q.c: cannot take a Q, otherwise honest. */
#include "plugin.h"

static psgd_status wrong_create(const psgd_config *config, const psgd_comm *comm, psgd_state **state, char *message,
                                size_t message_size)
{
    if (config->q_source != NULL)
        return PSGD_ERR_UNSUPPORTED;
    return plugin_create(config, comm, state, message, message_size);
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("own_q");
    table.create = wrong_create;
    return &table;
}
