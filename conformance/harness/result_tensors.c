/* result_tensors.c: tensors and metadata of a result, each checked against the case before it is copied; used for
 * result files and for golden files. A tensor that the case does not call for is refused, by name.
 */
#include "harness/claims.h"
#include "harness/file_parts.h"
#include "harness/tensor_names.h"

#include <stdlib.h>
#include <string.h>

bool values_read(values *v, psgd_dtype dtype, const psgd_tensor *tensor, const size_t *dims, size_t ndim, char *message,
                 size_t message_size)
{
    bool fits = tensor->element == (psgd_element)dtype && tensor->ndim == ndim;
    size_t count = 1;
    for (size_t d = 0; fits && d < ndim; d++) {
        fits = tensor->dims[d] == dims[d];
        count *= dims[d]; /* the file's tensor has this size: no overflow */
    }
    if (!fits && ndim == 1)
        return refuse(message, message_size, "tensor %.100s: expected %zu elements of type %s", tensor->name, dims[0],
                      dtype_name(dtype));
    if (!fits)
        return refuse(message, message_size, "tensor %.100s: expected %zu x %zu of type %s", tensor->name, dims[0],
                      dims[1], dtype_name(dtype));
    if (v->data != NULL)
        return refuse(message, message_size, "tensor %.100s is there twice", tensor->name);
    if (!values_allocate(v, dtype, count))
        return refuse(message, message_size, "no memory for tensor %.100s", tensor->name);
    if (count > 0)
        memcpy(v->data, tensor->data, count * psgd_dtype_size(dtype));
    return true;
}

typedef enum result_kind { KIND_OUT, KIND_ERROR, KIND_P, KIND_Q, KIND_UNKNOWN } result_kind;

static result_kind kind_of(const char *name)
{
    static const char *const names[] = {"out", "error", "p", "q"};
    for (size_t i = 0; i < 4; i++)
        if (strcmp(name, names[i]) == 0)
            return (result_kind)i;
    return KIND_UNKNOWN;
}

static bool copy_out(trace *t, const test_case *c, const tensor_place *at, int k, const psgd_tensor *tensor,
                     char *message, size_t message_size)
{
    if (t->ranks[k].outcome == RANK_ABSENT || at->step >= t->ranks[k].steps_done)
        return refuse(message, message_size, "tensor %.100s is of a step that rank %d did not finish", tensor->name, k);
    return values_read(trace_out(t, at->step, at->bucket, k), c->dtype, tensor, &c->numel[at->bucket], 1, message,
                       message_size);
}

static bool read_rank_tensor(trace *t, const test_case *c, const tensor_place *at, result_kind kind, int rank,
                             bool golden, const psgd_tensor *tensor, char *message, size_t message_size)
{
    if (at->part == 0 && kind == KIND_OUT && golden) {
        bool ok = true;
        for (int k = 0; ok && k < c->world; k++)
            ok = copy_out(t, c, at, k, tensor, message, message_size);
        return ok;
    }
    if (at->part != 'k' || at->number >= (size_t)c->world || (rank >= 0 && at->number != (size_t)rank))
        return refuse(message, message_size, "tensor %.100s is of none of the ranks expected here", tensor->name);
    const int k = (int)at->number;
    if (kind == KIND_OUT)
        return copy_out(t, c, at, k, tensor, message, message_size);
    if (at->step < c->config.start_iter || at->step >= t->ranks[k].steps_done)
        return refuse(message, message_size, "tensor %.100s is of no compressed step that rank %d finished",
                      tensor->name, k);
    const bool cut = tensor->ndim == 1 && tensor->dims[0] == c->numel[at->bucket];
    const size_t padded = cut ? c->numel[at->bucket] : error_numel(c, at->bucket); /* the padding may be hidden */
    return values_read(trace_error(t, at->step, at->bucket, k), c->dtype, tensor, &padded, 1, message, message_size);
}

static bool read_factor(trace *t, const test_case *c, const factor_shape *shapes, const tensor_place *at,
                        result_kind kind, const psgd_tensor *tensor, char *message, size_t message_size)
{
    int64_t done = 0;
    for (int k = 0; k < t->world; k++)
        done = t->ranks[k].steps_done > done ? t->ranks[k].steps_done : done;
    size_t first = 0;
    for (size_t b = 0; b < at->bucket; b++)
        first += c->tensor_counts[b];
    if (at->part != 'i' || at->number >= c->tensor_counts[at->bucket] || shapes[first + at->number].r == 0)
        return refuse(message, message_size, "tensor %.100s is of no compressed tensor", tensor->name);
    if (at->step < c->config.start_iter || at->step >= done)
        return refuse(message, message_size, "tensor %.100s is of no compressed step that was finished", tensor->name);
    const factor_shape *shape = &shapes[first + at->number];
    const size_t dims[] = {kind == KIND_P ? shape->n : shape->m, shape->r};
    values *v =
        kind == KIND_P ? trace_p(t, at->step, at->bucket, at->number) : trace_q(t, at->step, at->bucket, at->number);
    return values_read(v, c->dtype, tensor, dims, 2, message, message_size);
}

bool result_tensor_read(trace *t, const test_case *c, const factor_shape *shapes, int rank, bool golden,
                        const psgd_tensor *tensor, char *message, size_t message_size)
{
    tensor_place at;
    const result_kind kind = tensor_name_parse(&at, tensor->name) ? kind_of(at.kind) : KIND_UNKNOWN;
    if (kind == KIND_UNKNOWN)
        return refuse(message, message_size, "unknown tensor %.100s", tensor->name);
    if (at.step >= c->steps || at.bucket >= c->bucket_count)
        return refuse(message, message_size, "tensor %.100s is of no step or bucket of the case", tensor->name);
    if (kind == KIND_OUT || kind == KIND_ERROR)
        return read_rank_tensor(t, c, &at, kind, rank, golden, tensor, message, message_size);
    return read_factor(t, c, shapes, &at, kind, tensor, message, message_size);
}

bool result_metadata_read(trace *t, const test_case *c, int rank, const psgd_safetensors *file, char *message,
                          size_t message_size)
{
    const char *producer = psgd_safetensors_metadata(file, "producer");
    const char *version = psgd_safetensors_metadata(file, "version");
    const char *claims = psgd_safetensors_metadata(file, "claims"), *bad;
    const char *q = psgd_safetensors_metadata(file, "q"), *status = psgd_safetensors_metadata(file, "status");
    const char *statistics = psgd_safetensors_metadata(file, "statistics");
    if (status == NULL)
        return refuse(message, message_size, "metadata \"status\" is missing");
    if (claims != NULL && !claims_parse(&t->claims, claims, &bad))
        return refuse(message, message_size, "metadata \"claims\": unknown claim at '%.40s'", bad);
    if (q != NULL && strcmp(q, "given") != 0 && strcmp(q, "own") != 0)
        return refuse(message, message_size, "metadata \"q\" is '%.40s', neither given nor own", q);
    t->q_given = q != NULL && strcmp(q, "given") == 0;
    t->producer = strdup(producer != NULL ? producer : "unnamed");
    t->version = strdup(version != NULL ? version : "");
    if (t->producer == NULL || t->version == NULL)
        return refuse(message, message_size, "no memory for results");
    return status_from_json(t, rank, status, message, message_size) &&
           (statistics == NULL || statistics_from_json(t, c, statistics, message, message_size));
}

bool result_is_complete(const trace *t, char *message, size_t message_size)
{
    for (int k = 0; k < t->world; k++)
        for (int64_t step = 0; step < t->ranks[k].steps_done; step++)
            for (size_t b = 0; b < t->bucket_count; b++)
                if (trace_out(t, step, b, k)->data == NULL)
                    return refuse(message, message_size, "tensor out/t%lld/b%zu/k%d is missing", (long long)step, b, k);
    return true;
}
