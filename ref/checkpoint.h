/* checkpoint.h: a state as a file, and back. One file per rank; the process group is not in it.
 *
 * The file is a safetensors file. Metadata, all strings:
 *   format                    "psgd-checkpoint/1"
 *   rank, size                of the process group, decimal, as are the next four
 *   iteration, next_report    steps completed; the iteration at which statistics are due next
 *   numel_before, numel_after the statistics
 *   config.NAME               each member of psgd_config but struct_size, q_source, log and log_context: integers and
 *                             booleans (0, 1) in decimal, doubles as the shortest decimal that reads back
 *   checksum                  16 hexadecimal digits: CRC-64/XZ of this very file as it would be written with the
 *                             checksum "0000000000000000", tensors and metadata in the file's order
 *
 * Tensors, with <b> a bucket's index in decimal:
 *   seeds       U32 [625]       the MT19937 that hands out seeds: 624 words, then the position of the next one
 *   buckets     U64 [count 2]   the compressed buckets in the order of their first compressed step: index, psgd_dtype
 *   shapes/<b>  U64 [tensors 2] n and m of every tensor, in the bucket's order
 *   p/<b>       [p_numel]       of the bucket's dtype: the factors P, packed in the order of psgd_bucket_layout
 *   q/<b>       [q_numel]       the same for Q
 *   error/<b>   [numel]         of the bucket's dtype; there is none without error feedback
 */
#ifndef PSGD_REF_CHECKPOINT_H
#define PSGD_REF_CHECKPOINT_H

#include "state.h"

/* Atomic: path holds the old file or the new one, whole. */
psgd_status psgd_checkpoint_save(const psgd_state *state, const char *path);

/* Verifies everything, then replaces all of the state but its config and comm; on failure the state is as it was. */
psgd_status psgd_checkpoint_load(psgd_state *state, const char *path);

#endif
