/* hidden.c: the variant of the faulty port, honest or not, that the environment variable HIDDEN names, as a port that
 * draws its own Q and shows its outputs and nothing else. What a judge of outputs alone cannot tell is seen by this
 * one. */
#include "mutants/faulty.h"

#include <stdlib.h>

static const psgd_implementation *shown(void)
{
    const psgd_implementation *found = faulty_implementation("hidden", false);
    return found != NULL ? found : faulty_implementation("hidden", true);
}

static psgd_status create_with_own_q(const psgd_config *config, const psgd_comm *comm, psgd_state **state,
                                     char *message, size_t message_size)
{
    if (config != NULL && state != NULL && config->q_source != NULL) {
        *state = NULL;
        return PSGD_ERR_UNSUPPORTED;
    }
    return shown()->create(config, comm, state, message, message_size);
}

const psgd_implementation *psgd_implementation_entry(void)
{
    const char *name = getenv("HIDDEN");
    if (name == NULL || setenv("PSGD_FAULT", name, 1) != 0)
        return NULL;
    static psgd_implementation table;
    if (shown() == NULL)
        return NULL;
    table = *shown();
    table.name = "hidden";
    table.claims &= ~(uint64_t)(PSGD_CLAIM_TORCH | PSGD_CLAIM_CHECKPOINT | PSGD_CLAIM_ASYNC | PSGD_CLAIM_ALTERNATING);
    table.create = create_with_own_q;
    table.peek = NULL;
    table.statistics = NULL;
    table.save = NULL;
    table.load = NULL;
    table.submit = NULL;
    table.wait = NULL;
    return &table;
}
