/* checkpoint_metadata.h: the metadata of checkpoint files (CHECKPOINT.md), one text per key, and their checksum. */
#ifndef PSGD_CORE_CHECKPOINT_METADATA_H
#define PSGD_CORE_CHECKPOINT_METADATA_H

#include "core/checkpoint.h"

#define PSGD_CHECKPOINT_FORMAT "psgd-checkpoint/1"
enum { PSGD_SEED_WORDS = 625 }; /* the 624 words of an MT19937 and its position */

enum {
    PSGD_KEY_FORMAT,
    PSGD_KEY_CHECKSUM,
    PSGD_KEY_ITERATION,
    PSGD_KEY_NEXT_REPORT,
    PSGD_KEY_BEFORE,
    PSGD_KEY_AFTER,
    PSGD_KEY_FIRST_FIXED, /* from here on file and loader must say the same */
    PSGD_KEY_RANK = PSGD_KEY_FIRST_FIXED,
    PSGD_KEY_SIZE,
    PSGD_KEY_VARIANT,
    PSGD_KEY_APPROXIMATION_RANK,
    PSGD_KEY_START,
    PSGD_KEY_RATE,
    PSGD_KEY_EPSILON,
    PSGD_KEY_ERROR_FEEDBACK,
    PSGD_KEY_WARM_START,
    PSGD_KEY_BATCH,
    PSGD_KEY_SEED,
    PSGD_KEY_FREQUENCY,
    PSGD_KEY_COUNT
};

extern const char *const psgd_checkpoint_keys[PSGD_KEY_COUNT];

typedef char psgd_text[32];

/* What the metadata of this checkpoint say, the checksum apart. */
void psgd_checkpoint_describe(psgd_text values[PSGD_KEY_COUNT], const psgd_checkpoint *checkpoint);

/* values[PSGD_KEY_CHECKSUM] = the checksum of a file with these tensors and the other values.
 * message (may be null) gets the reason of a failure (PSGD_ERR_MEMORY). */
psgd_status psgd_checkpoint_checksum(psgd_text values[PSGD_KEY_COUNT], const psgd_tensor *tensors, size_t tensor_count,
                                     char *message, size_t message_size);

/* "p/3" and so on. */
void psgd_checkpoint_name(psgd_text name, const char *kind, size_t bucket);

/* CRC-64/XZ (ECMA-182, reflected): no flipped bit, and no burst of up to 64 bits, leaves it as it was. */
uint64_t psgd_crc64(const void *bytes, size_t count);

#endif
