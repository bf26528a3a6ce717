/* device_memory.c: keeps its buckets in memory of its own; the honest mean otherwise. Device addresses carry a mark, so
 * that a host which reads through them crashes, as it would on a device. */
#include "plugin.h"

#include <string.h>

#define MARK ((uintptr_t)1 << 62)

static void *real(const void *device)
{
    return (void *)((uintptr_t)device & ~MARK);
}

static void *allocate(void *context, size_t bytes)
{
    (void)context;
    void *memory = malloc(bytes);
    return memory != NULL ? (void *)((uintptr_t)memory | MARK) : NULL;
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

static psgd_status device_step(psgd_state *state, const psgd_bucket *bucket)
{
    psgd_bucket inside = *bucket;
    inside.data = real(bucket->data);
    return plugin_step(state, &inside);
}

static const psgd_memory memory = {NULL, allocate, release, upload, download};

const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = plugin_table("device_memory");
    table.step = device_step;
    table.memory = &memory;
    return &table;
}
