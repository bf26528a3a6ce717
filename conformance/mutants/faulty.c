/* faulty.c: the API of the deliberately faulty implementation, a plug-in like any other. Which fault it has is said by
 * the environment variable PSGD_FAULT (psgd-conform run --impl faulty:NAME sets it). Next: faulty_lifecycle.c. */
#include "mutants/faulty.h"

#include "core/config.h"
#include "mutants/faulty_draw.h"
#include "mutants/honest.h"

#include <stdlib.h>

static void faulty_destroy(psgd_state *state)
{
    if (state == NULL) {
        return;
    }
    faulty_complete(state);
    if (!fault_is(state, FAULT_MEMORY_OF_ALL_STATES)) {
        faulty_buckets_free(state->buckets);
    }
    faulty_buckets_free(state->plain);
    free(state->result);
    free(state->message);
    free(state);
}

/* As launchers say it. */
static int world_size(int otherwise)
{
    const char *text = getenv("WORLD_SIZE");
    const int size = text != NULL ? atoi(text) : 0;
    return size > 0 ? size : otherwise;
}

static psgd_status faulty_create(const psgd_config *config, const psgd_comm *comm, psgd_state **state, char *message,
                                 size_t message_size)
{
    if (state == NULL) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size, "state is null");
    }
    *state = NULL;
    fault f = FAULT_NONE;
    const char *name = getenv("PSGD_FAULT");
    if (name != NULL && !fault_find(&f, name)) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size, "PSGD_FAULT: there is no such fault");
    }
    psgd_config checked;
    psgd_comm group;
    psgd_status status = faulty_config_check(f, &checked, config, message, message_size);
    if (status == PSGD_OK) {
        status = psgd_comm_check(&group, comm, message, message_size);
    }
    if (status != PSGD_OK) {
        return status;
    }
    psgd_state *made = calloc(1, sizeof *made);
    char *text = calloc(1, FAULTY_MESSAGE);
    if (made == NULL || text == NULL) {
        free(made);
        free(text);
        return psgd_fail(PSGD_ERR_MEMORY, message, message_size, "no memory for a state");
    }
    made->fault = f;
    made->config = checked;
    made->callers_config = config;
    made->comm = group;
    made->world = world_size(group.size);
    made->message = text;
    if (f == FAULT_REDUCED_WITH_ITSELF) {
        made->comm.size = 1;
    }
    if (f == FAULT_CALLERS_RAND_SEEDED) {
        srand(checked.random_seed);
    }
    const char *refusal = honest_refusal(made->fault, &checked);
    if (refusal != NULL) {
        faulty_destroy(made);
        return psgd_fail(PSGD_ERR_UNSUPPORTED, message, message_size, "%s", refusal);
    }
    psgd_mt19937_seed(&made->seeds, faulty_first_seed(made));
    *state = made;
    return PSGD_OK;
}

/* ---- what waits until nothing is pending ---- */

static psgd_status step_when_idle(psgd_state *state, const psgd_bucket *bucket)
{
    const psgd_status status = faulty_check_idle(state, "step");
    return status == PSGD_OK ? faulty_step(state, bucket) : status;
}

static psgd_status peek_when_idle(const psgd_state *state, psgd_part part, size_t bucket, size_t tensor, void *data,
                                  size_t bytes)
{
    const psgd_status status = faulty_check_idle(state, "peek");
    return status == PSGD_OK ? faulty_peek(state, part, bucket, tensor, data, bytes) : status;
}

static psgd_status statistics_when_idle(const psgd_state *state, psgd_statistics *statistics)
{
    const psgd_status status = faulty_check_idle(state, "statistics");
    return status == PSGD_OK ? faulty_statistics(state, statistics) : status;
}

static psgd_status check_file(const psgd_state *state, const char *call, const char *path)
{
    const psgd_status status = faulty_check_idle(state, call);
    return status == PSGD_OK && path == NULL
               ? psgd_fail(PSGD_ERR_ARGUMENT, state->message, FAULTY_MESSAGE, "path is null")
               : status;
}

static psgd_status save_when_idle(const psgd_state *state, const char *path)
{
    const psgd_status status = check_file(state, "save", path);
    return status == PSGD_OK ? faulty_save(state, path) : status;
}

static psgd_status load_when_idle(psgd_state *state, const char *path)
{
    const psgd_status status = check_file(state, "load", path);
    return status == PSGD_OK ? faulty_restore(state, path) : status;
}

static const char *faulty_last_error(const psgd_state *state)
{
    if (state == NULL) {
        return "state is null";
    }
    if (fault_is(state, FAULT_ERRORS_WITHOUT_NAMES) && state->message[0] != '\0') {
        return "invalid argument";
    }
    return fault_is(state, FAULT_ERRORS_WITHOUT_WORDS) ? "" : state->message;
}

/* Under its name, with the claims that the variant makes. The kit asks for one variant in each process. */
static psgd_implementation table = {
    .struct_size = (uint32_t)sizeof(psgd_implementation),
    .abi = PSGD_ABI,
    .version = "1",
    .create = faulty_create,
    .step = step_when_idle,
    .destroy = faulty_destroy,
    .submit = faulty_submit,
    .wait = faulty_wait,
    .peek = peek_when_idle,
    .statistics = statistics_when_idle,
    .save = save_when_idle,
    .load = load_when_idle,
    .last_error = faulty_last_error,
};

const psgd_implementation *faulty_implementation(const char *module, bool honest)
{
    fault f = FAULT_NONE;
    const char *name = getenv("PSGD_FAULT");
    if (name != NULL && (!fault_find(&f, name) || (fault_is_honest(f) != honest && f != FAULT_NONE))) {
        return NULL;
    }
    table.name = module;
    table.claims = FAULTY_CLAIMS & fault_entry_of(f)->claims;
    honest_table(&table, f);
    return &table;
}
