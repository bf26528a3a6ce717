/* file_json.c: the JSON texts in the metadata of case and result files: config, group, status, statistics. Readers take
 * exactly the members that are documented (conformance/FILES.md) and check each one's type and range; unknown members
 * of status and statistics are passed over, so that a port may add its own.
 */
#include "harness/file_parts.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLAGS_OUT (JSON_COMPACT | JSON_REAL_PRECISION(17))

static char *dump(json_t *value) /* takes the reference; null is allowed */
{
    char *text = value != NULL ? json_dumps(value, FLAGS_OUT) : NULL;
    json_decref(value);
    return text;
}

/* ---- configuration ---- */

char *config_to_json(const psgd_config *c)
{
    return dump(json_pack("{s:s, s:I, s:I, s:f, s:f, s:b, s:b, s:b, s:I, s:I}", "variant",
                          c->variant == PSGD_FLATTENED ? "flattened" : "layerwise", "matrix_approximation_rank",
                          (json_int_t)c->matrix_approximation_rank, "start_iter", (json_int_t)c->start_iter,
                          "min_compression_rate", c->min_compression_rate, "orthogonalization_epsilon",
                          c->orthogonalization_epsilon, "use_error_feedback", (int)c->use_error_feedback, "warm_start",
                          (int)c->warm_start, "batch_tensors_with_same_shape", (int)c->batch_tensors_with_same_shape,
                          "random_seed", (json_int_t)c->random_seed, "compression_stats_logging_frequency",
                          (json_int_t)c->compression_stats_logging_frequency));
}

static bool read_config(psgd_config *c, json_t *object)
{
    const char *variant;
    json_int_t rank, start, seed, interval;
    int feedback, warm, batch;
    double rate, epsilon;
    /* F takes 2 and 2.0; ! refuses members that are not named here */
    if (json_unpack(object, "{s:s, s:I, s:I, s:F, s:F, s:b, s:b, s:b, s:I, s:I !}", "variant", &variant,
                    "matrix_approximation_rank", &rank, "start_iter", &start, "min_compression_rate", &rate,
                    "orthogonalization_epsilon", &epsilon, "use_error_feedback", &feedback, "warm_start", &warm,
                    "batch_tensors_with_same_shape", &batch, "random_seed", &seed,
                    "compression_stats_logging_frequency", &interval) != 0)
        return false;
    const bool flattened = strcmp(variant, "flattened") == 0;
    if ((!flattened && strcmp(variant, "layerwise") != 0) || seed < 0 || seed > UINT32_MAX || !(epsilon >= 0))
        return false;
    *c = psgd_config_default();
    c->variant = flattened ? PSGD_FLATTENED : PSGD_LAYERWISE;
    c->matrix_approximation_rank = rank;
    c->start_iter = start;
    c->min_compression_rate = rate;
    c->orthogonalization_epsilon = epsilon;
    c->use_error_feedback = feedback != 0;
    c->warm_start = warm != 0;
    c->batch_tensors_with_same_shape = batch != 0;
    c->random_seed = (uint32_t)seed;
    c->compression_stats_logging_frequency = interval;
    return true;
}

bool config_from_json(psgd_config *config, const char *text, char *message, size_t message_size)
{
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const bool ok = object != NULL && read_config(config, object);
    json_decref(object);
    return ok || refuse(message, message_size, "metadata \"config\" is not a configuration with all its members");
}

bool config_equal(const psgd_config *a, const psgd_config *b, bool epsilon_too)
{
    return a->variant == b->variant && a->matrix_approximation_rank == b->matrix_approximation_rank &&
           a->start_iter == b->start_iter && a->min_compression_rate == b->min_compression_rate &&
           (!epsilon_too || a->orthogonalization_epsilon == b->orthogonalization_epsilon) &&
           a->use_error_feedback == b->use_error_feedback && a->warm_start == b->warm_start &&
           a->batch_tensors_with_same_shape == b->batch_tensors_with_same_shape && a->random_seed == b->random_seed &&
           a->compression_stats_logging_frequency == b->compression_stats_logging_frequency;
}

char *group_to_json(const problem *p)
{
    json_t *array = json_array();
    bool ok = array != NULL;
    for (int k = 0; ok && k < p->world; k++)
        ok = json_array_append_new(array, json_integer(p->group[k])) == 0;
    if (!ok) {
        json_decref(array);
        return NULL;
    }
    return dump(array);
}

bool group_from_json(int *group, size_t *count, size_t room, const char *text, char *message, size_t message_size)
{
    json_t *array = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    *count = json_array_size(array);
    bool ok = *count > 0 && *count <= room;
    for (size_t i = 0; ok && i < *count; i++) {
        const json_t *member = json_array_get(array, i);
        ok = json_is_integer(member) && json_integer_value(member) >= 0 && json_integer_value(member) < 1000000;
        group[i] = ok ? (int)json_integer_value(member) : 0;
    }
    json_decref(array);
    return ok || refuse(message, message_size, "metadata \"group\" is not an array of ranks");
}

/* ---- status ---- */

static json_t *status_of(const trace_rank *rank, int k)
{
    const char *word = rank->outcome == RANK_OK ? "ok" : rank->outcome == RANK_UNSUPPORTED ? "unsupported" : "error";
    char *message = ascii_copy(rank->message != NULL ? rank->message : "");
    json_t *object = message == NULL ? NULL
                                     : json_pack("{s:i, s:s, s:s, s:I}", "rank", k, "status", word, "message", message,
                                                 "steps_done", (json_int_t)rank->steps_done);
    free(message);
    return object;
}

char *status_to_json(const trace *t, int rank)
{
    json_t *array = json_array();
    bool ok = array != NULL;
    for (int k = 0; ok && k < t->world; k++)
        if (rank < 0 ? t->ranks[k].outcome != RANK_ABSENT : k == rank)
            ok = json_array_append_new(array, status_of(&t->ranks[k], k)) == 0;
    if (!ok) {
        json_decref(array);
        return NULL;
    }
    return dump(array);
}

static bool read_status(trace *t, int rank, json_t *object, char *message, size_t message_size)
{
    json_int_t k, steps_done;
    const char *word, *text = "";
    if (json_unpack(object, "{s:I, s:s, s?s, s:I}", "rank", &k, "status", &word, "message", &text, "steps_done",
                    &steps_done) != 0)
        return refuse(message, message_size, "metadata \"status\": an element lacks rank, status or steps_done");
    if (k < 0 || k >= t->world || (rank >= 0 && k != rank))
        return refuse(message, message_size, "metadata \"status\": no rank %lld is expected here", (long long)k);
    trace_rank *r = &t->ranks[k];
    if (r->outcome != RANK_ABSENT)
        return refuse(message, message_size, "metadata \"status\": rank %lld is there twice", (long long)k);
    if (strcmp(word, "ok") != 0 && strcmp(word, "unsupported") != 0 && strcmp(word, "error") != 0)
        return refuse(message, message_size, "metadata \"status\": '%.40s' is none of ok, unsupported, error", word);
    r->outcome = word[0] == 'o' ? RANK_OK : word[0] == 'u' ? RANK_UNSUPPORTED : RANK_ERROR;
    r->status = word[0] == 'o' ? PSGD_OK : word[0] == 'u' ? PSGD_ERR_UNSUPPORTED : PSGD_ERR_BROKEN;
    if (steps_done < 0 || steps_done > t->steps || (r->outcome == RANK_OK && steps_done != t->steps))
        return refuse(message, message_size, "metadata \"status\": rank %lld cannot have done %lld of %lld steps",
                      (long long)k, (long long)steps_done, (long long)t->steps);
    r->steps_done = steps_done;
    r->message = malloc(strlen(text) + 1);
    if (r->message == NULL)
        return refuse(message, message_size, "no memory for a status");
    memcpy(r->message, text, strlen(text) + 1);
    return true;
}

bool status_from_json(trace *t, int rank, const char *text, char *message, size_t message_size)
{
    json_t *array = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    bool ok = (json_is_array(array) && json_array_size(array) > 0 && json_array_size(array) <= (size_t)t->world) ||
              refuse(message, message_size, "metadata \"status\" is not an array with one element per rank");
    for (size_t i = 0; ok && i < json_array_size(array); i++)
        ok = read_status(t, rank, json_array_get(array, i), message, message_size);
    json_decref(array);
    return ok;
}

/* ---- statistics ---- */

static json_t *statistics_of(const psgd_statistics *s, int64_t step)
{
    if (s->numel_before_compression > INT64_MAX || s->numel_after_compression > INT64_MAX)
        return NULL;
    json_t *object = json_pack("{s:I, s:I, s:I}", "step", (json_int_t)step, "numel_before_compression",
                               (json_int_t)s->numel_before_compression, "numel_after_compression",
                               (json_int_t)s->numel_after_compression);
    /* JSON has no NaN: a rate that is none is left out. */
    if (object != NULL && isfinite(s->compression_rate) &&
        json_object_set_new(object, "compression_rate", json_real(s->compression_rate)) != 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

char *statistics_to_json(const trace *t)
{
    json_t *array = json_array();
    bool ok = array != NULL;
    for (int64_t step = 0; ok && step < t->steps; step++)
        if (t->statistics[step].shown)
            ok = json_array_append_new(array, statistics_of(&t->statistics[step].value, step)) == 0;
    if (!ok) {
        json_decref(array);
        return NULL;
    }
    return dump(array);
}

static bool read_statistics(trace *t, const test_case *c, json_t *object, char *message, size_t message_size)
{
    json_int_t step, before, after;
    double rate = (double)NAN;
    if (json_unpack(object, "{s:I, s?F, s:I, s:I}", "step", &step, "compression_rate", &rate,
                    "numel_before_compression", &before, "numel_after_compression", &after) != 0 ||
        before < 0 || after < 0)
        return refuse(message, message_size, "metadata \"statistics\": an element lacks a member, or has a wrong one");
    if (step < c->config.start_iter || step >= t->steps || t->statistics[step].shown)
        return refuse(message, message_size,
                      "metadata \"statistics\": step %lld is none of the compressed steps, or there twice",
                      (long long)step);
    t->statistics[step] = (trace_statistics){.shown = true,
                                             .value = {.compression_rate = rate,
                                                       .numel_before_compression = (uint64_t)before,
                                                       .numel_after_compression = (uint64_t)after}};
    return true;
}

bool statistics_from_json(trace *t, const test_case *c, const char *text, char *message, size_t message_size)
{
    json_t *array = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    bool ok = json_is_array(array) || refuse(message, message_size, "metadata \"statistics\" is not an array");
    for (size_t i = 0; ok && i < json_array_size(array); i++)
        ok = read_statistics(t, c, json_array_get(array, i), message, message_size);
    json_decref(array);
    return ok;
}
