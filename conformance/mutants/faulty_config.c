/* faulty_config.c: what create takes and refuses: core's answer, with the places where it can be made to go wrong. */
#include "mutants/faulty.h"

#include "core/config.h"

#include <math.h>

/* What a laxer check sees of the configuration. */
static psgd_config seen_by(fault f, const psgd_config *config)
{
    psgd_config seen = *config;
    if (f == FAULT_START_ITER_UNCHECKED && seen.start_iter < 2) {
        seen.start_iter = 2;
    }
    if (f == FAULT_RANK_0_ACCEPTED && seen.matrix_approximation_rank < 1) {
        seen.matrix_approximation_rank = 1;
    }
    if (f == FAULT_RATE_NAN_ACCEPTED && isnan(seen.min_compression_rate)) {
        seen.min_compression_rate = 2;
    }
    return seen;
}

/* What a stricter one refuses. */
static const char *refusal(fault f, const psgd_config *config)
{
    if (f == FAULT_START_ITER_ALWAYS_CHECKED && config->start_iter < 2) {
        return "start_iter must be above 1";
    }
    if (f == FAULT_RATE_0_REFUSED && !(config->min_compression_rate > 0)) {
        return "min_compression_rate must be positive";
    }
    if (f == FAULT_INTERVAL_0_REFUSED && config->compression_stats_logging_frequency < 1) {
        return "compression_stats_logging_frequency must be positive";
    }
    return NULL;
}

/* The first state's configuration, for which everything was compiled. */
static psgd_config first;
static bool is_compiled;

psgd_status faulty_config_check(fault f, psgd_config *checked, const psgd_config *config, char *message, size_t size)
{
    const bool whole = config != NULL && config->struct_size >= sizeof *config;
    const psgd_config seen = whole ? seen_by(f, config) : psgd_config_default();
    const char *why = whole ? refusal(f, config) : NULL;
    if (why != NULL) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, size, "%s", why);
    }
    const psgd_status status = psgd_config_check(checked, whole ? &seen : config, message, size);
    if (status == PSGD_OK && f == FAULT_START_ITER_UNCHECKED) {
        checked->start_iter = config->start_iter > 0 ? config->start_iter : 0;
    }
    if (status == PSGD_OK && f == FAULT_CONFIG_OF_FIRST_STATE) {
        first = is_compiled ? first : *checked;
        is_compiled = true;
        checked->start_iter = first.start_iter;
        checked->matrix_approximation_rank = first.matrix_approximation_rank;
    }
    return status;
}
