/* random_problem.c: random problem strings for --fuzz. Each is written as text and parsed, so that whatever is drawn is
 * a problem of the grammar. Shapes lean to the edges of the algorithm: 1, r - 1, r, r + 1, ties of the selection;
 * without the claim torch to matrices that every selection rule compresses, and short vectors. The flattened variant
 * selects nothing: its squares come from any shapes, some with a side below the rank, which is refused.
 */
#include "harness/data_random.h"
#include "harness/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_ELEMENTS 4000 /* of a problem's buckets, about: a hundred of them run in seconds */

typedef struct draw {
    data_stream stream;
    FILE *text;
    uint64_t claims;
    bool torch, error_feedback, warm_start, half, flattened;
    int64_t r;
    size_t elements;
} draw;

/* 0 .. count-1 */
static size_t pick(draw *d, size_t count)
{
    return (size_t)(data_stream_next(&d->stream) % count);
}

static bool chance(draw *d, size_t one_in)
{
    return pick(d, one_in) == 0;
}

static const char *pick_word(draw *d, const char *const *words, size_t count)
{
    return words[pick(d, count)];
}

static bool claims(const draw *d, uint64_t claim)
{
    return (d->claims & claim) != 0;
}

/* ---- shapes ---- */

static void write_dim(draw *d, const char *before, size_t dim)
{
    (void)fprintf(d->text, "%s%zu", before, dim);
}

/* Near the rank, or small. */
static size_t edge_dim(draw *d)
{
    const size_t r = (size_t)d->r;
    const size_t edges[] = {1, r > 1 ? r - 1 : 1, r, r + 1, 2 * r, 2 * r + 1};
    return chance(d, 2) ? edges[pick(d, sizeof edges / sizeof edges[0])] : 1 + pick(d, 24);
}

/* Any shape; with the rate a power of two squares of side 2 r rate are ties, (2 side r) rate = side^2. */
static void write_any_shape(draw *d, size_t rate)
{
    const size_t tie = 2 * (size_t)d->r * rate;
    if (rate > 0 && tie <= 32 && chance(d, 4)) {
        const size_t n = tie, m = chance(d, 2) ? tie : chance(d, 2) ? tie + 1 : tie - 1;
        (void)fprintf(d->text, "%zux%zu", n, m);
        d->elements += n * m;
        return;
    }
    size_t numel = 1;
    const size_t kinds[] = {1, 2, 2, 2, 2, 3, 4, 5}, ndim = kinds[pick(d, 8)];
    for (size_t i = 0; i < ndim; i++) {
        const size_t dim = ndim <= 2 ? edge_dim(d) : 1 + pick(d, ndim == 3 ? 9 : 5);
        write_dim(d, i > 0 ? "x" : "", dim);
        numel *= dim;
    }
    d->elements += numel;
}

/* Sides of at least five ranks: (n + m) r 2 <= 0.8 n m. */
static void write_unambiguous_shape(draw *d)
{
    if (chance(d, 3)) {
        const size_t n = 1 + pick(d, 32);
        write_dim(d, "", n);
        d->elements += n;
        return;
    }
    const size_t n = 5 * (size_t)d->r + pick(d, 12), m = 5 * (size_t)d->r + pick(d, 24);
    (void)fprintf(d->text, "%zux%zu", n, m);
    d->elements += n * m;
}

static void write_shapes(draw *d, size_t rate)
{
    const size_t buckets = chance(d, 3) ? 2 + pick(d, 2) : 1;
    (void)fputs("/[", d->text);
    for (size_t b = 0; b < buckets; b++) {
        const size_t tensors = 1 + pick(d, 4);
        for (size_t i = 0; i < tensors && (i == 0 || d->elements < MOST_ELEMENTS); i++) {
            (void)fputs(i > 0 ? "," : b > 0 ? ";" : "", d->text);
            if (d->torch || d->flattened)
                write_any_shape(d, rate);
            else
                write_unambiguous_shape(d);
        }
    }
    (void)fputc(']', d->text);
}

/* ---- everything else ---- */

static void write_ranks(draw *d)
{
    const int world = claims(d, PSGD_CLAIM_MULTIRANK) ? 1 + (int)pick(d, 4) : 1;
    if (world > 1 && world < 4 && claims(d, PSGD_CLAIM_SUBGROUP) && chance(d, 8))
        (void)fprintf(d->text, "W%dof4/group=%s", world, world == 2 ? "3,1" : "0,2,3");
    else
        (void)fprintf(d->text, "W%d", world);
}

static void write_type(draw *d)
{
    const char *type = "f32";
    if (claims(d, PSGD_CLAIM_F64) && chance(d, 3))
        type = "f64";
    else if (claims(d, PSGD_CLAIM_F16) && chance(d, 6))
        type = "f16";
    else if (claims(d, PSGD_CLAIM_BF16) && chance(d, 6))
        type = "bf16";
    d->half = type[0] == 'b' || type[1] == '1';
    (void)fprintf(d->text, "/%s", type);
}

static void write_flags(draw *d)
{
    d->error_feedback = claims(d, PSGD_CLAIM_ERROR_FEEDBACK) && !chance(d, 4);
    d->warm_start = claims(d, PSGD_CLAIM_WARM_START) && !chance(d, 4);
    d->flattened = claims(d, PSGD_CLAIM_FLATTENED) && chance(d, 5);
    const bool batching = chance(d, 3), async = claims(d, PSGD_CLAIM_ASYNC) && chance(d, 5);
    const struct {
        bool on;
        const char *name;
    } flags[] = {
        {d->error_feedback, "ef"}, {d->warm_start, "ws"}, {batching, "bs"}, {d->flattened, "flat"}, {async, "async"}};
    bool any = false;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (flags[i].on) {
            (void)fprintf(d->text, "%c%s", any ? ',' : '/', flags[i].name);
            any = true;
        }
    if (!any)
        (void)fputs("/-", d->text);
}

/* Steps 0 and 1 may be compressed only without memories. */
static void write_steps(draw *d)
{
    const int64_t start = d->error_feedback || d->warm_start ? 2 + (int64_t)pick(d, 2) : (int64_t)pick(d, 4);
    const int64_t steps = start + 2 + (int64_t)pick(d, 5);
    (void)fprintf(d->text, "/s%" PRId64 "/i%" PRId64, start, steps);
    if (claims(d, PSGD_CLAIM_CHECKPOINT) && chance(d, 6))
        (void)fprintf(d->text, "/ckpt=%zu", pick(d, (size_t)steps));
}

/* Returns the rate if it is whole, else 0. */
static size_t write_rate(draw *d)
{
    static const char *const any[] = {"2", "2", "2", "1", "4", "8", "0", "0.5", "1.4", "3.3"};
    static const size_t whole[] = {2, 2, 2, 1, 4, 8, 0, 0, 0, 0};
    if (!d->torch)
        return 2; /* the default */
    const size_t i = pick(d, sizeof whole / sizeof whole[0]);
    (void)fprintf(d->text, "/rate%s", any[i]);
    return whole[i];
}

static void write_gradients(draw *d)
{
    static const char *const plain[] = {"gauss", "gauss", "decay:0.5", "decay:0.8", "power",
                                        "flat",  "gap",   "ints",      "tiny",      "huge"};
    static const char *const torch[] = {"gauss", "decay:0.7", "power", "gap",  "rank",   "deficient",
                                        "zero",  "zerocol",   "dead",  "ints", "dupcol", "onerow"};
    /* where half types can be judged, and where they must not be accused */
    static const char *const half[] = {"ints", "ints", "flat", "gap", "gap", "rank", "decay:0.5", "gauss", "zero"};
    const char *kind = d->half    ? pick_word(d, half, sizeof half / sizeof half[0])
                       : d->torch ? pick_word(d, torch, sizeof torch / sizeof torch[0])
                                  : pick_word(d, plain, sizeof plain / sizeof plain[0]);
    (void)fprintf(d->text, "/grad=%s", kind);
    if (chance(d, 8))
        (void)fputs("/const", d->text);
}

static void write_problem(draw *d)
{
    static const int64_t torch_ranks[] = {1, 1, 2, 2, 3, 4, 5, 8}, ranks[] = {1, 1, 2, 2, 3, 4};
    static const char *const epsilons[] = {"0", "0", "1e-8", "1e-2rel"};
    write_ranks(d);
    d->r = d->torch ? torch_ranks[pick(d, 8)] : ranks[pick(d, 6)];
    (void)fprintf(d->text, "/r%" PRId64, d->r);
    write_type(d);
    write_flags(d);
    write_steps(d);
    const size_t rate = write_rate(d);
    if (d->torch) { /* drawn one after the other: compilers differ in the order of arguments */
        const size_t random_seed = pick(d, 1000);
        (void)fprintf(d->text, "/eps%s/rs=%zu", pick_word(d, epsilons, 4), random_seed);
    }
    write_shapes(d, rate);
    write_gradients(d);
    (void)fprintf(d->text, "/seed=%zu", pick(d, 1000000));
}

bool suite_random_problem(problem *p, uint64_t seed, uint64_t i, uint64_t claims)
{
    const uint64_t key[] = {seed, i, 0x66757A7A}; /* "fuzz": not a stream of gradients */
    char *text = NULL;
    size_t length = 0;
    draw d = {.stream = data_stream_open(key, 3), .claims = claims, .torch = (claims & PSGD_CLAIM_TORCH) != 0};
    *p = (problem){0};
    d.text = open_memstream(&text, &length);
    if (d.text == NULL)
        return false;
    write_problem(&d);
    const bool failed = ferror(d.text) != 0;
    const bool ok = fclose(d.text) == 0 && !failed && problem_parse(p, text, NULL);
    free(text);
    return ok;
}
