/* judged_problem.c: see judged_problem.h. From bytes to fields, then what is too large or out of bounds. */
#include "judged_problem.h"

#include "harness/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_elements = 600, most_steps = 10, most_world = 4, most_tensors = 12, most_r = 24 };

typedef struct source {
    const uint8_t *data;
    size_t left;
    FILE *text;
    size_t elements, tensors;
} source;

static unsigned next(source *s)
{
    if (s->left == 0)
        return 0;
    s->left--;
    return *s->data++;
}

/* 0 .. count-1; 0 where bytes are missing. */
static unsigned pick(source *s, unsigned count)
{
    return next(s) % count;
}

static const char *pick_word(source *s, const char *const *words, unsigned count)
{
    return words[pick(s, count)];
}

#define PICK_WORD(s, words) pick_word(s, words, sizeof(words) / sizeof(words)[0])

/* ---- one field after the other ---- */

static void write_shape(source *s)
{
    static const unsigned dimensions[] = {2, 2, 2, 2, 1, 3, 4, 5}, largest[] = {0, 64, 16, 6, 4, 3};
    const unsigned ndim = dimensions[pick(s, 8)];
    size_t numel = 1;
    for (unsigned d = 0; d < ndim; d++) {
        const unsigned dim = 1 + pick(s, largest[ndim]);
        (void)fprintf(s->text, "%s%u", d > 0 ? "x" : "", dim);
        numel *= dim;
    }
    s->elements += numel;
    s->tensors++;
}

static void write_shapes(source *s)
{
    const unsigned buckets = 1 + pick(s, 3);
    (void)fputs("/[", s->text);
    for (unsigned b = 0; b < buckets; b++) {
        const unsigned tensors = 1 + pick(s, 4);
        for (unsigned i = 0; i < tensors && (i == 0 || s->elements < most_elements / 3); i++) {
            (void)fputs(i > 0 ? "," : b > 0 ? ";" : "", s->text);
            write_shape(s);
        }
    }
    (void)fputc(']', s->text);
}

/* Steps 0 and 1 may be compressed only without memories. Returns the flags, to which write_flags adds. */
static const char *write_steps(source *s)
{
    static const char *const flags[] = {"ef,ws", "ef", "ws", "", "ef,ws,bs", "ef,bs", "ws,bs", "bs"};
    const unsigned which = pick(s, 8), start = which % 4 == 3 ? pick(s, 4) : 2 + pick(s, 2);
    const unsigned steps = start + 1 + pick(s, 6);
    (void)fprintf(s->text, "/s%u/i%u", start, steps);
    if (pick(s, 8) == 7)
        (void)fprintf(s->text, "/ckpt=%u", pick(s, steps));
    return flags[which];
}

static void write_flags(source *s, const char *flags)
{
    static const char *const more[] = {"", "", "flat", "async", "flat,async", "", "flat", "async"};
    const char *added = PICK_WORD(s, more);
    const bool none = flags[0] == '\0' && added[0] == '\0', both = flags[0] != '\0' && added[0] != '\0';
    (void)fprintf(s->text, "/%s%s%s", none ? "-" : flags, both ? "," : "", added);
}

static void write_gradients(source *s)
{
    static const char *const kinds[] = {"gauss",       "decay:0.5", "power",      "gap",   "flat",   "deficient",
                                        "deficient:1", "rank",      "rank:1",     "zero",  "ints",   "zerocol",
                                        "dupcol",      "dead",      "onerow",     "huge",  "tiny",   "bits40",
                                        "nan",         "inf",       "decay:0.05", "nan@0", "rank:3", "uneven"};
    const unsigned count = 1 + pick(s, 3);
    for (unsigned i = 0; i < count && i < s->tensors; i++)
        (void)fprintf(s->text, "%s%s", i > 0 ? "|" : "/grad=", PICK_WORD(s, kinds));
}

static void write_problem(source *s)
{
    static const char *const worlds[] = {"W1", "W2", "W3", "W4", "W2of4/group=3,1", "W3of4/group=0,2,3"};
    static const char *const rates[] = {"2", "1", "0.5", "0", "4", "1.4", "3.3", "8"};
    static const char *const epsilons[] = {"0", "0", "1e-8", "1e-2rel", "0.3", "1e-30", "1"};
    static const char *const more[] = {"",          "",         "/scale=-30", "/scale=16",   "/rev",
                                       "/scale=40", "/scale=3", "/scale=60",  "/scale=-120", ""};
    static const char *const types[] = {"f32", "f16", "bf16", "f64"};
    static const unsigned ranks[] = {1, 2, 3, 4, 5, 8};
    (void)fputs(PICK_WORD(s, worlds), s->text);
    (void)fprintf(s->text, "/r%u", ranks[pick(s, 6)]); /* one after the other: compilers differ in arguments' order */
    (void)fprintf(s->text, "/%s", PICK_WORD(s, types));
    const char *flags = write_steps(s);
    (void)fprintf(s->text, "/rate%s", PICK_WORD(s, rates));
    (void)fprintf(s->text, "/eps%s", PICK_WORD(s, epsilons));
    write_shapes(s);
    write_gradients(s);
    (void)fputs(pick(s, 6) == 5 ? "/const" : "", s->text);
    (void)fputs(PICK_WORD(s, more), s->text);
    (void)fprintf(s->text, "/seed=%u", next(s));
    (void)fprintf(s->text, "/rs=%u", next(s));
    (void)fprintf(s->text, "/stats=%u", 1 + pick(s, 5));
    write_flags(s, flags);
}

/* ---- the three ways ---- */

static bool from_fields(problem *p, source *s)
{
    char *text = NULL;
    size_t length = 0;
    s->text = open_memstream(&text, &length);
    if (!s->text)
        return false;
    write_problem(s);
    const bool failed = ferror(s->text) != 0;
    const bool ok = fclose(s->text) == 0 && !failed && problem_parse(p, text, NULL);
    free(text);
    return ok;
}

static bool from_text(problem *p, const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return false;
    memcpy(text, data, size);
    text[size] = '\0';
    const bool ok = problem_parse(p, text, NULL);
    free(text);
    return ok;
}

static bool from_seed(problem *p, source *s, bool torch)
{
    const uint64_t claims = PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_WARM_START | PSGD_CLAIM_MULTIRANK |
                            PSGD_CLAIM_SUBGROUP | PSGD_CLAIM_CHECKPOINT | PSGD_CLAIM_F64 | PSGD_CLAIM_F16 |
                            PSGD_CLAIM_BF16 | PSGD_CLAIM_FLATTENED | PSGD_CLAIM_ASYNC | (torch ? PSGD_CLAIM_TORCH : 0);
    const uint64_t seed = next(s), high = next(s), low = next(s);
    return suite_random_problem(p, seed, high << 8 | low, claims);
}

/* ---- what is not run ---- */

static bool is_small(const problem *p)
{
    size_t elements = 0, tensors = 0;
    for (size_t b = 0; b < p->bucket_count; b++) {
        tensors += p->buckets[b].tensor_count;
        for (size_t i = 0; tensors <= most_tensors && i < p->buckets[b].tensor_count; i++) {
            const psgd_shape *shape = &p->buckets[b].shapes[i];
            size_t numel = 1;
            for (size_t d = 0; d < shape->ndim && numel <= most_elements; d++)
                numel = shape->dims[d] > most_elements ? most_elements + 1 : numel * shape->dims[d];
            elements += numel;
        }
    }
    return elements <= most_elements && tensors <= most_tensors && p->world <= most_world && p->steps <= most_steps &&
           p->r <= most_r;
}

/* A recording is a file. Compressing step 0 or 1 with a memory is refused by the hook's rule (PSGD-CFG-002). */
static bool is_runnable(const problem *p)
{
    return p->recording == NULL && (p->start > 1 || !(p->error_feedback || p->warm_start));
}

bool judged_problem(problem *p, const uint8_t *data, size_t size)
{
    *p = (problem){0};
    if (size == 0)
        return false;
    source s = {.data = data + 1, .left = size - 1};
    const bool ok = data[0] < 0x80   ? from_text(p, data, size)
                    : data[0] < 0xc0 ? from_seed(p, &s, data[0] % 2 == 0)
                                     : from_fields(p, &s);
    if (ok && is_small(p) && is_runnable(p))
        return true;
    problem_free(p);
    return false;
}
