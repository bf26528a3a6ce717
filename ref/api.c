/* api.c: the reference as a psgd_implementation: checks of what every function is given, then the work elsewhere. */
#include "psgd/ref.h"

#include "checkpoint.h"
#include "core/config.h"
#include "requests.h"
#include "step.h"

static psgd_status ref_create(const psgd_config *config, const psgd_comm *comm, psgd_state **state, char *message,
                              size_t message_size)
{
    psgd_config checked_config;
    psgd_comm checked_comm;
    if (!state) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size, "state is null");
    }
    *state = NULL;
    psgd_status status = psgd_config_check(&checked_config, config, message, message_size);
    if (status == PSGD_OK) {
        status = psgd_comm_check(&checked_comm, comm, message, message_size);
    }
    if (status != PSGD_OK) {
        return status;
    }
    if (checked_comm.flags & PSGD_COMM_DEVICE) {
        return psgd_fail(PSGD_ERR_UNSUPPORTED, message, message_size,
                         "comm.flags: the reference works in host memory only");
    }
    *state = psgd_state_new(&checked_config, &checked_comm);
    if (!*state) {
        return psgd_fail(PSGD_ERR_MEMORY, message, message_size, "no memory for a state");
    }
    return PSGD_OK;
}

/* What is pending was done at its submit: there is nothing to complete. */
static void ref_destroy(psgd_state *state)
{
    psgd_state_free(state);
}

static const char *ref_last_error(const psgd_state *state)
{
    return state ? state->message : "state is null";
}

static psgd_status check_usable(const psgd_state *state)
{
    if (!state) {
        return PSGD_ERR_ARGUMENT;
    }
    return state->broken ? psgd_state_say_broken(state) : PSGD_OK;
}

/* What is called by that name can't be while a request is pending. */
static psgd_status check_nothing_pending(const psgd_state *state, const char *name)
{
    return state->requests ? psgd_fail(PSGD_ERR_ARGUMENT, state->message, PSGD_MESSAGE_SIZE,
                                       "state: a request is pending; wait for it before %s", name)
                           : PSGD_OK;
}

static psgd_status check_usable_and_idle(const psgd_state *state, const char *name)
{
    psgd_status status = check_usable(state);
    return status == PSGD_OK ? check_nothing_pending(state, name) : status;
}

static psgd_status ref_step(psgd_state *state, const psgd_bucket *bucket)
{
    psgd_status status = check_usable_and_idle(state, "step");
    return status == PSGD_OK ? psgd_step(state, bucket) : status;
}

static psgd_status ref_submit(psgd_state *state, const psgd_bucket *bucket, psgd_request **request)
{
    if (request) {
        *request = NULL;
    }
    psgd_status status = check_usable(state);
    if (status == PSGD_OK && !request) {
        status = psgd_fail(PSGD_ERR_ARGUMENT, state->message, PSGD_MESSAGE_SIZE, "request is null");
    }
    return status == PSGD_OK ? psgd_submit(state, bucket, request) : status;
}

static psgd_status ref_wait(psgd_state *state, psgd_request *request)
{
    return state ? psgd_wait(state, request) : PSGD_ERR_ARGUMENT;
}

static psgd_status ref_peek(const psgd_state *state, psgd_part part, size_t bucket, size_t tensor, void *data,
                            size_t bytes)
{
    psgd_status status = check_usable_and_idle(state, "peek");
    return status == PSGD_OK ? psgd_state_peek(state, part, bucket, tensor, data, bytes) : status;
}

static psgd_status ref_statistics(const psgd_state *state, psgd_statistics *statistics)
{
    psgd_status status = check_usable_and_idle(state, "statistics");
    if (status != PSGD_OK) {
        return status;
    }
    if (!statistics) {
        return psgd_fail(PSGD_ERR_ARGUMENT, state->message, PSGD_MESSAGE_SIZE, "statistics is null");
    }
    *statistics = psgd_state_statistics(state);
    return PSGD_OK;
}

static psgd_status check_path(const psgd_state *state, const char *path)
{
    return path ? PSGD_OK : psgd_fail(PSGD_ERR_ARGUMENT, state->message, PSGD_MESSAGE_SIZE, "path is null");
}

static psgd_status ref_save(const psgd_state *state, const char *path)
{
    psgd_status status = check_usable_and_idle(state, "save");
    if (status == PSGD_OK) {
        status = check_path(state, path);
    }
    return status == PSGD_OK ? psgd_checkpoint_save(state, path) : status;
}

/* The one call that a broken state accepts: what is loaded makes it whole. */
static psgd_status ref_load(psgd_state *state, const char *path)
{
    if (!state) {
        return PSGD_ERR_ARGUMENT;
    }
    psgd_status status = check_nothing_pending(state, "load");
    if (status == PSGD_OK) {
        status = check_path(state, path);
    }
    return status == PSGD_OK ? psgd_checkpoint_load(state, path) : status;
}

static const psgd_implementation ref = {
    .struct_size = (uint32_t)sizeof(psgd_implementation),
    .abi = PSGD_ABI,
    .name = "ref",
    .version = PSGD_VERSION,
    .claims = PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_WARM_START | PSGD_CLAIM_TORCH |
              PSGD_CLAIM_FLATTENED | PSGD_CLAIM_MULTIRANK | PSGD_CLAIM_SUBGROUP | PSGD_CLAIM_CHECKPOINT |
              PSGD_CLAIM_F64 | PSGD_CLAIM_F16 | PSGD_CLAIM_BF16 | PSGD_CLAIM_DETERMINISM | PSGD_CLAIM_ASYNC,
    .create = ref_create,
    .step = ref_step,
    .destroy = ref_destroy,
    .submit = ref_submit,
    .wait = ref_wait,
    .peek = ref_peek,
    .statistics = ref_statistics,
    .save = ref_save,
    .load = ref_load,
    .last_error = ref_last_error,
};

const psgd_implementation *psgd_ref(void)
{
    return &ref;
}
