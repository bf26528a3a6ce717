/* honest.c: where honest variants are other ports than the one they are made from: what they refuse, what they do not
 * offer, where their buckets lie. */
#include "mutants/honest.h"

#include <stdlib.h>
#include <string.h>

const char *honest_refusal(fault f, const psgd_config *config)
{
    const bool takes_no_q = f == HONEST_OWN_Q || f == HONEST_OWN_GENERATOR || f == HONEST_ALTERNATING_LEFT;
    if (config->q_source != NULL && takes_no_q) {
        return "config.q_source: not taken by this port";
    }
    const bool alternates = (fault_entry_of(f)->claims & PSGD_CLAIM_ALTERNATING) != 0;
    if (config->variant == PSGD_FLATTENED && alternates) {
        return "config.variant: this port has no flattened variant";
    }
    return NULL;
}

/* ---- buckets in memory of another machine: its addresses carry a mark, so that who reads through them crashes ---- */

#define DEVICE_MARK ((uintptr_t)1 << 62)

static void *real(const void *device)
{
    return (void *)((uintptr_t)device & ~DEVICE_MARK);
}

static void *allocate(void *context, size_t bytes)
{
    (void)context;
    void *memory = malloc(bytes);
    return memory != NULL ? (void *)((uintptr_t)memory | DEVICE_MARK) : NULL;
}

static void release(void *context, void *device)
{
    (void)context;
    free(real(device));
}

static psgd_status upload(void *context, void *device, const void *host, size_t bytes)
{
    (void)context;
    memcpy(real(device), host, bytes);
    return PSGD_OK;
}

static psgd_status download(void *context, void *host, const void *device, size_t bytes)
{
    (void)context;
    memcpy(host, real(device), bytes);
    return PSGD_OK;
}

static const psgd_memory memory = {NULL, allocate, release, upload, download};

psgd_bucket honest_bucket(const psgd_state *state, const psgd_bucket *bucket)
{
    psgd_bucket within_reach = *bucket;
    if (fault_is(state, HONEST_DEVICE)) {
        within_reach.data = real(bucket->data);
    }
    return within_reach;
}

/* ---- the table ---- */

void honest_table(psgd_implementation *table, fault f)
{
    if (f == HONEST_HIDES_STATE || f == HONEST_BARE) {
        table->peek = NULL;
    }
    if (f == HONEST_NO_STATISTICS || f == HONEST_BARE) {
        table->statistics = NULL;
    }
    if (f == HONEST_BARE) {
        table->submit = NULL;
        table->wait = NULL;
        table->save = NULL;
        table->load = NULL;
        table->last_error = NULL;
        table->claims &= ~(uint64_t)(PSGD_CLAIM_CHECKPOINT | PSGD_CLAIM_ASYNC);
    }
    if (f == HONEST_DEVICE) {
        table->memory = &memory;
    }
}
