/* sabotage.c: the reference with one fault, chosen by the environment variable SABOTAGE, each made to be found by one
 * scenario. Without the variable it is the reference.
 */
#include "psgd/ref.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fault(const char *name)
{
    const char *chosen = getenv("SABOTAGE");
    return chosen != NULL && strcmp(chosen, name) == 0;
}

struct psgd_state {
    psgd_state *real;
    psgd_comm comm;    /* of the caller */
    bool hidden_error; /* hide-comm-error: a collective failed, which the reference was not told */
    bool harmed;
    void (*log)(void *context, const char *line);
    void *log_context;
    int reports;
    bool after_load;
    size_t first_layouts[4]; /* of the first bucket seen under each index, see layout_of; 0: none */
    size_t place;            /* of the next bucket in its iteration */
};

static int live_states;     /* shared-state */
static int made_states;     /* left-behind */
static int64_t first_start; /* start-of-first-state; 0: none */

static psgd_status hiding_allreduce(void *context, void *data, size_t count, psgd_dtype dtype)
{
    psgd_state *s = context;
    psgd_status status = s->comm.allreduce_sum(s->comm.context, data, count, dtype);
    if (status == PSGD_OK || !(fault("count-failed-step") || fault("swallow-comm-error")))
        return status;
    s->hidden_error = true;
    return PSGD_OK;
}

static void log_line(void *context, const char *line)
{
    psgd_state *s = context;
    if (strncmp(line, "statistics", 10) == 0 && s->reports++ == 0 &&
        (fault("first-report-lost") || (s->after_load && fault("report-after-load-lost"))))
        return;
    s->log(s->log_context, line);
}

/* q-same: numbers that do not depend on the step. */
static psgd_status draw_same(void *context, uint64_t step, size_t bucket, size_t tensor, psgd_dtype dtype, size_t m,
                             size_t r, void *q)
{
    (void)context;
    (void)step;
    (void)bucket;
    (void)tensor;
    for (size_t i = 0; i < m * r; i++) {
        double value = sin((double)(i * i + 1));
        if (dtype == PSGD_F64)
            ((double *)q)[i] = value;
        else
            ((float *)q)[i] = (float)value;
    }
    return PSGD_OK;
}

/* q-of-signs: drawn anew each time, of zero mean and variance 1, but not normal. The hash is Knuth's, multiplicative.
 */
static psgd_status draw_signs(void *context, uint64_t step, size_t bucket, size_t tensor, psgd_dtype dtype, size_t m,
                              size_t r, void *q)
{
    (void)context;
    for (size_t i = 0; i < m * r; i++) {
        const uint64_t bits = ((step * 64 + bucket) * 64 + tensor) * 65536 + i + 1;
        const double value = (bits * 0x9E3779B97F4A7C15u >> 40) % 2 == 0 ? 1 : -1;
        if (dtype == PSGD_F64)
            ((double *)q)[i] = value;
        else
            ((float *)q)[i] = (float)value;
    }
    return PSGD_OK;
}

static void spoil_config(psgd_config *c, int rank)
{
    if (fault("start-iter-accepted") && c->start_iter <= 1)
        c->start_iter = 2;
    if (fault("rank-accepted") && c->matrix_approximation_rank < 1)
        c->matrix_approximation_rank = 1;
    if (fault("nan-accepted") && isnan(c->min_compression_rate))
        c->min_compression_rate = 2;
    if (fault("interval-ignored") && c->compression_stats_logging_frequency < 1)
        c->compression_stats_logging_frequency = 10000;
    static const psgd_q_source same = {.draw = draw_same};
    if (fault("q-same") && c->q_source == NULL)
        c->q_source = &same;
    static const psgd_q_source signs = {.draw = draw_signs};
    if (fault("q-of-signs") && c->q_source == NULL)
        c->q_source = &signs;
    if (fault("q-ignored"))
        c->q_source = NULL;
    if (fault("q-per-rank"))
        c->random_seed += (uint32_t)rank;
}

static psgd_status create(const psgd_config *config, const psgd_comm *comm, psgd_state **state, char *message,
                          size_t message_size)
{
    psgd_config spoilt = psgd_config_default();
    if (config == NULL && !fault("null-config-accepted"))
        return psgd_ref()->create(config, comm, state, message, message_size);
    if (config != NULL)
        spoilt = *config;
    if (comm == NULL || state == NULL)
        return psgd_ref()->create(&spoilt, comm, state, message, message_size);
    if (fault("rate-zero-refused") && spoilt.min_compression_rate == 0) {
        (void)snprintf(message, message_size, "min_compression_rate is zero");
        return PSGD_ERR_ARGUMENT;
    }
    spoil_config(&spoilt, comm->rank);
    psgd_state *s = calloc(1, sizeof *s);
    if (s == NULL)
        return PSGD_ERR_MEMORY;
    s->comm = *comm;
    s->log = spoilt.log;
    s->log_context = spoilt.log_context;
    if (s->log != NULL) {
        spoilt.log = log_line;
        spoilt.log_context = s;
    }
    if (first_start == 0)
        first_start = spoilt.start_iter;
    if (fault("start-of-first-state"))
        spoilt.start_iter = first_start;
    psgd_comm hiding = *comm;
    if (comm->allreduce_sum != NULL) {
        hiding.context = s;
        hiding.allreduce_sum = hiding_allreduce;
        hiding.start_allreduce_sum = NULL;
        hiding.test = NULL;
        hiding.wait = NULL;
    }
    psgd_status status = psgd_ref()->create(&spoilt, &hiding, &s->real, message, message_size);
    if (fault("silent") && message_size > 0 && message != NULL)
        message[0] = '\0';
    if (status != PSGD_OK) {
        free(s);
        return status;
    }
    live_states++;
    made_states++;
    *state = s;
    return PSGD_OK;
}

static bool has_empty(const psgd_bucket *b)
{
    for (size_t i = 0; i < b->tensor_count; i++)
        for (size_t d = 0; d < b->shapes[i].ndim; d++)
            if (b->shapes[i].dims[d] == 0)
                return true;
    return false;
}

/* A number that two layouts of these tests do not share; 0 for what has none. */
static size_t layout_of(const psgd_bucket *b)
{
    const bool has_rows =
        b->tensor_count > 0 && b->shapes != NULL && b->shapes[0].ndim > 0 && b->shapes[0].dims != NULL;
    return has_rows ? b->tensor_count + b->shapes[0].dims[0] : 0;
}

static psgd_status step(psgd_state *s, const psgd_bucket *given)
{
    if (s == NULL || given == NULL)
        return PSGD_ERR_ARGUMENT;
    psgd_bucket placed = *given;
    const psgd_bucket *b = fault("bucket-by-place") ? &placed : given;
    placed.index = s->place;
    s->place = given->is_last ? 0 : s->place + 1;
    if (fault("null-data-accepted") && b->data == NULL)
        return PSGD_OK;
    if (fault("empty-refused") && b->shapes != NULL && has_empty(b))
        return PSGD_ERR_ARGUMENT;
    if (fault("layout-fixed-early") && b->index < 4) {
        if (s->first_layouts[b->index] == 0)
            s->first_layouts[b->index] = layout_of(b);
        if (s->first_layouts[b->index] != layout_of(b))
            return PSGD_ERR_LAYOUT;
    }
    if (fault("fails-on-rank-1") && s->comm.rank == 1)
        return PSGD_ERR_DEVICE;
    if (fault("uses-rand"))
        (void)rand();
    s->hidden_error = false;
    psgd_status status = psgd_ref()->step(s->real, b);
    if (status == PSGD_ERR_LAYOUT && fault("layout-accepted"))
        return PSGD_OK;
    if (status == PSGD_ERR_ARGUMENT && fault("refusals-lost"))
        return PSGD_OK;
    if (status == PSGD_ERR_ARGUMENT && fault("bad-call-harms"))
        s->harmed = true;
    if (status != PSGD_OK)
        return status;
    if (s->hidden_error && fault("count-failed-step"))
        return PSGD_ERR_COMM;
    float *data = b->data;
    if (s->harmed || (fault("shared-state") && live_states > 1) || (fault("left-behind") && made_states > 1))
        data[0] += 1;
    if (fault("writes-past-end"))
        data[24 * 40 + 17] = 1; /* of the ordinary bucket 0; inside nothing else that is tested */
    return PSGD_OK;
}

static void destroy(psgd_state *s)
{
    if (s == NULL)
        return;
    live_states--;
    psgd_ref()->destroy(s->real);
    free(s);
}

static psgd_status peek(const psgd_state *s, psgd_part part, size_t bucket, size_t tensor, void *data, size_t bytes)
{
    psgd_status status = psgd_ref()->peek(s->real, part, bucket, tensor, data, bytes);
    bool forgiven = status != PSGD_OK && part != PSGD_PART_ERROR && fault("peek-takes-any-size");
    return forgiven ? PSGD_OK : status;
}

static psgd_status statistics(const psgd_state *s, psgd_statistics *out)
{
    return psgd_ref()->statistics(s->real, out);
}

static psgd_status save(const psgd_state *s, const char *path)
{
    return psgd_ref()->save(s->real, path);
}

static psgd_status load(psgd_state *s, const char *path)
{
    if (fault("load-does-nothing"))
        return PSGD_OK;
    psgd_status status = psgd_ref()->load(s->real, path);
    s->after_load = s->after_load || status == PSGD_OK;
    if (status != PSGD_OK && fault("load-harms"))
        s->harmed = true;
    return status != PSGD_OK && fault("load-takes-anything") ? PSGD_OK : status;
}

static const char *last_error(const psgd_state *s)
{
    return fault("no-words") ? "" : psgd_ref()->last_error(s->real);
}

PSGD_EXPORT const psgd_implementation *psgd_implementation_entry(void)
{
    static psgd_implementation table;
    table = *psgd_ref();
    table.create = create;
    table.step = step;
    table.destroy = destroy;
    table.claims &= ~(uint64_t)PSGD_CLAIM_ASYNC;
    table.submit = NULL;
    table.wait = NULL;
    table.peek = peek;
    table.statistics = statistics;
    table.save = save;
    table.load = load;
    table.last_error = last_error;
    return &table;
}
