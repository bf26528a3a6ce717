/* case.c: makes a problem concrete. The data are gradients.c's (or a recording's), the Q case_q0.c's; here are the
 * dimensions and the configuration. A case is refused, never cut, when it would not fit: see MAX_BYTES.
 */
#include "harness/case.h"
#include "harness/case_internal.h"
#include "harness/gradients.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES   ((size_t)1 << 36) /* of all inputs of all ranks and steps: 64 GiB */
#define MAX_ENTRIES ((size_t)1 << 20) /* arrays, steps x buckets x ranks and steps x tensors: a file names each */

static psgd_config config_of(const problem *p)
{
    psgd_config config = psgd_config_default();
    config.variant = p->flattened ? PSGD_FLATTENED : PSGD_LAYERWISE;
    config.matrix_approximation_rank = p->r;
    config.start_iter = p->start;
    config.min_compression_rate = p->rate;
    config.orthogonalization_epsilon = p->epsilon_relative ? 0 : p->epsilon;
    config.use_error_feedback = p->error_feedback;
    config.warm_start = p->warm_start;
    config.batch_tensors_with_same_shape = p->same_shape_batching;
    config.random_seed = p->random_seed;
    config.compression_stats_logging_frequency = p->statistics_interval;
    return config;
}

static bool lay_out_buckets(test_case *c, size_t *tensors, size_t *elements)
{
    const problem *p = &c->problem;
    c->bucket_count = p->bucket_count;
    c->buckets = calloc(p->bucket_count, sizeof *c->buckets);
    c->numel = calloc(p->bucket_count, sizeof *c->numel);
    c->tensor_counts = calloc(p->bucket_count, sizeof *c->tensor_counts);
    if (c->buckets == NULL || c->numel == NULL || c->tensor_counts == NULL)
        return false;
    *tensors = 0;
    *elements = 0;
    for (size_t b = 0; b < p->bucket_count; b++) {
        c->buckets[b] = (psgd_bucket){.struct_size = (uint32_t)sizeof c->buckets[b],
                                      .dtype = (uint32_t)p->dtype,
                                      .index = b,
                                      .is_last = b + 1 == p->bucket_count,
                                      .tensor_count = p->buckets[b].tensor_count,
                                      .shapes = p->buckets[b].shapes};
        c->tensor_counts[b] = p->buckets[b].tensor_count;
        for (size_t i = 0; i < p->buckets[b].tensor_count; i++) {
            size_t n, m;
            gradients_matrix(&n, &m, &p->buckets[b].shapes[i]);
            c->numel[b] += n * m; /* bounded by problem_check.c */
        }
        *tensors += c->tensor_counts[b];
        *elements += c->numel[b];
    }
    return true;
}

bool case_lay_out(test_case *c, char *message, size_t message_size)
{
    const problem *p = &c->problem;
    size_t tensors, elements;
    c->config = config_of(p);
    c->world = p->world;
    c->steps = p->steps;
    c->dtype = p->dtype;
    if (!lay_out_buckets(c, &tensors, &elements)) {
        (void)snprintf(message, message_size, "no memory for %zu buckets", p->bucket_count);
        return false;
    }
    const size_t steps = (size_t)c->steps, world = (size_t)c->world;
    size_t inputs, factors, bytes;
    if (!psgd_size_multiply(steps, c->bucket_count, &inputs) || !psgd_size_multiply(inputs, world, &inputs) ||
        !psgd_size_multiply(steps, tensors, &factors) || inputs > MAX_ENTRIES || factors > MAX_ENTRIES - inputs ||
        !psgd_size_multiply(steps * world, elements, &bytes) ||
        !psgd_size_multiply(bytes, psgd_dtype_size(p->dtype), &bytes) || bytes > MAX_BYTES) {
        (void)snprintf(message, message_size, "%zu steps of %zu elements on %zu ranks are more than a case may hold",
                       steps, elements, world);
        c->mistaken = true;
        return false;
    }
    c->in = calloc(inputs > 0 ? inputs : 1, sizeof *c->in);
    c->q0 = calloc(factors > 0 ? factors : 1, sizeof *c->q0);
    if (c->in == NULL || c->q0 == NULL) {
        (void)snprintf(message, message_size, "no memory for %zu steps", steps);
        return false;
    }
    return true;
}

static bool make_inputs(test_case *c, char *message, size_t message_size)
{
    for (int64_t step = 0; step < c->steps; step++)
        for (size_t b = 0; b < c->bucket_count; b++) {
            values *in = &c->in[((size_t)step * c->bucket_count + b) * (size_t)c->world];
            for (int k = 0; k < c->world; k++)
                if (!values_allocate(&in[k], c->dtype, c->numel[b])) {
                    (void)snprintf(message, message_size, "no memory for the gradients of step %lld", (long long)step);
                    return false;
                }
            if (!gradients_fill(in, &c->problem, b, step, &c->mistaken, message, message_size))
                return false;
        }
    return true;
}

/* Everything but the data. */
static bool outline(test_case *c, const problem *p, const char *id, const char *requirements, const char *golden_folder,
                    char *message, size_t message_size)
{
    if (!problem_copy(&c->problem, p) || (c->id = strdup(id)) == NULL ||
        (c->requirements = strdup(requirements)) == NULL) {
        (void)snprintf(message, message_size, "no memory for case %s", id);
        return false;
    }
    if (p->recording != NULL && !recording_shapes(&c->problem, golden_folder, &c->mistaken, message, message_size))
        return false;
    c->problem_text = problem_print(&c->problem);
    if (c->problem_text == NULL) {
        (void)snprintf(message, message_size, "no memory for case %s", id);
        return false;
    }
    return case_lay_out(c, message, message_size);
}

static bool fill(test_case *c, const char *golden_folder, char *message, size_t message_size)
{
    const problem *p = &c->problem;
    return p->recording != NULL ? recording_inputs(c, golden_folder, message, message_size)
                                : make_inputs(c, message, message_size);
}

static bool build(test_case *c, const problem *p, const char *id, const char *requirements, const char *golden_folder,
                  char *message, size_t message_size)
{
    if (!outline(c, p, id, requirements, golden_folder, message, message_size) ||
        !fill(c, golden_folder, message, message_size) || !case_draw_q0(c, message, message_size))
        return false;
    if (!p->epsilon_relative)
        return true;
    double norm;
    if (!case_mean_column_norm(&norm, c, message, message_size))
        return false;
    c->config.orthogonalization_epsilon = p->epsilon * norm;
    return true;
}

bool case_build(test_case *c, const problem *p, const char *id, const char *requirements, uint64_t claims,
                const char *golden_folder, char *message, size_t message_size)
{
    *c = (test_case){.claims = claims};
    if (build(c, p, id, requirements, golden_folder, message, message_size))
        return true;
    const bool mistaken = c->mistaken;
    case_free(c);
    c->mistaken = mistaken;
    return false;
}

bool case_is_mistaken(const problem *p, const char *golden_folder, char *message, size_t message_size)
{
    test_case c = {0};
    bool made = outline(&c, p, "", "", golden_folder, message, message_size);
    if (made && p->scale != 0) /* whether that is exact, only the gradients show */
        made = fill(&c, golden_folder, message, message_size);
    const bool mistaken = !made && c.mistaken;
    case_free(&c);
    return mistaken;
}

void case_free(test_case *c)
{
    if (c == NULL)
        return;
    size_t tensors = 0;
    for (size_t b = 0; c->tensor_counts != NULL && b < c->bucket_count; b++)
        tensors += c->tensor_counts[b];
    for (size_t i = 0; c->in != NULL && i < (size_t)c->steps * c->bucket_count * (size_t)c->world; i++)
        values_free(&c->in[i]);
    for (size_t i = 0; c->q0 != NULL && i < (size_t)c->steps * tensors; i++)
        values_free(&c->q0[i]);
    free(c->in);
    free(c->q0);
    free(c->buckets);
    free(c->numel);
    free(c->tensor_counts);
    free(c->id);
    free(c->problem_text);
    free(c->requirements);
    problem_free(&c->problem);
    trace_free(c->expected);
    *c = (test_case){0};
}

const values *case_in(const test_case *c, int64_t step, size_t bucket, int rank)
{
    return &c->in[((size_t)step * c->bucket_count + bucket) * (size_t)c->world + (size_t)rank];
}

const values *case_q0(const test_case *c, int64_t step, size_t bucket, size_t tensor)
{
    size_t before = 0, all = 0;
    for (size_t b = 0; b < c->bucket_count; b++) {
        before += b < bucket ? c->tensor_counts[b] : 0;
        all += c->tensor_counts[b];
    }
    return &c->q0[(size_t)step * all + before + tensor];
}
