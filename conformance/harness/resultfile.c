/* resultfile.c: results as files, written and read. A rank's file holds its own outputs and error; factors and
 * statistics, equal on all ranks, stand in rank 0's. What a result has no place for (guard bytes, elements on the wire,
 * log lines) is the runner's own matter. Read next: file_json.c, result_tensors.c.
 */
#include "harness/casefile.h"
#include "harness/claims.h"
#include "harness/file_parts.h"
#include "harness/tensor_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static void add_rank(tensor_list *list, const test_case *c, const trace *t, int64_t step, size_t bucket, int k)
{
    char name[TENSOR_NAME_SIZE];
    if (step >= t->ranks[k].steps_done)
        return;
    tensor_name_rank(name, "out", step, bucket, k);
    tensor_list_add(list, name, trace_out(t, step, bucket, k), &c->numel[bucket], 1);
    if (step < c->config.start_iter)
        return;
    const values *error = trace_error(t, step, bucket, k);
    tensor_name_rank(name, "error", step, bucket, k);
    tensor_list_add(list, name, error, &error->count, 1); /* flattened: with the padding, or without if it is hidden */
}

static void add_factors(tensor_list *list, const trace *t, int64_t step, size_t bucket, const factor_shape *shapes)
{
    for (size_t i = 0; i < t->tensor_counts[bucket]; i++) {
        if (shapes[i].r == 0)
            continue;
        char name[TENSOR_NAME_SIZE];
        const size_t p[] = {shapes[i].n, shapes[i].r}, q[] = {shapes[i].m, shapes[i].r};
        tensor_name_factor(name, "p", step, bucket, i);
        tensor_list_add(list, name, trace_p(t, step, bucket, i), p, 2);
        tensor_name_factor(name, "q", step, bucket, i);
        tensor_list_add(list, name, trace_q(t, step, bucket, i), q, 2);
    }
}

static bool make_list(tensor_list *list, const test_case *c, const trace *t, int rank)
{
    factor_shape *shapes = factor_shapes(c);
    if (shapes == NULL)
        return false;
    int64_t factors_done = 0; /* of the ranks whose factors these are: one is enough */
    for (int k = 0; k < t->world; k++)
        if ((rank < 0 || k == rank) && t->ranks[k].steps_done > factors_done)
            factors_done = t->ranks[k].steps_done;
    for (int64_t step = 0; step < c->steps; step++)
        for (size_t b = 0, first = 0; b < c->bucket_count; first += c->tensor_counts[b++]) {
            for (int k = 0; k < t->world; k++)
                if (rank < 0 || k == rank)
                    add_rank(list, c, t, step, b, k);
            if (rank <= 0 && step >= c->config.start_iter && step < factors_done)
                add_factors(list, t, step, b, shapes + first);
        }
    free(shapes);
    return !list->out_of_memory;
}

bool resultfile_serialize(const test_case *c, const trace *t, int rank, void **bytes, size_t *count, char *message,
                          size_t message_size)
{
    tensor_list list = {0};
    char claims[256];
    char *producer = ascii_copy(t->producer != NULL ? t->producer : "");
    char *version = ascii_copy(t->version != NULL ? t->version : "");
    char *status = status_to_json(t, rank), *statistics = statistics_to_json(t);
    claims_print(t->claims, claims, sizeof claims);
    bool ok =
        (producer != NULL && version != NULL && status != NULL && statistics != NULL && make_list(&list, c, t, rank)) ||
        refuse(message, message_size, "no memory for the results of case %s", c->id);
    if (ok) {
        const psgd_metadata metadata[] = {{"format", RESULT_FORMAT}, {"id", c->id},
                                          {"producer", producer},    {"version", version},
                                          {"claims", claims},        {"q", t->q_given ? "given" : "own"},
                                          {"status", status},        {"statistics", statistics}};
        const size_t keys = sizeof metadata / sizeof metadata[0] - (rank <= 0 ? 0 : 1);
        ok = psgd_safetensors_serialize(bytes, count, list.tensors, list.count, metadata, keys, message,
                                        message_size) == PSGD_OK;
    }
    tensor_list_free(&list);
    free(producer);
    free(version);
    free(status);
    free(statistics);
    return ok;
}

/* ---- reading ---- */

static bool read_all(trace *t, const test_case *c, int rank, const psgd_safetensors *file, char *message,
                     size_t message_size)
{
    const char *format = psgd_safetensors_metadata(file, "format"), *id = psgd_safetensors_metadata(file, "id");
    if (format == NULL || strcmp(format, RESULT_FORMAT) != 0)
        return refuse(message, message_size, "metadata \"format\" is not %s", RESULT_FORMAT);
    if (id == NULL || strcmp(id, c->id) != 0)
        return refuse(message, message_size, "the result is that of case '%.80s', not of %s", id != NULL ? id : "",
                      c->id);
    if (!result_metadata_read(t, c, rank, file, message, message_size))
        return false;
    factor_shape *shapes = factor_shapes(c);
    bool ok = shapes != NULL || refuse(message, message_size, "no memory for results");
    for (size_t i = 0; ok && i < psgd_safetensors_count(file); i++)
        ok = result_tensor_read(t, c, shapes, rank, false, psgd_safetensors_at(file, i), message, message_size);
    free(shapes);
    return ok;
}

/* Takes part, whatever happens. */
static bool add_part(trace **t, const test_case *c, int rank, trace *part, char *message, size_t message_size)
{
    if (*t == NULL && rank < 0) {
        *t = part;
        return true;
    }
    if (*t == NULL)
        *t = trace_create(c->steps, c->bucket_count, c->tensor_counts, c->world);
    bool ok = *t != NULL || refuse(message, message_size, "no memory for results");
    for (int k = 0; ok && k < c->world; k++)
        if (k == rank || (rank < 0 && part->ranks[k].outcome != RANK_ABSENT))
            ok = trace_merge(*t, part, k, message, message_size);
    trace_free(part);
    return ok;
}

static bool add_file(const test_case *c, trace **t, int rank, const psgd_safetensors *file, char *message,
                     size_t message_size)
{
    if (rank >= c->world)
        return refuse(message, message_size, "case %s has no rank %d", c->id, rank);
    trace *part = trace_create(c->steps, c->bucket_count, c->tensor_counts, c->world);
    if (part == NULL)
        return refuse(message, message_size, "no memory for results");
    if (!read_all(part, c, rank, file, message, message_size)) {
        trace_free(part);
        return false;
    }
    return add_part(t, c, rank, part, message, message_size);
}

bool resultfile_parse(const test_case *c, trace **t, int rank, const void *bytes, size_t count, char *message,
                      size_t message_size)
{
    psgd_safetensors *file = NULL;
    if (psgd_safetensors_parse(&file, bytes, count, message, message_size) != PSGD_OK)
        return false;
    const bool ok = add_file(c, t, rank, file, message, message_size);
    psgd_safetensors_close(file);
    return ok;
}

bool resultfile_read(const test_case *c, trace **t, int rank, const char *path, char *message, size_t message_size)
{
    char reason[400];
    psgd_safetensors *file = NULL;
    if (psgd_safetensors_open(&file, path, reason, sizeof reason) != PSGD_OK)
        return refuse(message, message_size, "%s", reason);
    const bool ok = add_file(c, t, rank, file, reason, sizeof reason);
    psgd_safetensors_close(file);
    return ok || refuse(message, message_size, "%.200s: %s", path, reason);
}
