/* unsupported.c: supports nothing. */
#include "plugin.h"

static psgd_status wrong_create(const psgd_config *config, const psgd_comm *comm, psgd_state **state, char *message,
                                size_t message_size)
{
    (void)config;
    (void)comm;
    if (state != NULL)
        *state = NULL;
    if (message != NULL)
        (void)snprintf(message, message_size, "not today");
    return PSGD_ERR_UNSUPPORTED;
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("unsupported");
    table.create = wrong_create;
    return &table;
}
