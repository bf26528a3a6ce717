/* minimal_port.c: PowerSGD in one file, the layerwise step with error feedback and warm start. It conforms, and is
 * written to be read, not to be fast: one tensor after the other, each with all-reduces of its own, all in double.
 *
 *   cc -std=c11 -shared -fPIC minimal_port.c -o libminimal.so -lm         (and -I to where psgd/psgd.h is)
 *   psgd-conform run --impl ./libminimal.so
 *
 * From top to bottom: what is remembered, numbers, the step of one tensor (Algorithm 1 of the paper, arXiv 1905.13727),
 * of one bucket (Algorithm 2), the table. README.md beside it has the other ways to run it.
 */
#include "psgd/half.h"
#include "psgd/psgd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST (SIZE_MAX / 64) /* elements of a bucket, so that five doubles for each can be counted */

typedef struct matrix { /* a tensor, row-major; its P and Q have r columns */
    size_t n, m, r;
} matrix;

typedef struct memory { /* of one bucket, from its first compressed step on */
    size_t index, count, numel;
    uint32_t dtype;
    matrix *shapes; /* [count] */
    /* One block, [numel] each; a tensor's part begins where the tensor does: [n][m], of p [n][r], of q [m][r]. */
    double *error, *q, *M, *out, *p;
    bool has_q;
    struct memory *next;
} memory;

struct psgd_state {
    psgd_config config;
    psgd_comm comm;
    int64_t iteration;
    bool broken;
    const char *message;
    memory *memories;
};

static psgd_status fail(psgd_state *s, psgd_status status, const char *why)
{
    s->message = why;
    s->broken = s->broken || status == PSGD_ERR_COMM;
    return status;
}

/* ---- numbers ---- */

static double get(const void *data, uint32_t dtype, size_t i)
{
    return dtype == PSGD_F64   ? ((const double *)data)[i]
           : dtype == PSGD_F32 ? (double)((const float *)data)[i]
           : dtype == PSGD_F16 ? psgd_f16_to_double(((const uint16_t *)data)[i])
                               : psgd_bf16_to_double(((const uint16_t *)data)[i]);
}

static void put(void *data, uint32_t dtype, size_t i, double value)
{
    if (dtype == PSGD_F64)
        ((double *)data)[i] = value;
    else if (dtype == PSGD_F32)
        ((float *)data)[i] = (float)value;
    else
        ((uint16_t *)data)[i] = dtype == PSGD_F16 ? psgd_f16_from_double(value) : psgd_bf16_from_double(value);
}

/* A standard normal that is a function of its place: the same on every rank, and there is nothing to remember. */
static double normal(const psgd_state *s, size_t bucket, size_t tensor, size_t element)
{
    const uint64_t place[7] = {s->config.random_seed, (uint64_t)s->iteration, bucket, tensor, element};
    uint64_t x = 0;
    double u[2];
    for (int i = 0; i < 7; i++) { /* splitmix64's mixing; the last two words make a normal as Box and Muller do */
        x = (x ^ place[i]) + UINT64_C(0x9e3779b97f4a7c15);
        x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
        x ^= x >> 31;
        u[i % 2] = ((double)(x >> 11) + 0.5) / 9007199254740992.0; /* 2^53 */
    }
    return sqrt(-2 * log(u[0])) * cos(6.283185307179586 * u[1]);
}

/* The columns of a [rows][r] become orthonormal by Gram-Schmidt; what rounding leaves, the second pass removes. */
static void orthogonalize(double *a, size_t rows, size_t r, double epsilon)
{
    for (size_t j = 0; j < r; j++) {
        for (size_t k = 0; k < 2 * j; k++) {
            double dot = 0;
            for (size_t i = 0; i < rows; i++)
                dot += a[i * r + k % j] * a[i * r + j];
            for (size_t i = 0; i < rows; i++)
                a[i * r + j] -= dot * a[i * r + k % j];
        }
        double square = 0;
        for (size_t i = 0; i < rows; i++)
            square += a[i * r + j] * a[i * r + j];
        const double norm = sqrt(square) + epsilon;
        for (size_t i = 0; i < rows && norm != 0; i++) /* zeros stay zeros, and NaN stays visible */
            a[i * r + j] /= norm;
    }
}

/* data[count] becomes its sum over the ranks, divided. */
static psgd_status reduce(psgd_state *s, double *data, size_t count, double divisor)
{
    if (s->comm.allreduce_sum(s->comm.context, data, count, PSGD_F64) != PSGD_OK)
        return fail(s, PSGD_ERR_COMM, "comm->allreduce_sum failed");
    for (size_t i = 0; i < count; i++)
        data[i] /= divisor;
    return PSGD_OK;
}

/* ---- one tensor ---- */

static bool is_compressed(const psgd_state *s, const matrix *t)
{
    return (double)((t->n + t->m) * t->r) * s->config.min_compression_rate < (double)t->n * (double)t->m;
}

/* q [m][r] = normals: the caller's numbers if it has a source of them. room: for as many elements of the type. */
static psgd_status draw(psgd_state *s, double *q, void *room, const psgd_bucket *b, size_t tensor, const matrix *t)
{
    const psgd_q_source *source = s->config.q_source;
    if (source != NULL && source->draw(source->context, (uint64_t)s->iteration, b->index, tensor, (psgd_dtype)b->dtype,
                                       t->m, t->r, room) != PSGD_OK)
        return fail(s, PSGD_ERR_COMM, "config.q_source->draw failed");
    for (size_t i = 0; i < t->m * t->r; i++)
        q[i] = source != NULL ? get(room, b->dtype, i) : normal(s, b->index, tensor, i);
    return PSGD_OK;
}

/* The paper's Algorithm 1: out [n][m] from M [n][m] and q [m][r], which becomes the next step's Q. p: [n][r]. */
static psgd_status approximate(psgd_state *s, double *out, double *q, double *p, const double *M, const matrix *t)
{
    const size_t n = t->n, m = t->m, r = t->r;
    orthogonalize(q, m, r, s->config.orthogonalization_epsilon);
    memset(p, 0, n * r * sizeof *p);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            for (size_t k = 0; k < r; k++)
                p[i * r + k] += M[i * m + j] * q[j * r + k]; /* P = M Q */
    psgd_status status = reduce(s, p, n * r, 1);
    orthogonalize(p, n, r, s->config.orthogonalization_epsilon);
    memset(q, 0, m * r * sizeof *q);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            for (size_t k = 0; k < r; k++)
                q[j * r + k] += M[i * m + j] * p[i * r + k]; /* Q = M^T P */
    if (status == PSGD_OK)
        status = reduce(s, q, m * r, s->comm.size);
    memset(out, 0, n * m * sizeof *out);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            for (size_t k = 0; k < r; k++)
                out[i * m + j] += p[i * r + k] * q[j * r + k]; /* out = P Q^T */
    return status;
}

/* ---- one bucket ---- */

static void forget(memory *all)
{
    while (all != NULL) {
        memory *next = all->next;
        free(all->shapes);
        free(all->error);
        free(all);
        all = next;
    }
}

/* Tensor i as a matrix; its elements are added to *numel. False: dims is null, or no memory holds so many. */
static bool matrix_of(matrix *t, size_t *numel, const psgd_state *s, const psgd_shape *shape)
{
    *t = (matrix){.n = 1, .m = 1, .r = (size_t)s->config.matrix_approximation_rank};
    for (size_t d = 0; d < shape->ndim; d++) { /* n: the first dimension, m: the others */
        size_t *side = d == 0 ? &t->n : &t->m;
        if (shape->dims == NULL || shape->dims[d] > MOST / (*side > 0 ? *side : 1))
            return false;
        *side *= shape->dims[d];
    }
    if (t->n > MOST / (t->m > 0 ? t->m : 1) || t->n * t->m > MOST - *numel)
        return false;
    t->r = t->r < t->n ? t->r : t->n;
    t->r = t->r < t->m ? t->r : t->m;
    *numel += t->n * t->m;
    return true;
}

/* What is wrong with the bucket; null: nothing that can be seen from outside. */
static const char *trouble_of(const psgd_bucket *b)
{
    return b == NULL                                  ? "bucket is null"
           : b->struct_size < sizeof *b               ? "bucket->struct_size is too small"
           : psgd_dtype_size(b->dtype) == 0           ? "bucket->dtype is unknown"
           : b->data == NULL                          ? "bucket->data is null"
           : b->tensor_count > 0 && b->shapes == NULL ? "bucket->shapes is null"
           : b->tensor_count > MOST                   ? "bucket->tensor_count is too large"
                                                      : NULL;
}

/* A memory for this bucket. The caller frees *made, whatever comes of it. */
static psgd_status remember(memory **made, psgd_state *s, const psgd_bucket *b)
{
    memory *mem = *made = calloc(1, sizeof *mem);
    matrix *shapes = mem != NULL ? calloc(b->tensor_count + 1, sizeof *shapes) : NULL;
    if (shapes == NULL)
        return fail(s, PSGD_ERR_MEMORY, "no memory for a bucket");
    *mem = (memory){.index = b->index, .count = b->tensor_count, .dtype = b->dtype, .shapes = shapes};
    for (size_t i = 0; i < b->tensor_count; i++)
        if (!matrix_of(&shapes[i], &mem->numel, s, &b->shapes[i]))
            return fail(s, PSGD_ERR_ARGUMENT, "bucket->shapes: dims is null, or their product too large");
    mem->error = calloc(5 * mem->numel + 1, sizeof *mem->error);
    if (mem->error == NULL)
        return fail(s, PSGD_ERR_MEMORY, "no memory for a bucket");
    mem->q = mem->error + mem->numel;
    mem->M = mem->q + mem->numel;
    mem->out = mem->M + mem->numel;
    mem->p = mem->out + mem->numel;
    return PSGD_OK;
}

/* Algorithm 2: M = gradient + error; what compression loses of it is the next step's error. In the plain phase nothing
 * is compressed or remembered. */
static psgd_status step_in(psgd_state *s, const psgd_bucket *b, memory *mem)
{
    const bool plain = s->iteration < s->config.start_iter;
    psgd_status status = PSGD_OK;
    for (size_t i = 0; i < mem->numel; i++)
        mem->M[i] = mem->out[i] = get(b->data, b->dtype, i) + mem->error[i];
    for (size_t i = 0, at = 0; i < mem->count && status == PSGD_OK; i++) {
        const matrix *t = &mem->shapes[i];
        const bool compressed = !plain && is_compressed(s, t);
        if (compressed && !mem->has_q)
            status = draw(s, mem->q + at, mem->p, b, i, t);
        if (status == PSGD_OK)
            status = compressed ? approximate(s, mem->out + at, mem->q + at, mem->p, mem->M + at, t)
                                : reduce(s, mem->out + at, t->n * t->m, s->comm.size);
        at += t->n * t->m;
    }
    for (size_t i = 0; i < mem->numel && status == PSGD_OK; i++) {
        put(b->data, b->dtype, i, mem->out[i]);
        mem->error[i] = s->config.use_error_feedback ? mem->M[i] - get(b->data, b->dtype, i) : 0;
    }
    mem->has_q = s->config.warm_start;
    return status;
}

/* ---- the table ---- */

static psgd_status step(psgd_state *s, const psgd_bucket *b)
{
    if (s == NULL)
        return PSGD_ERR_ARGUMENT;
    if (s->broken)
        return fail(s, PSGD_ERR_BROKEN, "a collective failed earlier");
    if (trouble_of(b) != NULL)
        return fail(s, PSGD_ERR_ARGUMENT, trouble_of(b));
    const bool plain = s->iteration < s->config.start_iter;
    memory *made, *old = plain ? NULL : s->memories;
    psgd_status status = remember(&made, s, b);
    while (old != NULL && old->index != b->index)
        old = old->next;
    if (status == PSGD_OK && old != NULL &&
        (old->dtype != made->dtype || old->count != made->count ||
         memcmp(old->shapes, made->shapes, made->count * sizeof *made->shapes) != 0))
        status = fail(s, PSGD_ERR_LAYOUT, "bucket: dtype or shapes differ from its first compressed step's");
    if (status == PSGD_OK)
        status = step_in(s, b, old != NULL ? old : made);
    if (status == PSGD_OK && old == NULL && !plain && (s->config.use_error_feedback || s->config.warm_start)) {
        made->next = s->memories;
        s->memories = made;
        made = NULL;
    }
    forget(made);
    s->iteration += status == PSGD_OK && b->is_last;
    return status;
}

static const char *trouble_with(const psgd_config *c, const psgd_comm *comm)
{
    const double rate = c->min_compression_rate, epsilon = c->orthogonalization_epsilon;
    return c->struct_size < sizeof *c                   ? "config->struct_size is too small"
           : comm->struct_size < sizeof *comm           ? "comm->struct_size is too small"
           : comm->allreduce_sum == NULL                ? "comm->allreduce_sum is null"
           : comm->rank < 0 || comm->rank >= comm->size ? "comm->rank is not below comm->size"
           : c->variant != PSGD_LAYERWISE               ? "config->variant is not the layerwise one"
           : c->matrix_approximation_rank < 1           ? "config->matrix_approximation_rank is below 1"
           : c->start_iter < 0                          ? "config->start_iter is below 0"
           : !(rate >= 0 && rate < HUGE_VAL)            ? "config->min_compression_rate is no number from 0 on"
           : !(epsilon >= 0 && epsilon < HUGE_VAL)      ? "config->orthogonalization_epsilon is no number from 0 on"
                                                        : NULL;
}

static psgd_status create(const psgd_config *config, const psgd_comm *comm, psgd_state **state, char *message,
                          size_t size)
{
    const bool null = config == NULL || comm == NULL || state == NULL;
    const char *why = null ? "config, comm or state is null" : trouble_with(config, comm);
    psgd_state *s = why == NULL ? calloc(1, sizeof *s) : NULL;
    if (state != NULL)
        *state = s;
    if (s != NULL) {
        *s = (psgd_state){.config = *config, .comm = *comm, .message = ""};
        return PSGD_OK;
    }
    if (message != NULL && size > 0)
        (void)snprintf(message, size, "%s", why != NULL ? why : "no memory for a state");
    if (!null && config->struct_size >= sizeof *config && config->variant == PSGD_FLATTENED)
        return PSGD_ERR_UNSUPPORTED;
    return why != NULL ? PSGD_ERR_ARGUMENT : PSGD_ERR_MEMORY;
}

static void destroy(psgd_state *s)
{
    if (s != NULL)
        forget(s->memories);
    free(s);
}

static const char *last_error(const psgd_state *s)
{
    return s->message;
}

const psgd_implementation *psgd_implementation_entry(void)
{
    static const psgd_implementation table = {
        .struct_size = sizeof table,
        .abi = PSGD_ABI,
        .name = "example-minimal",
        .version = "1.0",
        .claims = PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_WARM_START | PSGD_CLAIM_MULTIRANK |
                  PSGD_CLAIM_SUBGROUP | PSGD_CLAIM_F64 | PSGD_CLAIM_F16 | PSGD_CLAIM_BF16 | PSGD_CLAIM_DETERMINISM,
        .create = create,
        .step = step,
        .destroy = destroy,
        .last_error = last_error,
    };
    return &table;
}
