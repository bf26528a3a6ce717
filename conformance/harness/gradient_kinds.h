/* gradient_kinds.h: the names of the kinds of gradients and what their parameter may be; shared by reader and writer.
 */
#ifndef CONFORMANCE_HARNESS_GRADIENT_KINDS_H
#define CONFORMANCE_HARNESS_GRADIENT_KINDS_H

#include "harness/problem.h"

typedef enum gradient_parameter {
    PARAMETER_NONE,
    PARAMETER_RATIO,  /* `:q`, 0 < q <= 1 */
    PARAMETER_RANK,   /* `:k`, a whole number from 1 */
    PARAMETER_ELEMENT /* `@ELEMENT`, a whole number from 0 */
} gradient_parameter;

typedef struct gradient_kind_name {
    const char *name;
    gradient_parameter parameter;
} gradient_kind_name;

#define GRADIENT_KIND_COUNT ((size_t)GRADIENT_UNEVEN + 1)

/* By gradient_kind; null beyond the last. */
const gradient_kind_name *gradient_kind_describe(size_t kind);

#endif
