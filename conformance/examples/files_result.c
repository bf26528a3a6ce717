/* files_result.c: writes a result: ID.result.safetensors, or a rank's own ID.result.kN.safetensors. */
#include "files_port.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *status_of(const rank_result *r, int rank)
{
    const char *word = r->status == PSGD_OK ? "ok" : r->status == PSGD_ERR_UNSUPPORTED ? "unsupported" : "error";
    char message[TEXT];
    size_t i = 0;
    for (; i + 1 < TEXT && r->message[i] != '\0'; i++) /* JSON is UTF-8, and nobody knows what a port's words are */
        message[i] = r->message[i] >= ' ' && r->message[i] <= '~' ? r->message[i] : '?';
    message[i] = '\0';
    return json_pack("{s:i, s:s, s:s, s:I}", "rank", rank, "status", word, "message", message, "steps_done",
                     (json_int_t)r->steps_done);
}

static json_t *statistics_of(const psgd_statistics *s, int64_t step)
{
    json_t *object = json_pack("{s:I, s:I, s:I}", "step", (json_int_t)step, "numel_before_compression",
                               (json_int_t)s->numel_before_compression, "numel_after_compression",
                               (json_int_t)s->numel_after_compression);
    if (isfinite(s->compression_rate))
        (void)json_object_set_new(object, "compression_rate", json_real(s->compression_rate));
    return object;
}

/* Both null without memory. */
static char *dump(json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(value);
    return text;
}

static char *status_text(const rank_result *ranks, int first, int count)
{
    json_t *array = json_array();
    for (int k = first; k < first + count; k++)
        if (json_array_append_new(array, status_of(&ranks[k], k)) != 0)
            return NULL;
    return dump(array);
}

static char *statistics_text(const file_case *c, const rank_result *r)
{
    json_t *array = json_array();
    for (int64_t t = c->config.start_iter; r->has_statistics && t < r->steps_done; t++)
        if (json_array_append_new(array, statistics_of(&r->statistics[t - c->config.start_iter], t)) != 0)
            return NULL;
    return dump(array);
}

/* Of all these ranks, in one list that borrows them. */
static psgd_tensor *tensors_of(size_t *count, const rank_result *ranks, int first, int ranks_count)
{
    *count = 0;
    for (int k = first; k < first + ranks_count; k++)
        *count += ranks[k].tensor_count;
    psgd_tensor *all = malloc((*count + 1) * sizeof *all);
    size_t at = 0;
    for (int k = first; all != NULL && k < first + ranks_count; k++)
        for (size_t i = 0; i < ranks[k].tensor_count; i++)
            all[at++] = ranks[k].tensors[i];
    return all;
}

bool result_write(const file_case *c, const psgd_implementation *port, const rank_result *ranks, int first, int count,
                  bool own_file, const char *folder, char *message)
{
    char claims[TEXT], path[4096], suffix[32] = "";
    if (own_file)
        (void)snprintf(suffix, sizeof suffix, ".k%d", first);
    const int length = snprintf(path, sizeof path, "%s/%s.result%s.safetensors", folder, c->id, suffix);
    claims_write(claims, port->claims);
    size_t tensor_count = 0;
    psgd_tensor *tensors = tensors_of(&tensor_count, ranks, first, count);
    char *status = status_text(ranks, first, count), *statistics = statistics_text(c, &ranks[first]);
    bool ok = tensors != NULL && status != NULL && statistics != NULL && length > 0 && (size_t)length < sizeof path;
    if (!ok)
        (void)snprintf(message, TEXT, "no memory for the results of %s, or too long a path", c->id);
    const psgd_metadata metadata[] = {
        {"format", "psgd-result/1"}, {"id", c->id},
        {"producer", port->name},    {"version", port->version},
        {"claims", claims},          {"q", ranks[first].q_given ? "given" : "own"},
        {"status", status},          {"statistics", statistics}}; /* the last one: of rank 0's file alone */
    ok = ok &&
         psgd_safetensors_write(path, tensors, tensor_count, metadata, first == 0 ? 8 : 7, message, TEXT) == PSGD_OK;
    free(tensors);
    free(status);
    free(statistics);
    return ok;
}
