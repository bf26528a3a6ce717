/* scenario_session.c: sessions; see scenario_session.h. Read next: scenario_record.c. */
#include "harness/scenario_session.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the ordinary buckets ---- */

static const size_t dims_24x40[] = {24, 40}, dims_17[] = {17}, dims_30x20[] = {30, 20}, dims_9[] = {9};
static const psgd_shape first_shapes[] = {{2, dims_24x40}, {1, dims_17}};
static const psgd_shape second_shapes[] = {{2, dims_30x20}, {1, dims_9}};
static const psgd_bucket ordinary_buckets[] = {{.index = 0, .tensor_count = 2, .shapes = first_shapes},
                                               {.index = 1, .tensor_count = 2, .shapes = second_shapes}};
const session_layout session_ordinary = {2, ordinary_buckets};

static size_t session_numel(const psgd_bucket *bucket)
{
    size_t sum = 0;
    for (size_t i = 0; i < bucket->tensor_count; i++) {
        size_t product = 1;
        for (size_t d = 0; d < bucket->shapes[i].ndim; d++)
            product *= bucket->shapes[i].dims[d];
        sum += product;
    }
    return sum;
}

/* ---- reproducible numbers ---- */

/* One round of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

double session_uniform(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t bits = mix(mix(mix(mix(seed) ^ a) ^ b) ^ c);
    return (double)(bits >> 40) * 0x1p-23 - 1;
}

/* What element i of this bucket holds before the step. */
static double session_gradient(const session *e, int64_t step, size_t bucket, int rank, size_t i)
{
    if (e->gradient != NULL)
        return e->gradient(e, step, rank, i);
    return session_uniform(e->seed, (uint64_t)step * 64 + (uint64_t)rank, bucket, i);
}

static void store(void *to, psgd_dtype dtype, size_t i, double x)
{
    if (dtype == PSGD_F64)
        ((double *)to)[i] = x;
    else
        ((float *)to)[i] = (float)x;
}

static double load(const void *from, psgd_dtype dtype, size_t i)
{
    return dtype == PSGD_F64 ? ((const double *)from)[i] : (double)((const float *)from)[i];
}

/* Standard normals by Box and Muller's transform. */
static psgd_status draw(void *context, uint64_t step, size_t bucket, size_t tensor, psgd_dtype dtype, size_t m,
                        size_t r, void *q)
{
    const session *e = context;
    for (size_t i = 0; i < m * r; i++) {
        double u = 0.5 + 0.5 * session_uniform(e->seed + 1000, step * 64 + bucket, tensor, 2 * i);
        double v = session_uniform(e->seed + 1000, step * 64 + bucket, tensor, 2 * i + 1);
        store(q, dtype, i, sqrt(-2 * log(1 - u)) * cos(3.14159265358979 * v));
    }
    return PSGD_OK;
}

/* ---- a session ---- */

psgd_config session_config(const subject *s)
{
    psgd_config config = psgd_config_default();
    config.matrix_approximation_rank = 2;
    config.start_iter = 2;
    config.use_error_feedback = scenario_claims(s, PSGD_CLAIM_ERROR_FEEDBACK);
    config.warm_start = scenario_claims(s, PSGD_CLAIM_WARM_START);
    return config;
}

session session_make(const subject *s, const psgd_config *config, uint64_t seed)
{
    return (session){.subject = s,
                     .layout = &session_ordinary,
                     .config = *config,
                     .comm = *s->comm,
                     .dtype = PSGD_F32,
                     .seed = seed};
}

bool session_open(session *e)
{
    const subject *s = e->subject;
    char text[256] = "";
    e->q_source = (psgd_q_source){.context = e, .draw = draw};
    e->config.q_source = e->own_q ? NULL : &e->q_source;
    e->state = NULL;
    psgd_status status = s->port->create(&e->config, &e->comm, &e->state, text, sizeof text);
    if (status == PSGD_ERR_UNSUPPORTED && !e->own_q) {
        e->own_q = true;
        e->config.q_source = NULL;
        e->state = NULL;
        status = s->port->create(&e->config, &e->comm, &e->state, text, sizeof text);
    }
    text[sizeof text - 1] = '\0';
    if (status == PSGD_OK && e->state != NULL)
        return true;
    e->state = NULL;
    if (status == PSGD_ERR_UNSUPPORTED)
        return scenario_skip(s, "create answered PSGD_ERR_UNSUPPORTED: %s", text);
    return scenario_fail(s, "create with an ordinary configuration gave %s%s: %s", psgd_status_name(status),
                         status == PSGD_OK ? " and a null state" : "", text);
}

void session_close(session *e)
{
    if (e->state != NULL)
        e->subject->port->destroy(e->state);
    e->state = NULL;
}

const char *session_error(const session *e)
{
    const psgd_implementation *port = e->subject->port;
    const char *text = port->last_error != NULL && e->state != NULL ? port->last_error(e->state) : NULL;
    return text != NULL ? text : "";
}

static bool record_values(session_record *record, int64_t step, size_t bucket, const char *what, const void *from,
                          psgd_dtype dtype, size_t count)
{
    double *values = malloc((count + 1) * sizeof *values);
    if (values == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        values[i] = load(from, dtype, i);
    bool ok = session_record_add(record, step, bucket, what, values, count);
    free(values);
    return ok;
}

/* What the port shows of its state after a step, where it shows it. */
static bool record_state(session *e, int64_t step, size_t bucket, size_t count, session_record *record)
{
    const psgd_implementation *port = e->subject->port;
    size_t bytes = count * psgd_dtype_size(e->dtype);
    bool ok = true;
    if (port->peek != NULL && e->config.use_error_feedback && bytes > 0) {
        void *error = malloc(bytes);
        if (error == NULL)
            return false;
        memset(error, 0xff, bytes); /* NaN, should the port say OK and write nothing */
        if (port->peek(e->state, PSGD_PART_ERROR, bucket, 0, error, bytes) == PSGD_OK)
            ok = record_values(record, step, bucket, "error", error, e->dtype, count);
        free(error);
    }
    psgd_statistics statistics;
    if (ok && port->statistics != NULL && port->statistics(e->state, &statistics) == PSGD_OK) {
        double counts[2] = {(double)statistics.numel_before_compression, (double)statistics.numel_after_compression};
        ok = session_record_add(record, step, bucket, "statistics", counts, 2);
    }
    return ok;
}

psgd_status session_hand_in(const session *e, size_t bucket, drive_buffer *buffer, psgd_bucket *given)
{
    const psgd_bucket *shape = &e->layout->buckets[bucket];
    size_t count = session_numel(shape), bytes = count * psgd_dtype_size(e->dtype);
    void *in = malloc(bytes + 1);
    if (in == NULL || !drive_buffer_make(buffer, e->subject->port->memory, bytes, e->shift)) {
        free(in);
        return PSGD_ERR_MEMORY;
    }
    for (size_t i = 0; i < count; i++)
        store(in, e->dtype, i, session_gradient(e, e->step, shape->index, e->comm.rank, i));
    psgd_status status = drive_buffer_put(buffer, in);
    free(in);
    *given = *shape;
    given->struct_size = (uint32_t)sizeof *given;
    given->dtype = e->dtype;
    given->is_last = bucket == e->layout->bucket_count - 1;
    given->data = drive_buffer_data(buffer);
    return status;
}

psgd_status session_take_out(const session *e, int64_t step, size_t bucket, drive_buffer *buffer,
                             session_record *record)
{
    psgd_status status = drive_buffer_get(buffer);
    if (status != PSGD_OK)
        return status;
    if (!drive_buffer_intact(buffer))
        (void)scenario_fail(e->subject,
                            "step %lld wrote outside bucket %zu (%zu bytes, %zu bytes off an address "
                            "aligned to 64)",
                            (long long)step, bucket, buffer->bytes, e->shift);
    const psgd_bucket *shape = &e->layout->buckets[bucket];
    bool ok = record == NULL || record_values(record, step, shape->index, "output", drive_buffer_image(buffer),
                                              e->dtype, session_numel(shape));
    return ok ? PSGD_OK : PSGD_ERR_MEMORY;
}

bool session_offers_halves(const subject *s)
{
    if (s->port->submit != NULL && s->port->wait != NULL)
        return true;
    if ((s->port->claims & PSGD_CLAIM_ASYNC) != 0)
        return scenario_fail(s, "the port claims async, and offers no %s", s->port->submit == NULL ? "submit" : "wait");
    return scenario_unobserved(s, "the port offers no submit and wait");
}

/* step, or submit and wait. */
static psgd_status work_on(session *e, const psgd_bucket *given)
{
    const psgd_implementation *port = e->subject->port;
    if (!e->in_halves)
        return port->step(e->state, given);
    psgd_request *request = NULL;
    const psgd_status status = port->submit(e->state, given, &request);
    if (status == PSGD_OK && request != NULL)
        return port->wait(e->state, request);
    if (status == PSGD_OK || request != NULL)
        (void)scenario_fail(e->subject, "submit of bucket %zu gave %s and a request that is %s", given->index,
                            psgd_status_name(status), request != NULL ? "not null" : "null");
    return status;
}

psgd_status session_attempt(session *e, size_t bucket, session_record *record)
{
    drive_buffer buffer = {0};
    psgd_bucket given;
    int64_t step = e->step;
    psgd_status status = session_hand_in(e, bucket, &buffer, &given);
    if (status == PSGD_OK)
        status = work_on(e, &given);
    if (status == PSGD_OK) {
        e->step += given.is_last ? 1 : 0;
        status = session_take_out(e, step, bucket, &buffer, record);
    }
    if (status == PSGD_OK && record != NULL && !e->outputs_only &&
        !record_state(e, step, given.index, session_numel(&given), record))
        status = PSGD_ERR_MEMORY;
    drive_buffer_free(&buffer);
    return status;
}

bool session_bucket(session *e, size_t bucket, session_record *record)
{
    int64_t step = e->step;
    psgd_status status = session_attempt(e, bucket, record);
    if (e->subject->outcome->state != SCENARIO_PASS)
        return false;
    if (status == PSGD_OK)
        return true;
    if (status == PSGD_ERR_UNSUPPORTED)
        return scenario_skip(e->subject, "step answered PSGD_ERR_UNSUPPORTED: %s", session_error(e));
    return scenario_fail(e->subject, "an ordinary step (iteration %lld, bucket %zu) gave %s: %s", (long long)step,
                         bucket, psgd_status_name(status), session_error(e));
}

bool session_step(session *e, session_record *record)
{
    for (size_t b = 0; b < e->layout->bucket_count; b++)
        if (!session_bucket(e, b, record))
            return false;
    return true;
}

bool session_steps(session *e, int64_t count, session_record *record)
{
    for (int64_t i = 0; i < count; i++)
        if (!session_step(e, record))
            return false;
    return true;
}
