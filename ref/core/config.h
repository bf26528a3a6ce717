/* config.h: is a configuration, is a communicator usable? The same answer from every implementation. */
#ifndef PSGD_CORE_CONFIG_H
#define PSGD_CORE_CONFIG_H

#include "psgd/psgd.h"

/* Copies *config, checked: fields beyond its struct_size take their defaults, a statistics interval below 1 becomes 1.
 * PSGD_ERR_ARGUMENT for a field out of range, PSGD_ERR_CONFIG for a contradiction (start_iter <= 1 with error feedback
 * or warm start); message (may be null) names the field. */
psgd_status psgd_config_check(psgd_config *checked, const psgd_config *config, char *message, size_t message_size);

/* Copies *comm, checked: rank within size, an all-reduce, the non-blocking three all there or all null. */
psgd_status psgd_comm_check(psgd_comm *checked, const psgd_comm *comm, char *message, size_t message_size);

/* printf into message[size]; does nothing when message is null or size is 0. Returns status, so an error is one line.
 */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
psgd_status
psgd_fail(psgd_status status, char *message, size_t size, const char *format, ...);

#endif
