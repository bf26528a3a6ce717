/* error_feedback.c: see error_feedback.h. */
#include "error_feedback.h"

void psgd_add_error(double *delta, const double *error, size_t count, const psgd_value_type *type)
{
    for (size_t i = 0; i < count; i++) {
        delta[i] = type->round(delta[i] + error[i]);
    }
}

void psgd_memorise_error(double *error, const double *delta, const double *update, size_t count,
                         const psgd_value_type *type)
{
    for (size_t i = 0; i < count; i++) {
        error[i] = type->round(delta[i] - update[i]);
    }
}
