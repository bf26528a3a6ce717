/* checkpoint.h: what every implementation remembers, as a file, and back. One file per rank; the process group is not
 * in it. What one implementation saves, another can load: an implementation only fills a psgd_checkpoint, or takes what
 * is in one.
 *
 * The file is a safetensors file. Metadata, all strings:
 *
 *   format                     "psgd-checkpoint/1"
 *   rank, size                 of the process group, decimal, as are the next four
 *   iteration, next_report     steps completed; the iteration at which statistics are due next
 *   numel_before, numel_after  the statistics
 *   config.NAME                each member of psgd_config but struct_size, q_source, log, log_context: integers and
 *                              booleans (0, 1) in decimal, doubles as the shortest decimal that reads back
 *   checksum                   16 hexadecimal digits: CRC-64/XZ of this very file as it would be written with the
 *                              checksum "0000000000000000", tensors and metadata in the file's order
 *
 * Tensors, with <b> a bucket's index in decimal:
 *
 *   seeds       U32 [625]       the MT19937 that hands out seeds: 624 words, then the position of the next one
 *   buckets     U64 [count 2]   the compressed buckets in the order of their first compressed step: index, psgd_dtype
 *   shapes/<b>  U64 [tensors 2] n and m of every tensor, in the bucket's order
 *   p/<b>       [p_numel]       of the bucket's dtype: the factors P, packed in the order of psgd_bucket_layout
 *   q/<b>       [q_numel]       the same for Q
 *   error/<b>   [numel]         of the bucket's dtype; there is none without error feedback
 *
 * Next: checkpoint_metadata.h, checkpoint_write.c, checkpoint_read.c.
 */
#ifndef PSGD_CORE_CHECKPOINT_H
#define PSGD_CORE_CHECKPOINT_H

#include "core/layout.h"
#include "core/random.h"
#include "core/safetensors.h"

typedef struct psgd_checkpoint_bucket {
    psgd_bucket_layout layout; /* index, dtype, n and m of every tensor */
    const void *p;             /* [p_numel] of layout.dtype, as are the next two */
    const void *q;             /* [q_numel] */
    const void *error;         /* [numel]; null without error feedback */
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
