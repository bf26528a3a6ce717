/* checkpoint.h: what every implementation remembers, as a file, and back. One file per rank; the process group is not
 * in it. What one implementation saves, another can load: an implementation only fills a psgd_checkpoint, or takes what
 * is in one.
 *
 * The file is a safetensors file with a checksum over all of it: metadata for the group's rank and size, the counters
 * and the configuration; a tensor for the generator of seeds; for each bucket its shapes, its factors packed as
 * psgd_bucket_layout says, and its error. To the byte: CHECKPOINT.md, beside this file, which is the contract.
 *
 * Next: checkpoint_metadata.h, checkpoint_write.c, checkpoint_read.c.
 */
#ifndef PSGD_CORE_CHECKPOINT_H
#define PSGD_CORE_CHECKPOINT_H

#include "core/layout.h"
#include "core/random.h"
#include "core/safetensors.h"

typedef struct psgd_checkpoint_bucket {
    psgd_bucket_layout layout; /* index, dtype, n and m of every tensor; flattened if the variant is */
    const void *p;             /* [p_numel] of layout.dtype, as are the next two */
    const void *q;             /* [q_numel] */
    const void *error;         /* [error_numel]; null without error feedback */
} psgd_checkpoint_bucket;

typedef struct psgd_checkpoint {
    /* These belong to the state, not to the file: a file is refused unless it says the same. */
    psgd_config config; /* checked */
    int32_t rank, size;

    uint64_t iteration, next_report;
    uint64_t numel_before, numel_after;
    psgd_mt19937 seeds;
    size_t bucket_count;
    psgd_checkpoint_bucket *buckets; /* [bucket_count] */

    psgd_safetensors *file; /* of a checkpoint that was read: holds what p, q and error point to */
} psgd_checkpoint;

/* Atomic: path holds the old file or the new one, whole. What the checkpoint points to stays the caller's; file is not
 * looked at. message (may be null) gets the reason of a failure. */
psgd_status psgd_checkpoint_write(const char *path, const psgd_checkpoint *checkpoint, char *message,
                                  size_t message_size);

/* In: config, rank, size. Reads and verifies everything, then sets the rest; PSGD_ERR_FORMAT for a file that is
 * corrupt, foreign, or of another configuration or rank. layout and all that buckets point to then belong to the
 * checkpoint, released by psgd_checkpoint_free; on failure there is nothing to release. Whether the caller offers a
 * bucket's dtype is for the caller to see. */
psgd_status psgd_checkpoint_read(psgd_checkpoint *checkpoint, const char *path, char *message, size_t message_size);
void psgd_checkpoint_free(psgd_checkpoint *checkpoint); /* of a checkpoint that was read */

#endif
