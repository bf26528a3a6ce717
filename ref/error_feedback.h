/* error_feedback.h: Algorithm 2 of the paper: what compression lost is added to the next gradient. */
#ifndef PSGD_REF_ERROR_FEEDBACK_H
#define PSGD_REF_ERROR_FEEDBACK_H

#include "core/values.h"

/* Incorporate error feedback: delta <- g + e. delta[count]: gradients in, sums out. error[count]: of the step before.
 */
void psgd_add_error(double *delta, const double *error, size_t count, const psgd_value_type *type);

/* Memorise local errors: e <- delta - update, all [count]. This rank's own delta less the update common to all ranks,
 * so the mean of e over the ranks is what the update lacks. */
void psgd_memorise_error(double *error, const double *delta, const double *update, size_t count,
                         const psgd_value_type *type);

#endif
