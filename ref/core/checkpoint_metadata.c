/* checkpoint_metadata.c: see checkpoint_metadata.h. Next: checkpoint_write.c. */
#include "core/checkpoint_metadata.h"

#include "core/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define NO_CHECKSUM "0000000000000000"

uint64_t psgd_crc64(const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    uint64_t crc = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        crc ^= byte[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc & 1 ? (crc >> 1) ^ UINT64_C(0xC96C5795D7870F42) : crc >> 1;
        }
    }
    return ~crc;
}

const char *const psgd_checkpoint_keys[PSGD_KEY_COUNT] = {
    [PSGD_KEY_FORMAT] = "format",
    [PSGD_KEY_CHECKSUM] = "checksum",
    [PSGD_KEY_ITERATION] = "iteration",
    [PSGD_KEY_NEXT_REPORT] = "next_report",
    [PSGD_KEY_BEFORE] = "numel_before",
    [PSGD_KEY_AFTER] = "numel_after",
    [PSGD_KEY_RANK] = "rank",
    [PSGD_KEY_SIZE] = "size",
    [PSGD_KEY_VARIANT] = "config.variant",
    [PSGD_KEY_APPROXIMATION_RANK] = "config.matrix_approximation_rank",
    [PSGD_KEY_START] = "config.start_iter",
    [PSGD_KEY_RATE] = "config.min_compression_rate",
    [PSGD_KEY_EPSILON] = "config.orthogonalization_epsilon",
    [PSGD_KEY_ERROR_FEEDBACK] = "config.use_error_feedback",
    [PSGD_KEY_WARM_START] = "config.warm_start",
    [PSGD_KEY_BATCH] = "config.batch_tensors_with_same_shape",
    [PSGD_KEY_SEED] = "config.random_seed",
    [PSGD_KEY_FREQUENCY] = "config.compression_stats_logging_frequency",
};

void psgd_checkpoint_describe(psgd_text values[PSGD_KEY_COUNT], const psgd_checkpoint *checkpoint)
{
    const psgd_config *config = &checkpoint->config;
    const struct {
        int key;
        uint64_t number;
    } numbers[] = {
        {PSGD_KEY_ITERATION, checkpoint->iteration},
        {PSGD_KEY_NEXT_REPORT, checkpoint->next_report},
        {PSGD_KEY_BEFORE, checkpoint->numel_before},
        {PSGD_KEY_AFTER, checkpoint->numel_after},
        {PSGD_KEY_RANK, (uint64_t)checkpoint->rank},
        {PSGD_KEY_SIZE, (uint64_t)checkpoint->size},
        {PSGD_KEY_VARIANT, config->variant},
        {PSGD_KEY_APPROXIMATION_RANK, (uint64_t)config->matrix_approximation_rank},
        {PSGD_KEY_START, (uint64_t)config->start_iter},
        {PSGD_KEY_ERROR_FEEDBACK, config->use_error_feedback},
        {PSGD_KEY_WARM_START, config->warm_start},
        {PSGD_KEY_BATCH, config->batch_tensors_with_same_shape},
        {PSGD_KEY_SEED, config->random_seed},
        {PSGD_KEY_FREQUENCY, (uint64_t)config->compression_stats_logging_frequency},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        snprintf(values[numbers[i].key], sizeof(psgd_text), "%" PRIu64, numbers[i].number);
    }
    psgd_format_double(values[PSGD_KEY_RATE], sizeof(psgd_text), config->min_compression_rate);
    psgd_format_double(values[PSGD_KEY_EPSILON], sizeof(psgd_text), config->orthogonalization_epsilon);
    snprintf(values[PSGD_KEY_FORMAT], sizeof(psgd_text), "%s", PSGD_CHECKPOINT_FORMAT);
    snprintf(values[PSGD_KEY_CHECKSUM], sizeof(psgd_text), "%s", NO_CHECKSUM);
}

psgd_status psgd_checkpoint_checksum(psgd_text values[PSGD_KEY_COUNT], const psgd_tensor *tensors, size_t tensor_count,
                                     char *message, size_t message_size)
{
    psgd_metadata metadata[PSGD_KEY_COUNT];
    void *bytes;
    size_t count;
    snprintf(values[PSGD_KEY_CHECKSUM], sizeof(psgd_text), "%s", NO_CHECKSUM);
    for (int key = 0; key < PSGD_KEY_COUNT; key++) {
        metadata[key] = (psgd_metadata){psgd_checkpoint_keys[key], values[key]};
    }
    psgd_status status = psgd_safetensors_serialize(&bytes, &count, tensors, tensor_count, metadata, PSGD_KEY_COUNT,
                                                    message, message_size);
    if (status == PSGD_OK) {
        snprintf(values[PSGD_KEY_CHECKSUM], sizeof(psgd_text), "%016" PRIx64, psgd_crc64(bytes, count));
        free(bytes);
    }
    return status;
}

void psgd_checkpoint_name(psgd_text name, const char *kind, size_t bucket)
{
    snprintf(name, sizeof(psgd_text), "%s/%zu", kind, bucket);
}
