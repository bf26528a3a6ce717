/* drive_buffer.h: a bucket's memory with guard bytes on both sides, in host or device memory, at a chosen alignment.
 *
 * A port that writes one byte outside its bucket is found out by drive_buffer_intact. Misaligned buffers are aligned to
 * the element's size and to nothing more, which is all that psgd.h promises.
 */
#ifndef CONFORMANCE_HARNESS_DRIVE_BUFFER_H
#define CONFORMANCE_HARNESS_DRIVE_BUFFER_H

#include "psgd/psgd.h"

typedef struct drive_buffer {
    const psgd_memory *memory; /* null: host */
    size_t bytes;              /* of the data, without guards */
    size_t front;              /* of the guard before the data: a multiple of 64, plus the shift */
    size_t whole;              /* front + bytes + guard */
    unsigned char *host;       /* [whole], aligned to 64: the memory itself, or the image of the device's */
    void *device;              /* [whole]; null: host memory */
} drive_buffer;

/* shift: bytes by which the data is moved off an address aligned to 64. False: no memory. */
bool drive_buffer_make(drive_buffer *b, const psgd_memory *memory, size_t bytes, size_t shift);
void drive_buffer_free(drive_buffer *b);

void *drive_buffer_data(const drive_buffer *b); /* what a psgd_bucket points to */

/* Fills the data from host memory [bytes] and renews the guards. */
psgd_status drive_buffer_put(drive_buffer *b, const void *from);
/* Brings the memory home: afterwards the data is at drive_buffer_image and the guards can be judged. */
psgd_status drive_buffer_get(drive_buffer *b);
const void *drive_buffer_image(const drive_buffer *b); /* [bytes] */
bool drive_buffer_intact(const drive_buffer *b);

#endif
