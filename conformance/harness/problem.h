/* problem.h: the problem string, one grammar for runs, fuzzing, reports and files.
 *
 *   W3/r2/s2/i6/f32/ef,ws/rate2/eps0/[24x40,17,24x40]/grad=decay:0.5/seed=7
 *
 * conformance/README.md has the grammar. A string names a run completely: ranks, configuration, shapes and data. Any
 * order is read; problem_print writes the canonical order, and parse(print(p)) equals p.
 */
#ifndef CONFORMANCE_HARNESS_PROBLEM_H
#define CONFORMANCE_HARNESS_PROBLEM_H

#include "psgd/psgd.h"

/* What a problem may be at most, in a string as in a file. */
#define PROBLEM_MAX_WORLD 256               /* ranks of the group, and of the world it is in */
#define PROBLEM_MAX_STEPS 1000000           /* in all */
#define PROBLEM_MAX_NDIM  8                 /* dimensions of a tensor */
#define PROBLEM_MAX_NUMEL ((size_t)1 << 48) /* elements of all buckets together */

typedef enum gradient_kind {
    GRADIENT_GAUSS,     /* independent normals */
    GRADIENT_DECAY,     /* singular values q^i */
    GRADIENT_POWER,     /* singular values 1/i */
    GRADIENT_GAP,       /* r values of order 1, the rest far below: a spectral gap at r */
    GRADIENT_FLAT,      /* all singular values 1 */
    GRADIENT_DEFICIENT, /* rank k, plus noise near the type's rounding: nearly deficient (k = max(1, r - 1)) */
    GRADIENT_RANK,      /* rank exactly k, the mean over the ranks too (k = r) */
    GRADIENT_ZERO,      /* at every step */
    GRADIENT_ZEROCOL,   /* gauss with a column of zeros */
    GRADIENT_DUPCOL,    /* gauss; columns 1, 3, 5, ... repeat their left neighbours */
    GRADIENT_DEAD,      /* zero at the first compressed step, gauss at the others */
    GRADIENT_ONEROW,    /* one non-zero row at the first compressed step, gauss at the others */
    GRADIENT_INTS,      /* small integers: sums exact in any order */
    GRADIENT_HUGE,      /* gauss, so large that squares still fit the type: 2^50 in f32 */
    GRADIENT_TINY,      /* the same, small: 2^-50 in f32 */
    GRADIENT_BITS40,    /* 1 + k 2^-40: tells f64 from anything narrower */
    GRADIENT_NAN, /* gauss, but a NaN at element `parameter` (0 if not given) in rank 0 at the second compressed step */
    GRADIENT_INF, /* the same with an infinity */
    GRADIENT_UNEVEN /* each rank of another scale and spectrum: 4^j and (0.9 / (j + 1))^i, j = k mod 4 */
} gradient_kind;

typedef struct gradient {
    gradient_kind kind;
    double parameter; /* q, k or ELEMENT; the kind's default where the string gives none */
} gradient;

typedef struct problem_bucket {
    size_t tensor_count;
    psgd_shape *shapes;
} problem_bucket;

typedef struct problem {
    int world;    /* W: ranks of the judged group */
    int of_world; /* ranks in all; equals world unless a subgroup is named (W3of5) */
    int *group;   /* [world]: world ranks of the group's members */
    int64_t r, start;
    int64_t steps; /* in all, plain ones included; 0: all of a recording */
    psgd_dtype dtype;
    bool error_feedback, warm_start, same_shape_batching, flattened;
    bool async; /* by submit and wait: all buckets of an iteration are submitted before the first is waited for */
    double rate, epsilon;
    bool epsilon_relative; /* epsilon is times the mean column norm of M Q at the first compressed step */
    size_t bucket_count;
    problem_bucket *buckets;
    char *shape_set; /* "resnet50" for real:resnet50, or null */
    size_t gradient_count;
    gradient *gradients; /* one per tensor over all buckets in order, the last repeats */
    bool constant;       /* the same local gradients at every step */
    int64_t scale;       /* all gradients times 2^scale (exact) */
    bool reversed;       /* rank k gets the data of rank W-1-k */
    uint64_t seed;       /* of the data */
    uint32_t random_seed;
    int64_t statistics_interval;
    int64_t checkpoint; /* save and load after this step; -1: none */
    char *recording;    /* "digits-cnn" for rec:digits-cnn, or null; world, steps, shapes come from the recording */
} problem;

typedef struct problem_error {
    size_t position;   /* of the first character that is wrong, from 0 */
    char message[256]; /* "unknown field 'foo'"; the position is not repeated in it */
} problem_error;

/* False: *error says where and why, *p is empty. Free *p with problem_free. */
bool problem_parse(problem *p, const char *text, problem_error *error);
char *problem_print(const problem *p);              /* canonical; malloc'ed; null without memory */
bool problem_copy(problem *copy, const problem *p); /* false without memory */
void problem_free(problem *p);                      /* leaves an empty problem; an empty one is allowed */

#endif
