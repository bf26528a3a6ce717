/* collective.h: means over the ranks, as both variants take them. */
#ifndef PSGD_REF_COLLECTIVE_H
#define PSGD_REF_COLLECTIVE_H

#include "workspace.h"

/* values[count] = their sum over the ranks, by way of w->wire: they travel as elements of the dtype. count may be 0. A
 * failure (PSGD_ERR_COMM) leaves the state broken; what names the values in its message. */
psgd_status psgd_all_reduce_sum(double *values, size_t count, psgd_state *state, psgd_workspace *w, const char *what);

/* values[count] /= W. */
void psgd_divide_by_ranks(double *values, size_t count, const psgd_state *state, const psgd_value_type *type);

#endif
