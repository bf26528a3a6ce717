/* config.c: checks of the two structures that every create() is given.
 *
 * Both structures carry the size that their caller was compiled with. A field is there if it lies wholly within that
 * size; the others keep their defaults, so that an old caller works with a new library, and a new caller with an old
 * library as far as that knows the fields. Nothing is changed, and *checked is not written, unless all is well.
 */
#include "core/config.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

psgd_status psgd_fail(psgd_status status, char *message, size_t size, const char *format, ...)
{
    if (message && size > 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, size, format, arguments);
        va_end(arguments);
    }
    return status;
}

/* ---- the size rule ---- */

typedef struct field {
    size_t offset, size;
} field;

#define FIELD(type, name)                                                                                              \
    {                                                                                                                  \
        offsetof(type, name), sizeof(((type *)0)->name)                                                                \
    }

/* All fields but struct_size, which the checked copy has of its own. */
static const field config_fields[] = {
    FIELD(psgd_config, variant),
    FIELD(psgd_config, matrix_approximation_rank),
    FIELD(psgd_config, start_iter),
    FIELD(psgd_config, min_compression_rate),
    FIELD(psgd_config, orthogonalization_epsilon),
    FIELD(psgd_config, use_error_feedback),
    FIELD(psgd_config, warm_start),
    FIELD(psgd_config, batch_tensors_with_same_shape),
    FIELD(psgd_config, random_seed),
    FIELD(psgd_config, compression_stats_logging_frequency),
    FIELD(psgd_config, q_source),
    FIELD(psgd_config, log),
    FIELD(psgd_config, log_context),
};

static const field comm_fields[] = {
    FIELD(psgd_comm, flags), FIELD(psgd_comm, context),       FIELD(psgd_comm, rank),
    FIELD(psgd_comm, size),  FIELD(psgd_comm, allreduce_sum), FIELD(psgd_comm, start_allreduce_sum),
    FIELD(psgd_comm, test),  FIELD(psgd_comm, wait),
};

static size_t end_of(field f)
{
    return f.offset + f.size;
}

/* Copies those of the count fields that lie within struct_size bytes. */
static void copy_present_fields(void *to, const void *from, size_t struct_size, const field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (end_of(fields[i]) <= struct_size) {
            memcpy((char *)to + fields[i].offset, (const char *)from + fields[i].offset, fields[i].size);
        }
    }
}

/* ---- psgd_config ---- */

psgd_status psgd_config_check(psgd_config *checked, const psgd_config *config, char *message, size_t message_size)
{
    if (!checked || !config) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size, "config is null");
    }
    if (config->struct_size < end_of(config_fields[0])) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size,
                         "config.struct_size is %" PRIu32 ": set it to sizeof(psgd_config)", config->struct_size);
    }
    psgd_config c = psgd_config_default();
    copy_present_fields(&c, config, config->struct_size, config_fields, sizeof config_fields / sizeof config_fields[0]);

    if (c.variant != PSGD_LAYERWISE && c.variant != PSGD_FLATTENED) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size,
                         "config.variant is %" PRIu32 ", which is no psgd_variant", c.variant);
    }
    if (c.matrix_approximation_rank < 1) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size,
                         "config.matrix_approximation_rank is %" PRId64 ", must be at least 1",
                         c.matrix_approximation_rank);
    }
    if (c.start_iter < 0) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size,
                         "config.start_iter is %" PRId64 ", must not be negative", c.start_iter);
    }
    if (!(isfinite(c.min_compression_rate) && c.min_compression_rate >= 0)) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size,
                         "config.min_compression_rate is %g, must be finite and not negative", c.min_compression_rate);
    }
    if (!(isfinite(c.orthogonalization_epsilon) && c.orthogonalization_epsilon >= 0)) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size,
                         "config.orthogonalization_epsilon is %g, must be finite and not negative",
                         c.orthogonalization_epsilon);
    }
    if (c.q_source && !c.q_source->draw) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size, "config.q_source->draw is null");
    }
    if (c.start_iter <= 1 && (c.use_error_feedback || c.warm_start)) {
        return psgd_fail(PSGD_ERR_CONFIG, message, message_size,
                         "config.start_iter is %" PRId64 ", must be above 1 with use_error_feedback or warm_start on",
                         c.start_iter);
    }
    if (c.compression_stats_logging_frequency < 1) {
        c.compression_stats_logging_frequency = 1;
    }
    *checked = c;
    return PSGD_OK;
}

/* ---- psgd_comm ---- */

psgd_status psgd_comm_check(psgd_comm *checked, const psgd_comm *comm, char *message, size_t message_size)
{
    if (!checked || !comm) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size, "comm is null");
    }
    const field last_required = FIELD(psgd_comm, allreduce_sum);
    if (comm->struct_size < end_of(last_required)) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size,
                         "comm.struct_size is %" PRIu32 ": set it to sizeof(psgd_comm)", comm->struct_size);
    }
    psgd_comm c = {.struct_size = (uint32_t)sizeof c};
    copy_present_fields(&c, comm, comm->struct_size, comm_fields, sizeof comm_fields / sizeof comm_fields[0]);

    if (c.size < 1) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size, "comm.size is %" PRId32 ", must be at least 1",
                         c.size);
    }
    if (c.rank < 0 || c.rank >= c.size) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size,
                         "comm.rank is %" PRId32 ", must be 0 .. size-1 with size %" PRId32, c.rank, c.size);
    }
    if (!c.allreduce_sum) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size, "comm.allreduce_sum is null");
    }
    const int non_blocking = (c.start_allreduce_sum != NULL) + (c.test != NULL) + (c.wait != NULL);
    if (non_blocking != 0 && non_blocking != 3) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size,
                         "comm.start_allreduce_sum, test and wait: %d of the three are there, must be all or none",
                         non_blocking);
    }
    *checked = c;
    return PSGD_OK;
}
