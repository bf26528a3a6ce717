/* casefile_read.c: reads a case, or a golden file with its results. The problem string and the other metadata must say
 * the same, every tensor must be one that they call for, and every one they call for must be there; anything else is
 * refused with a message that names it. Inputs are taken as they are: they are not made anew.
 */
#include "harness/case_internal.h"
#include "harness/casefile.h"
#include "harness/claims.h"
#include "harness/file_parts.h"
#include "harness/shape_sets.h"
#include "harness/tensor_names.h"

#include <stdlib.h>
#include <string.h>

static const char *need(const psgd_safetensors *file, const char *key, char *message, size_t message_size)
{
    const char *value = psgd_safetensors_metadata(file, key);
    if (value == NULL)
        (void)refuse(message, message_size, "metadata \"%s\" is missing", key);
    return value;
}

static bool read_names(test_case *c, const psgd_safetensors *file, char *message, size_t message_size)
{
    const char *format = need(file, "format", message, message_size);
    if (format == NULL)
        return false;
    if (strcmp(format, CASE_FORMAT) != 0)
        return refuse(message, message_size, "format '%.40s', expected %s", format, CASE_FORMAT);
    const char *id = need(file, "id", message, message_size);
    const char *claims = id != NULL ? need(file, "claims", message, message_size) : NULL;
    const char *requirements = psgd_safetensors_metadata(file, "requirements"), *bad;
    if (claims == NULL)
        return false;
    if (!id_is_safe(id))
        return refuse(message, message_size, "metadata \"id\": '%.80s' cannot be the name of a case", id);
    if (!claims_parse(&c->claims, claims, &bad))
        return refuse(message, message_size, "metadata \"claims\": unknown claim at '%.40s'", bad);
    c->id = strdup(id);
    c->requirements = strdup(requirements != NULL ? requirements : "");
    return (c->id != NULL && c->requirements != NULL) || refuse(message, message_size, "no memory for a case");
}

static bool same_buckets(const problem *p, const problem_bucket *buckets, size_t bucket_count)
{
    if (p->bucket_count != bucket_count)
        return false;
    for (size_t b = 0; b < bucket_count; b++) {
        if (p->buckets[b].tensor_count != buckets[b].tensor_count)
            return false;
        for (size_t i = 0; i < buckets[b].tensor_count; i++) {
            const psgd_shape *x = &p->buckets[b].shapes[i], *y = &buckets[b].shapes[i];
            if (x->ndim != y->ndim)
                return false;
            for (size_t d = 0; d < x->ndim; d++)
                if (x->dims[d] != y->dims[d])
                    return false;
        }
    }
    return true;
}

/* A recording's shapes and steps stand in the metadata alone; all others in both. */
static bool read_shapes(problem *p, const psgd_safetensors *file, char *message, size_t message_size)
{
    problem_bucket *buckets;
    size_t bucket_count;
    int64_t steps;
    const char *text = need(file, "buckets", message, message_size);
    if (text == NULL || !buckets_from_json(&buckets, &bucket_count, text, message, message_size))
        return false;
    bool same = true;
    if (p->recording != NULL) {
        p->buckets = buckets;
        p->bucket_count = bucket_count;
    } else {
        same = same_buckets(p, buckets, bucket_count);
        buckets_free(buckets, bucket_count);
    }
    if (!same)
        return refuse(message, message_size, "metadata \"buckets\" and \"problem\" name different shapes");
    if (!metadata_integer(&steps, file, "steps") || steps < 1 || steps > PROBLEM_MAX_STEPS)
        return refuse(message, message_size, "metadata \"steps\" is missing or not a number of steps");
    if (p->recording != NULL && p->steps == 0)
        p->steps = steps;
    if (p->steps != steps || p->checkpoint >= steps)
        return refuse(message, message_size, "metadata \"steps\" is %lld, \"problem\" says otherwise",
                      (long long)steps);
    return true;
}

static bool check_ranks(const problem *p, const psgd_safetensors *file, char *message, size_t message_size)
{
    int64_t world;
    int group[PROBLEM_MAX_WORLD];
    size_t count = 0;
    const char *text = psgd_safetensors_metadata(file, "group");
    if (!metadata_integer(&world, file, "world"))
        return refuse(message, message_size, "metadata \"world\" is missing or not a number");
    if (text != NULL && !group_from_json(group, &count, PROBLEM_MAX_WORLD, text, message, message_size))
        return false;
    bool same = world == p->of_world && (text != NULL ? count == (size_t)p->world : p->of_world == p->world);
    for (size_t k = 0; same && k < count; k++)
        same = group[k] == p->group[k];
    return same || refuse(message, message_size, "metadata \"world\", \"group\" and \"problem\" name different ranks");
}

static bool read_problem(test_case *c, const psgd_safetensors *file, char *message, size_t message_size)
{
    problem *p = &c->problem;
    problem_error error;
    psgd_dtype dtype;
    const char *text = need(file, "problem", message, message_size);
    if (text == NULL)
        return false;
    if (!problem_parse(p, text, &error))
        return refuse(message, message_size, "metadata \"problem\", at %zu: %s", error.position, error.message);
    const char *type = need(file, "dtype", message, message_size);
    if (type == NULL)
        return false;
    if (!dtype_parse(&dtype, type) || dtype != p->dtype)
        return refuse(message, message_size, "metadata \"dtype\" is '%.20s', \"problem\" says otherwise", type);
    if (!check_ranks(p, file, message, message_size) || !read_shapes(p, file, message, message_size))
        return false;
    c->problem_text = problem_print(p);
    return c->problem_text != NULL || refuse(message, message_size, "no memory for a case");
}

/* After case_lay_out, which made the configuration that the problem calls for. */
static bool read_config(test_case *c, const psgd_safetensors *file, char *message, size_t message_size)
{
    psgd_config config;
    const char *text = need(file, "config", message, message_size);
    if (text == NULL || !config_from_json(&config, text, message, message_size))
        return false;
    if (!config_equal(&config, &c->config, !c->problem.epsilon_relative))
        return refuse(message, message_size, "metadata \"config\" and \"problem\" name different configurations");
    c->config.orthogonalization_epsilon = config.orthogonalization_epsilon;
    return true;
}

/* One tensor of the inputs or of the Q as drawn; *known is false for any other kind. */
static bool read_case_tensor(bool *known, test_case *c, const factor_shape *shapes, const psgd_tensor *tensor,
                             char *message, size_t message_size)
{
    tensor_place at;
    *known = tensor_name_parse(&at, tensor->name) && (strcmp(at.kind, "in") == 0 || strcmp(at.kind, "q0") == 0);
    if (!*known)
        return true;
    const bool is_input = at.kind[0] == 'i';
    const size_t limit = at.bucket >= c->bucket_count ? 0 : is_input ? (size_t)c->world : c->tensor_counts[at.bucket];
    if (at.step >= c->steps || at.part != (is_input ? 'k' : 'i') || at.number >= limit)
        return refuse(message, message_size, "tensor %.100s is none of this case's", tensor->name);
    if (is_input)
        return values_read((values *)case_in(c, at.step, at.bucket, (int)at.number), c->dtype, tensor,
                           &c->numel[at.bucket], 1, message, message_size);
    size_t first = 0;
    for (size_t b = 0; b < at.bucket; b++)
        first += c->tensor_counts[b];
    const size_t dims[] = {shapes[first + at.number].m, shapes[first + at.number].r};
    if (!case_draws_q0_at(c, at.step) || dims[1] == 0)
        return refuse(message, message_size, "tensor %.100s: no Q is drawn there", tensor->name);
    return values_read((values *)case_q0(c, at.step, at.bucket, at.number), c->dtype, tensor, dims, 2, message,
                       message_size);
}

/* All inputs are there; of the Q as drawn all, or none. */
static bool check_complete(const test_case *c, const factor_shape *shapes, char *message, size_t message_size)
{
    size_t drawn = 0, missing = 0;
    for (int64_t step = 0; step < c->steps; step++)
        for (size_t b = 0, first = 0; b < c->bucket_count; first += c->tensor_counts[b++]) {
            for (int k = 0; k < c->world; k++)
                if (case_in(c, step, b, k)->data == NULL)
                    return refuse(message, message_size, "tensor in/t%lld/b%zu/k%d is missing", (long long)step, b, k);
            const bool fresh = case_draws_q0_at(c, step);
            for (size_t i = 0; fresh && i < c->tensor_counts[b]; i++)
                if (shapes[first + i].r > 0)
                    *(case_q0(c, step, b, i)->data != NULL ? &drawn : &missing) += 1;
        }
    return drawn == 0 || missing == 0 ||
           refuse(message, message_size, "%zu of %zu q0 tensors are missing", missing, drawn + missing);
}

static bool read_tensors(test_case *c, const psgd_safetensors *file, char *message, size_t message_size)
{
    factor_shape *shapes = factor_shapes(c);
    bool ok = shapes != NULL || refuse(message, message_size, "no memory for a case");
    const bool golden = psgd_safetensors_metadata(file, "status") != NULL;
    if (ok && golden) {
        c->expected = trace_create(c->steps, c->bucket_count, c->tensor_counts, c->world);
        ok = (c->expected != NULL || refuse(message, message_size, "no memory for results")) &&
             result_metadata_read(c->expected, c, -1, file, message, message_size);
    }
    for (size_t i = 0; ok && i < psgd_safetensors_count(file); i++) {
        const psgd_tensor *tensor = psgd_safetensors_at(file, i);
        bool known;
        ok = read_case_tensor(&known, c, shapes, tensor, message, message_size);
        if (ok && !known)
            ok = golden ? result_tensor_read(c->expected, c, shapes, -1, true, tensor, message, message_size)
                        : refuse(message, message_size, "tensor %.100s is none of this case's", tensor->name);
    }
    ok = ok && check_complete(c, shapes, message, message_size) &&
         (!golden || result_is_complete(c->expected, message, message_size));
    free(shapes);
    return ok;
}

/* Before anything is allocated for them: a small file cannot call for many inputs. */
static bool check_size(const problem *p, const psgd_safetensors *file, char *message, size_t message_size)
{
    size_t inputs;
    if (psgd_size_multiply((size_t)p->steps, p->bucket_count, &inputs) &&
        psgd_size_multiply(inputs, (size_t)p->world, &inputs) && inputs <= psgd_safetensors_count(file))
        return true;
    return refuse(message, message_size, "the file has %zu tensors, fewer than one per step, bucket and rank",
                  psgd_safetensors_count(file));
}

static bool read_case(test_case *c, const psgd_safetensors *file, char *message, size_t message_size)
{
    if (read_names(c, file, message, message_size) && read_problem(c, file, message, message_size) &&
        check_size(&c->problem, file, message, message_size) && case_lay_out(c, message, message_size) &&
        read_config(c, file, message, message_size) && read_tensors(c, file, message, message_size))
        return true;
    case_free(c);
    return false;
}

bool casefile_parse(test_case *c, const void *bytes, size_t count, char *message, size_t message_size)
{
    psgd_safetensors *file = NULL;
    *c = (test_case){0};
    if (psgd_safetensors_parse(&file, bytes, count, message, message_size) != PSGD_OK)
        return false;
    const bool ok = read_case(c, file, message, message_size);
    psgd_safetensors_close(file);
    return ok;
}

bool casefile_read(test_case *c, const char *path, char *message, size_t message_size)
{
    char reason[400];
    psgd_safetensors *file = NULL;
    *c = (test_case){0};
    if (psgd_safetensors_open(&file, path, reason, sizeof reason) != PSGD_OK)
        return refuse(message, message_size, "%s", reason);
    const bool ok = read_case(c, file, reason, sizeof reason);
    psgd_safetensors_close(file);
    return ok || refuse(message, message_size, "%.200s: %s", path, reason);
}
