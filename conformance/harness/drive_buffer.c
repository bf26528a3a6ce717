/* drive_buffer.c: see drive_buffer.h. */
#include "harness/drive_buffer.h"

#include <stdlib.h>
#include <string.h>

#define GUARD 64 /* bytes on each side; also the alignment of the whole */

/* Differs from place to place, so that a copy of a guard onto a guard does not go unseen. */
static unsigned char guard_byte(size_t i)
{
    return (unsigned char)(0xA5u ^ (i * 29u));
}

bool drive_buffer_make(drive_buffer *b, const psgd_memory *memory, size_t bytes, size_t shift)
{
    *b = (drive_buffer){.memory = memory, .bytes = bytes, .front = GUARD + shift % GUARD};
    if (bytes > SIZE_MAX - 4 * GUARD)
        return false;
    b->whole = b->front + bytes + GUARD;
    size_t rounded = (b->whole + GUARD - 1) / GUARD * GUARD; /* aligned_alloc wants a multiple of the alignment */
    b->host = aligned_alloc(GUARD, rounded);
    if (b->host == NULL)
        return false;
    if (memory != NULL) {
        b->device = memory->allocate(memory->context, b->whole);
        if (b->device == NULL) {
            drive_buffer_free(b);
            return false;
        }
    }
    return true;
}

void drive_buffer_free(drive_buffer *b)
{
    if (b->device != NULL)
        b->memory->release(b->memory->context, b->device);
    free(b->host);
    *b = (drive_buffer){0};
}

void *drive_buffer_data(const drive_buffer *b)
{
    return (b->device != NULL ? (unsigned char *)b->device : b->host) + b->front;
}

psgd_status drive_buffer_put(drive_buffer *b, const void *from)
{
    for (size_t i = 0; i < b->front; i++)
        b->host[i] = guard_byte(i);
    for (size_t i = b->front + b->bytes; i < b->whole; i++)
        b->host[i] = guard_byte(i);
    if (b->bytes > 0)
        memcpy(b->host + b->front, from, b->bytes);
    return b->device == NULL ? PSGD_OK : b->memory->upload(b->memory->context, b->device, b->host, b->whole);
}

psgd_status drive_buffer_get(drive_buffer *b)
{
    return b->device == NULL ? PSGD_OK : b->memory->download(b->memory->context, b->host, b->device, b->whole);
}

const void *drive_buffer_image(const drive_buffer *b)
{
    return b->host + b->front;
}

bool drive_buffer_intact(const drive_buffer *b)
{
    for (size_t i = 0; i < b->front; i++)
        if (b->host[i] != guard_byte(i))
            return false;
    for (size_t i = b->front + b->bytes; i < b->whole; i++)
        if (b->host[i] != guard_byte(i))
            return false;
    return true;
}
