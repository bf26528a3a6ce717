/* gradients.c: see gradients.h. One function per kind makes a tensor for all ranks in double; gradients_fill rounds it
 * to the problem's type. What each kind is for is in problem.h.
 */
#include "harness/gradients.h"
#include "harness/gradient_kinds.h"
#include "harness/spectrum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a stream is for: part of its key. */
enum purpose { FOR_ALL_STEPS = 1, FOR_STEP = 2, FOR_RANK = 3 };

typedef struct job {
    double *g; /* [world][n m], by rank */
    size_t n, m, tensor;
    gradient kind;
    int64_t step;      /* the run's */
    int64_t data_step; /* 0 throughout where gradients are constant */
    const problem *p;
} job;

static data_stream stream_for(const job *j, enum purpose purpose, int rank)
{
    const uint64_t key[] = {j->p->seed, (uint64_t)j->tensor, (uint64_t)purpose,
                            purpose == FOR_ALL_STEPS ? 0 : (uint64_t)j->data_step,
                            purpose == FOR_RANK ? (uint64_t)rank : 0};
    return data_stream_open(key, sizeof key / sizeof key[0]);
}

static double *rank_gradients(const job *j, int rank)
{
    return j->g + (size_t)rank * (j->n * j->m);
}

/* A part that lasts, a part of this step, a part of this rank's own; variance 1.01 in all. */
static bool make_gauss(const job *j)
{
    for (int k = 0; k < j->p->world; k++) {
        data_stream all = stream_for(j, FOR_ALL_STEPS, 0), step = stream_for(j, FOR_STEP, 0),
                    own = stream_for(j, FOR_RANK, k);
        double *g = rank_gradients(j, k);
        for (size_t i = 0; i < j->n * j->m; i++) {
            const double lasting = 0.7 * data_stream_normal(&all), passing = 0.4 * data_stream_normal(&step);
            g[i] = lasting + passing + 0.6 * data_stream_normal(&own);
        }
    }
    return true;
}

/* Adds to each rank normals of standard deviation `size` that sum to zero over the ranks, so that the mean stays what
 * it is. */
static void add_local_parts(const job *j, double size)
{
    const size_t count = j->n * j->m;
    const int world = j->p->world;
    data_stream own[PROBLEM_MAX_WORLD];
    for (int k = 0; k < world; k++)
        own[k] = stream_for(j, FOR_RANK, k);
    for (size_t i = 0; i < count; i++) {
        double normals[PROBLEM_MAX_WORLD], sum = 0;
        for (int k = 0; k < world; k++)
            sum += normals[k] = data_stream_normal(&own[k]);
        for (int k = 0; k < world; k++)
            rank_gradients(j, k)[i] += size * (normals[k] - sum / world);
    }
}

/* The mean over the ranks has the singular values s[count]; plus_noise: standard deviation of noise added to it. */
static bool make_with_spectrum(const job *j, const double *s, size_t count, double noise)
{
    data_stream all = stream_for(j, FOR_ALL_STEPS, 0), step = stream_for(j, FOR_STEP, 0);
    double *mean = rank_gradients(j, 0);
    if (!spectrum_matrix(mean, s, j->n, j->m, count, &all, &step))
        return false;
    const size_t numel = j->n * j->m;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += s[i] * s[i];
    const double rms = sqrt(sum / (double)numel);
    if (noise > 0)
        for (size_t i = 0; i < numel; i++)
            mean[i] += noise * rms * data_stream_normal(&step);
    for (int k = 1; k < j->p->world; k++)
        memcpy(rank_gradients(j, k), mean, numel * sizeof *mean);
    if (j->p->world > 1)
        add_local_parts(j, 0.5 * rms);
    return true;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t singular_value_count(const job *j)
{
    return smaller(smaller(j->n, j->m), SPECTRUM_MAX);
}

static bool make_decay(const job *j)
{
    double s[SPECTRUM_MAX], value = 1;
    const size_t count = singular_value_count(j);
    for (size_t i = 0; i < count; i++) {
        s[i] = value;
        value *= j->kind.parameter;
    }
    return make_with_spectrum(j, s, count, 0);
}

static bool make_power(const job *j)
{
    double s[SPECTRUM_MAX];
    const size_t count = singular_value_count(j);
    for (size_t i = 0; i < count; i++)
        s[i] = 1 / (double)(i + 1);
    return make_with_spectrum(j, s, count, 0);
}

static bool make_flat(const job *j)
{
    double s[SPECTRUM_MAX];
    const size_t count = singular_value_count(j);
    for (size_t i = 0; i < count; i++)
        s[i] = 1;
    return make_with_spectrum(j, s, count, 0);
}

/* 1 .. 0.6, then from 0.2 down by 0.7: a ratio of a third at the gap. */
static bool make_gap(const job *j)
{
    double s[SPECTRUM_MAX], below = 0.2;
    const size_t count = singular_value_count(j), r = smaller((size_t)j->p->r, count);
    for (size_t i = 0; i < count; i++) {
        s[i] = i < r ? 1 - 0.4 * (double)i / (double)r : below;
        below *= i < r ? 1 : 0.7;
    }
    return make_with_spectrum(j, s, count, 0);
}

static double unit_of(psgd_dtype dtype)
{
    return dtype == PSGD_F64 ? 0x1p-52 : dtype == PSGD_F32 ? 0x1p-23 : dtype == PSGD_F16 ? 0x1p-10 : 0x1p-7;
}

static bool make_deficient(const job *j)
{
    double s[SPECTRUM_MAX];
    const size_t count = smaller((size_t)j->kind.parameter, singular_value_count(j));
    for (size_t i = 0; i < count; i++)
        s[i] = 1 - 0.5 * (double)i / (double)count;
    return make_with_spectrum(j, s, count, 8 * unit_of(j->p->dtype));
}

/* Small integers whose leading square is lower triangular without a zero on its diagonal: full column rank. */
static void full_rank_integers(double *a, size_t rows, size_t k, int64_t diagonal, int64_t bound, data_stream *stream)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t l = 0; l < k; l++)
            a[i * k + l] = i == l ? (double)diagonal : i < l ? 0 : (double)data_stream_integer(stream, bound);
}

/* G_k = A B_k^T in integers, exact in every type but bf16 with large k. A lasts. B_k = W (C + L_k), and the L_k sum to
 * zero: so the mean is A (W C)^T, of rank k, whatever the order of sums and divisions. */
static bool make_rank(const job *j)
{
    const int world = j->p->world;
    const size_t k = smaller((size_t)j->kind.parameter, smaller(j->n, j->m));
    if (k > 0 && (j->n > SIZE_MAX / 8 / k || j->m > SIZE_MAX / 16 / k))
        return false;
    double *a = malloc(j->n * k * sizeof *a + 1), *c = malloc(2 * j->m * k * sizeof *c + 1);
    if (a == NULL || c == NULL) {
        free(a);
        free(c);
        return false;
    }
    double *sum = c + j->m * k; /* of the L_k so far */
    data_stream all = stream_for(j, FOR_ALL_STEPS, 0), step = stream_for(j, FOR_STEP, 0);
    full_rank_integers(a, j->n, k, 1, 1, &all);
    full_rank_integers(c, j->m, k, 2, 2, &step);
    memset(sum, 0, j->m * k * sizeof *sum);
    for (int rank = 0; rank < world; rank++) {
        data_stream own = stream_for(j, FOR_RANK, rank);
        double *g = rank_gradients(j, rank);
        memset(g, 0, j->n * j->m * sizeof *g);
        for (size_t column = 0; column < j->m; column++)
            for (size_t l = 0; l < k; l++) {
                double *s = &sum[column * k + l];
                const double local = rank + 1 < world ? (double)data_stream_integer(&own, 1) : -*s;
                *s += local;
                const double b = world * (c[column * k + l] + local);
                for (size_t row = 0; row < j->n; row++)
                    g[row * j->m + column] += a[row * k + l] * b;
            }
    }
    free(a);
    free(c);
    return true;
}

static bool make_zero(const job *j)
{
    memset(j->g, 0, (size_t)j->p->world * (j->n * j->m) * sizeof *j->g);
    return true;
}

static bool make_zerocol(const job *j)
{
    if (!make_gauss(j))
        return false;
    for (int k = 0; k < j->p->world; k++)
        for (size_t row = 0; row < j->n; row++)
            rank_gradients(j, k)[row * j->m + j->m / 2] = 0;
    return true;
}

static bool make_dupcol(const job *j)
{
    if (!make_gauss(j))
        return false;
    for (int k = 0; k < j->p->world; k++)
        for (size_t row = 0; row < j->n; row++)
            for (size_t column = 1; column < j->m; column += 2) {
                double *at = &rank_gradients(j, k)[row * j->m + column];
                at[0] = at[-1];
            }
    return true;
}

static bool make_dead(const job *j)
{
    return j->step == j->p->start ? make_zero(j) : make_gauss(j);
}

static bool make_onerow(const job *j)
{
    if (!make_gauss(j))
        return false;
    if (j->step != j->p->start)
        return true;
    for (int k = 0; k < j->p->world; k++)
        for (size_t row = 0; row < j->n; row++)
            if (row != j->n / 2)
                memset(rank_gradients(j, k) + row * j->m, 0, j->m * sizeof *j->g);
    return true;
}

/* Multiples of W, so that dividing before or after the sum gives the same. */
static bool make_ints(const job *j)
{
    for (int k = 0; k < j->p->world; k++) {
        data_stream step = stream_for(j, FOR_STEP, 0), own = stream_for(j, FOR_RANK, k);
        double *g = rank_gradients(j, k);
        for (size_t i = 0; i < j->n * j->m; i++) {
            const int64_t common = data_stream_integer(&step, 8);
            g[i] = (double)(j->p->world * (common + data_stream_integer(&own, 3)));
        }
    }
    return true;
}

static bool make_bits40(const job *j)
{
    for (int k = 0; k < j->p->world; k++) {
        data_stream own = stream_for(j, FOR_RANK, k);
        double *g = rank_gradients(j, k);
        for (size_t i = 0; i < j->n * j->m; i++)
            g[i] = 1 + (double)data_stream_integer(&own, 1000) * 0x1p-40;
    }
    return true;
}

static bool make_power_of_two_times_gauss(const job *j, int sign)
{
    if (!make_gauss(j))
        return false;
    const int exponent = j->p->dtype == PSGD_F64 ? 400 : j->p->dtype == PSGD_F16 ? 6 : 50;
    for (size_t i = 0; i < (size_t)j->p->world * (j->n * j->m); i++)
        j->g[i] = ldexp(j->g[i], sign * exponent);
    return true;
}

static bool make_huge(const job *j)
{
    return make_power_of_two_times_gauss(j, 1);
}

static bool make_tiny(const job *j)
{
    return make_power_of_two_times_gauss(j, -1);
}

static bool make_with_one(const job *j, double special)
{
    if (!make_gauss(j))
        return false;
    if (j->step == j->p->start + 1 && j->kind.parameter < (double)(j->n * j->m))
        rank_gradients(j, 0)[(size_t)j->kind.parameter] = special;
    return true;
}

static bool make_nan(const job *j)
{
    return make_with_one(j, (double)NAN);
}

static bool make_inf(const job *j)
{
    return make_with_one(j, (double)INFINITY);
}

/* Rank k's own matrix: 4^j times the singular values (0.9 / (j + 1))^i, j = k mod 4, so that the largest has the
 * steepest spectrum. */
static bool make_uneven(const job *j)
{
    const size_t count = singular_value_count(j);
    for (int k = 0; k < j->p->world; k++) {
        const int kind = k % 4;
        double s[SPECTRUM_MAX], value = ldexp(1, 2 * kind);
        for (size_t i = 0; i < count; i++) {
            s[i] = value;
            value *= 0.9 / (kind + 1);
        }
        data_stream all = stream_for(j, FOR_ALL_STEPS, 0), own = stream_for(j, FOR_RANK, k);
        if (!spectrum_matrix(rank_gradients(j, k), s, j->n, j->m, count, &all, &own))
            return false;
    }
    return true;
}

static bool (*const makers[GRADIENT_KIND_COUNT])(const job *j) = {
    [GRADIENT_GAUSS] = make_gauss,   [GRADIENT_DECAY] = make_decay, [GRADIENT_POWER] = make_power,
    [GRADIENT_GAP] = make_gap,       [GRADIENT_FLAT] = make_flat,   [GRADIENT_DEFICIENT] = make_deficient,
    [GRADIENT_RANK] = make_rank,     [GRADIENT_ZERO] = make_zero,   [GRADIENT_ZEROCOL] = make_zerocol,
    [GRADIENT_DUPCOL] = make_dupcol, [GRADIENT_DEAD] = make_dead,   [GRADIENT_ONEROW] = make_onerow,
    [GRADIENT_INTS] = make_ints,     [GRADIENT_HUGE] = make_huge,   [GRADIENT_TINY] = make_tiny,
    [GRADIENT_BITS40] = make_bits40, [GRADIENT_NAN] = make_nan,     [GRADIENT_INF] = make_inf,
    [GRADIENT_UNEVEN] = make_uneven};

void gradients_matrix(size_t *n, size_t *m, const psgd_shape *shape)
{
    *n = shape->ndim > 0 ? shape->dims[0] : 1;
    *m = 1;
    for (size_t d = 1; d < shape->ndim; d++)
        *m *= shape->dims[d]; /* fits: problem_check.c */
}

bool gradients_scale(values *v, int64_t exponent)
{
    for (size_t i = 0; i < v->count; i++) {
        const double before = values_get(v, i);
        values_set(v, i, ldexp(before, (int)exponent));
        if (!isnan(before) && ldexp(values_get(v, i), -(int)exponent) != before)
            return false;
    }
    return true;
}

/* One tensor of all ranks, rounded into in[world] from element `offset` on. */
static bool fill_tensor(values *in, size_t offset, const job *j)
{
    const size_t numel = j->n * j->m;
    if (numel == 0)
        return true;
    if (!makers[j->kind.kind](j))
        return false;
    for (int k = 0; k < j->p->world; k++) {
        const double *g = rank_gradients(j, j->p->reversed ? j->p->world - 1 - k : k);
        for (size_t i = 0; i < numel; i++)
            values_set(&in[k], offset + i, g[i]);
    }
    return true;
}

bool gradients_fill(values *in, const problem *p, size_t bucket, int64_t step, bool *mistaken, char *message,
                    size_t message_size)
{
    size_t tensor = 0, largest = 0, offset = 0;
    for (size_t b = 0; b < bucket; b++)
        tensor += p->buckets[b].tensor_count;
    const problem_bucket *shapes = &p->buckets[bucket];
    for (size_t i = 0; i < shapes->tensor_count; i++) {
        size_t n, m;
        gradients_matrix(&n, &m, &shapes->shapes[i]);
        largest = n * m > largest ? n * m : largest;
    }
    double *g = NULL;
    if (largest <= SIZE_MAX / sizeof *g / (size_t)p->world)
        g = malloc((largest > 0 ? largest : 1) * (size_t)p->world * sizeof *g);
    bool ok = g != NULL;
    for (size_t i = 0; ok && i < shapes->tensor_count; i++, tensor++) {
        job j = {.g = g, .tensor = tensor, .step = step, .data_step = p->constant ? 0 : step, .p = p};
        j.kind = p->gradients[tensor < p->gradient_count ? tensor : p->gradient_count - 1];
        gradients_matrix(&j.n, &j.m, &shapes->shapes[i]);
        ok = fill_tensor(in, offset, &j);
        offset += j.n * j.m;
    }
    free(g);
    if (!ok) {
        (void)snprintf(message, message_size, "no memory for the gradients of step %lld", (long long)step);
        return false;
    }
    for (int k = 0; p->scale != 0 && k < p->world; k++)
        if (!gradients_scale(&in[k], p->scale)) {
            (void)snprintf(message, message_size, "scale=%lld is not exact: some gradients leave the type's range",
                           (long long)p->scale);
            *mistaken = true;
            return false;
        }
    return true;
}
