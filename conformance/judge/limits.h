/* limits.h: every limit of the kit's ratios, one row each: the dimensionless formula, the largest ratio that honest
 * implementations showed, and the limit, within about five times of it. No other file of the judge has a number for a
 * limit. Ratios are divided by u, the machine epsilon of the port's type, and by S = sqrt(mean_k ||M_k||_F^2) where the
 * formula says so. Half types are rounded only where something is stored, by u / 2, and nothing in the sums of
 * products: their ratios are smaller, and so are their limits (SPEC.md, the limits, derives them). */
#ifndef CONFORMANCE_JUDGE_LIMITS_H
#define CONFORMANCE_JUDGE_LIMITS_H

#include "psgd/psgd.h"

#include <stddef.h>

typedef enum limit_row {
    LIMIT_OWN_FACTORS,  /* 1 */
    LIMIT_PROJECTION,   /* 1b */
    LIMIT_RANK_TAIL,    /* 1c */
    LIMIT_CONSERVATION, /* 2 */
    LIMIT_LOCAL_ERROR,  /* 3 */
    LIMIT_MEAN,         /* 4 */
    LIMIT_ORTHONORMAL,  /* 5 */
    LIMIT_ONE_STEP,     /* 6 */
    LIMIT_FROM_OUTPUTS, /* 6b */
    LIMIT_HALF_STEP,    /* 6c */
    LIMIT_FACTOR,       /* 7 */
    LIMIT_FREE_RUNNING, /* 8 */
    LIMIT_GOLDEN,       /* as 8, against PyTorch's results */
    LIMIT_TELESCOPING,  /* 9 */
    LIMIT_SEEDS,        /* 10 */
    LIMIT_OPTIMUM,      /* 11 */
    LIMIT_NO_RISE,      /* 12 */
    LIMIT_LONG_RUN,     /* 13 */
    LIMIT_EXACT,        /* equality */
    LIMIT_STRUCTURE,    /* yes or no */
    LIMIT_CASE,         /* all that the case was made for */
    LIMIT_COUNT
} limit_row;

typedef struct limit_entry {
    const char *row; /* as reports show it */
    double limit;    /* a ratio may be at most this, in f32 and f64 */
    double measured; /* largest ratio seen on honest implementations */
    double half;     /* the same for the half types, f16 and bf16 */
    double half_measured;
    const char *formula; /* of the ratio */
} limit_entry;

const limit_entry *limit_of(limit_row row);
double limit_for(limit_row row, psgd_dtype dtype);

/* Row 4 depends on the world: W roundings of size u/2 each in a sum that is divided by W. */
double limit_mean(int world, psgd_dtype dtype);

/* Beyond these a row says nothing, and is skipped: rows 7 (kappa u) and 8 (K_t u). */
#define SKIP_CONDITION 1e-2

#endif
