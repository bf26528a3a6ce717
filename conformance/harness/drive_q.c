/* drive_q.c: see drive_q.h. */
#include "harness/drive_q.h"

#include "core/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;
    return least < c ? least : c;
}

drive_matrix drive_matrix_of(const test_case *c, size_t bucket, size_t tensor)
{
    size_t rank = (size_t)c->config.matrix_approximation_rank;
    if (c->config.variant == PSGD_FLATTENED) {
        size_t side = case_square_side(c->numel[bucket]);
        return (drive_matrix){.n = side, .m = side, .r = rank};
    }
    const psgd_shape *shape = &c->buckets[bucket].shapes[tensor];
    drive_matrix matrix = {.n = shape->ndim > 0 ? shape->dims[0] : 1, .m = 1};
    for (size_t i = 1; i < shape->ndim; i++)
        matrix.m *= shape->dims[i]; /* no overflow: the case was built from these sizes */
    matrix.r = smallest(matrix.n, matrix.m, rank);
    return matrix;
}

static psgd_status refuse_draw(drive_q *q, const char *why, uint64_t step, size_t bucket, size_t tensor, size_t m,
                               size_t r)
{
    if (q->refusal[0] == '\0')
        (void)snprintf(q->refusal, sizeof q->refusal,
                       "the q_source was asked for a Q of step %llu, bucket %zu, tensor %zu, %zu x %zu: %s",
                       (unsigned long long)step, bucket, tensor, m, r, why);
    return PSGD_ERR_ARGUMENT;
}

/* Where the case draws nothing: normals all the same, fixed by the request. A port that draws at other times than the
 * hook is judged by what it makes of them, not stopped. */
static psgd_status draw_other(void *out, uint64_t step, size_t bucket, size_t tensor, psgd_dtype dtype, size_t count)
{
    float *normals = calloc(count + 1, sizeof *normals);
    if (normals == NULL)
        return PSGD_ERR_MEMORY;
    psgd_torch_generator generator;
    psgd_torch_manual_seed(&generator, ((step * 1009 + bucket) * 1009 + tensor) ^ 0x5eed0000u);
    psgd_status status = psgd_torch_randn(&generator, normals, count, PSGD_F32);
    values drawn = {.dtype = dtype, .count = count, .data = out};
    for (size_t i = 0; i < count && status == PSGD_OK; i++)
        values_set(&drawn, i, (double)normals[i]);
    free(normals);
    return status;
}

static psgd_status draw(void *context, uint64_t step, size_t bucket, size_t tensor, psgd_dtype dtype, size_t m,
                        size_t r, void *out)
{
    drive_q *q = context;
    if (out == NULL)
        return refuse_draw(q, "q is null", step, bucket, tensor, m, r);
    if (step >= (uint64_t)q->c->steps || bucket >= q->c->bucket_count || tensor >= q->c->tensor_counts[bucket])
        return refuse_draw(q, "there is no such step, bucket or tensor", step, bucket, tensor, m, r);
    drive_matrix matrix = drive_matrix_of(q->c, bucket, tensor);
    if (m != matrix.m || r != matrix.r)
        return refuse_draw(q, "that is not its size", step, bucket, tensor, m, r);
    if (dtype != q->c->dtype)
        return refuse_draw(q, "that is not the bucket's type", step, bucket, tensor, m, r);
    const values *known = case_q0(q->c, (int64_t)step, bucket, tensor);
    if (known == NULL || known->data == NULL)
        return draw_other(out, step, bucket, tensor, dtype, m * r);
    memcpy(out, known->data, known->count * psgd_dtype_size(known->dtype));
    return PSGD_OK;
}

void drive_q_init(drive_q *q, const test_case *c)
{
    *q = (drive_q){.c = c};
}

const psgd_q_source *drive_q_source(drive_q *q)
{
    q->source = (psgd_q_source){.context = q, .draw = draw};
    return &q->source;
}
