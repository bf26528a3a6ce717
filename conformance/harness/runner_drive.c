/* runner_drive.c: see runner_drive.h. Top to bottom: what the port calls back, creating a state, one step of one
 * bucket, what is read from the state afterwards, save and load, the loop over steps.
 */
#include "harness/runner_drive.h"

#include "harness/drive_buffer.h"
#include "harness/drive_q.h"
#include "harness/implementation.h"
#include "harness/message.h"
#include "harness/watched_comm.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct drive {
    trace *t;
    const test_case *c;
    psgd_implementation port;
    const drive_options *options;
    watched_comm comm;
    psgd_comm outer; /* what the port got */
    drive_q q;
    psgd_config config;
    psgd_state *state;
    int rank;
    int64_t step; /* being done */
    size_t bucket;
    const char *at; /* what the port was last asked for */
    bool kit_failed;
    bool log_lost;
    char *message; /* why the kit failed */
    size_t message_size;
} drive;

/* ---- what is said of this rank ---- */

static void at(drive *d, const char *what)
{
    d->at = what;
    if (d->options->progress != NULL)
        d->options->progress(d->options->context, d->step, d->bucket, what);
}

/* A call into the communicator, or (null) back in the port's own code. */
static void comm_doing(void *context, const char *what)
{
    drive *d = context;
    if (d->options->progress != NULL)
        d->options->progress(d->options->context, d->step, d->bucket, what != NULL ? what : d->at);
}

static bool all_well(drive *d, bool ok)
{
    return d->options->all_well != NULL ? d->options->all_well(d->options->context, ok) : ok;
}

static bool kit_failed(drive *d, const char *why)
{
    d->kit_failed = true;
    return refuse(d->message, d->message_size, "%s (step %lld, bucket %zu)", why, (long long)d->step, d->bucket);
}

/* Ends this rank's run. The first reason stands. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static bool
rank_fails(drive *d, psgd_status status, const char *format, ...)
{
    trace_rank *rank = &d->t->ranks[d->rank];
    if (rank->message != NULL)
        return false;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    rank->outcome = status == PSGD_ERR_UNSUPPORTED ? RANK_UNSUPPORTED : RANK_ERROR;
    rank->status = status;
    rank->message = strdup(text);
    if (rank->message == NULL)
        return kit_failed(d, "no memory for a message");
    return false;
}

/* The same for a failed call: adds the port's own words, and what the port asked of the case in vain. */
static bool call_fails(drive *d, psgd_status status, const char *call)
{
    const char *words = d->port.last_error != NULL && d->state != NULL ? d->port.last_error(d->state) : NULL;
    return rank_fails(d, status, "%s returned %s in step %lld, bucket %zu%s%s%s%s", call, psgd_status_name(status),
                      (long long)d->step, d->bucket, words != NULL && words[0] != '\0' ? ": " : "",
                      words != NULL ? words : "", d->q.refusal[0] != '\0' ? "; " : "", d->q.refusal);
}

static void guard_broken(drive *d)
{
    d->t->ranks[d->rank].guard_bytes_intact = false;
}

/* ---- what the port calls back ---- */

static void log_line(void *context, const char *line)
{
    drive *d = context;
    trace *t = d->t;
    char **more = realloc(t->log, (t->log_count + 1) * sizeof *more);
    if (more != NULL)
        t->log = more;
    size_t size = strlen(line) + 24;
    char *copy = more != NULL ? malloc(size) : NULL;
    if (copy == NULL) {
        d->log_lost = true; /* reported after the call: a port's callback is no place to give up */
        return;
    }
    (void)snprintf(copy, size, "%lld\t%s", (long long)d->step, line);
    t->log[t->log_count++] = copy;
}

/* ---- creating a state ---- */

static bool create(drive *d)
{
    char text[512] = "";
    d->config = d->c->config;
    d->config.struct_size = (uint32_t)sizeof d->config;
    d->config.q_source = d->t->q_given ? drive_q_source(&d->q) : NULL;
    d->config.log = d->rank == 0 ? log_line : NULL;
    d->config.log_context = d;
    at(d, "create");
    psgd_status status = d->port.create(&d->config, &d->outer, &d->state, text, sizeof text);
    if (status == PSGD_ERR_UNSUPPORTED && d->t->q_given) { /* a port that cannot take a Q is judged by its own */
        d->t->q_given = false;
        d->config.q_source = NULL;
        d->state = NULL;
        text[0] = '\0';
        status = d->port.create(&d->config, &d->outer, &d->state, text, sizeof text);
    }
    text[sizeof text - 1] = '\0';
    if (status == PSGD_OK && d->state == NULL)
        return rank_fails(d, PSGD_ERR_ARGUMENT, "create returned PSGD_OK and a null state");
    if (status != PSGD_OK) {
        d->state = NULL;
        return rank_fails(d, status, "create returned %s%s%s", psgd_status_name(status), text[0] != '\0' ? ": " : "",
                          text);
    }
    return true;
}

/* ---- what is read from the state ---- */

/* Peeks one array into *v, where the port shows it. Guard bytes stand around it: an answer longer than asked for is a
 * write out of bounds like any other. False: this rank, or the kit, failed. */
static bool peek(drive *d, values *v, psgd_part part, size_t bucket, size_t tensor, size_t count)
{
    drive_buffer b;
    size_t bytes = count * psgd_dtype_size(d->c->dtype);
    if (count == 0 || v == NULL)
        return true;
    if (!values_allocate(v, d->c->dtype, count))
        return kit_failed(d, "no memory for a peek");
    memset(v->data, 0xff, bytes); /* NaN: an answer that is no answer does not look like one */
    if (!drive_buffer_make(&b, NULL, bytes, 0)) {
        values_free(v);
        return kit_failed(d, "no memory for a peek");
    }
    (void)drive_buffer_put(&b, v->data);
    at(d, "peek");
    psgd_status status = d->port.peek(d->state, part, bucket, tensor, drive_buffer_data(&b), bytes);
    if (!drive_buffer_intact(&b))
        guard_broken(d);
    if (status == PSGD_OK)
        memcpy(v->data, drive_buffer_image(&b), bytes);
    else
        values_free(v);
    drive_buffer_free(&b);
    if (status != PSGD_OK && status != PSGD_ERR_ARGUMENT && status != PSGD_ERR_UNSUPPORTED)
        return call_fails(d, status, "peek");
    return true;
}

static bool peek_factors(drive *d, size_t bucket)
{
    const psgd_bucket *b = &d->c->buckets[bucket];
    bool flattened = d->c->config.variant == PSGD_FLATTENED;
    for (size_t i = 0; i < (flattened ? 1 : b->tensor_count); i++) {
        drive_matrix matrix = drive_matrix_of(d->c, bucket, i);
        if (!peek(d, trace_p(d->t, d->step, bucket, i), PSGD_PART_P, bucket, i, matrix.n * matrix.r) ||
            !peek(d, trace_q(d->t, d->step, bucket, i), PSGD_PART_Q, bucket, i, matrix.m * matrix.r))
            return false;
    }
    return true;
}

/* After a compressed step of one bucket. Factors are the same on every rank, so rank 0 shows them. */
static bool peek_bucket(drive *d, size_t bucket)
{
    if (d->port.peek == NULL || d->step < d->c->config.start_iter)
        return true;
    size_t count = d->c->numel[bucket];
    if (d->c->config.variant == PSGD_FLATTENED)
        count = case_square_side(count) * case_square_side(count); /* with its padding */
    if (!peek(d, trace_error(d->t, d->step, bucket, d->rank), PSGD_PART_ERROR, bucket, 0, count))
        return false;
    return d->rank != 0 || peek_factors(d, bucket);
}

/* After a compressed step, on rank 0. */
static bool read_statistics(drive *d)
{
    if (d->port.statistics == NULL || d->rank != 0 || d->step < d->c->config.start_iter)
        return true;
    trace_statistics *s = &d->t->statistics[d->step];
    at(d, "statistics");
    psgd_status status = d->port.statistics(d->state, &s->value);
    s->shown = status == PSGD_OK;
    return status == PSGD_OK || status == PSGD_ERR_UNSUPPORTED || call_fails(d, status, "statistics");
}

/* ---- one step of one bucket ---- */

/* Two of three buffers are aligned to 64 bytes, the third to its element only; the same on every rank and in every run,
 * because a port's rounding may depend on it. */
static size_t shift_of(const drive *d)
{
    bool shifted = ((uint64_t)d->step + d->bucket) % 3 == 1;
    return shifted ? psgd_dtype_size(d->c->dtype) : 0;
}

static bool step_in(drive *d, drive_buffer *buffer)
{
    const values *in = case_in(d->c, d->step, d->bucket, d->rank);
    if (drive_buffer_put(buffer, in->data) != PSGD_OK)
        return rank_fails(d, PSGD_ERR_DEVICE, "the port's memory->upload failed");
    psgd_bucket bucket = d->c->buckets[d->bucket];
    bucket.struct_size = (uint32_t)sizeof bucket;
    bucket.data = drive_buffer_data(buffer);
    at(d, "step");
    psgd_status status = d->port.step(d->state, &bucket);
    if (d->log_lost)
        return kit_failed(d, "no memory for a log line");
    psgd_status home = drive_buffer_get(buffer);
    if (home == PSGD_OK && !drive_buffer_intact(buffer))
        guard_broken(d);
    if (status != PSGD_OK)
        return call_fails(d, status, "step");
    if (home != PSGD_OK)
        return rank_fails(d, PSGD_ERR_DEVICE, "the port's memory->download failed");
    values *out = trace_out(d->t, d->step, d->bucket, d->rank);
    if (!values_allocate(out, d->c->dtype, in->count))
        return kit_failed(d, "no memory for a result");
    if (buffer->bytes > 0)
        memcpy(out->data, drive_buffer_image(buffer), buffer->bytes);
    return peek_bucket(d, d->bucket);
}

static bool step_bucket(drive *d)
{
    drive_buffer buffer;
    size_t bytes = d->c->numel[d->bucket] * psgd_dtype_size(d->c->dtype);
    if (!drive_buffer_make(&buffer, d->port.memory, bytes, shift_of(d)))
        return kit_failed(d, "no memory for a bucket");
    bool ok = step_in(d, &buffer);
    drive_buffer_free(&buffer);
    return ok;
}

/* ---- save and load ---- */

static bool checkpoint_to(drive *d, const char *path)
{
    at(d, "save");
    psgd_status status = d->port.save(d->state, path);
    if (status != PSGD_OK)
        return call_fails(d, status, "save");
    d->port.destroy(d->state);
    d->state = NULL;
    if (!create(d))
        return false;
    at(d, "load");
    status = d->port.load(d->state, path);
    return status == PSGD_OK || call_fails(d, status, "load");
}

static bool checkpoint(drive *d)
{
    if (d->port.save == NULL || d->port.load == NULL)
        return rank_fails(d, PSGD_ERR_UNSUPPORTED, "the port offers no %s", d->port.save == NULL ? "save" : "load");
    size_t size = strlen(d->options->folder) + 48;
    char *path = malloc(size);
    if (path == NULL)
        return kit_failed(d, "no memory for a path");
    (void)snprintf(path, size, "%s/checkpoint.k%d", d->options->folder, d->rank);
    bool ok = checkpoint_to(d, path);
    (void)remove(path);
    free(path);
    return ok;
}

/* ---- the loop ---- */

static bool do_step(drive *d)
{
    d->comm.elements = 0;
    for (d->bucket = 0; d->bucket < d->c->bucket_count; d->bucket++)
        if (!all_well(d, step_bucket(d)))
            return false;
    d->bucket = d->c->bucket_count > 0 ? d->c->bucket_count - 1 : 0;
    d->t->wire[d->step * d->c->world + d->rank] = d->comm.elements;
    if (!all_well(d, read_statistics(d)))
        return false;
    if (d->c->problem.checkpoint == d->step && !all_well(d, checkpoint(d)))
        return false;
    d->t->ranks[d->rank].steps_done = d->step + 1;
    return true;
}

static void drive_all(drive *d)
{
    bool well = all_well(d, create(d));
    while (well && d->step < d->c->steps) {
        well = do_step(d);
        if (well)
            d->step++;
    }
    if (!well && !d->kit_failed)
        (void)rank_fails(d, PSGD_ERR_COMM, "stopped in step %lld because another rank failed", (long long)d->step);
    at(d, "destroy");
    if (d->state != NULL)
        d->port.destroy(d->state);
}

bool drive_case(trace *t, const test_case *c, const psgd_implementation *table, const psgd_comm *comm,
                const drive_options *options, char *message, size_t message_size)
{
    drive d = {.t = t, .c = c, .options = options, .rank = comm->rank, .at = ""};
    d.message = message;
    d.message_size = message_size;
    implementation_table_copy(&d.port, table);
    watched_comm_init(&d.comm, comm);
    d.comm.doing = comm_doing;
    d.comm.doing_context = &d;
    d.outer = watched_comm_outer(&d.comm);
    drive_q_init(&d.q, c);
    if (comm->size != c->world)
        return refuse(message, message_size, "the case has %d ranks, the group %d", c->world, comm->size);

    free(t->producer);
    free(t->version);
    t->producer = strdup(d.port.name);
    t->version = strdup(d.port.version);
    if (t->producer == NULL || t->version == NULL)
        return refuse(message, message_size, "no memory for the port's name");
    t->claims = d.port.claims;
    t->q_given = !options->seeded;
    t->has_log = d.rank == 0;
    t->ranks[d.rank] = (trace_rank){
        .outcome = RANK_OK, .status = PSGD_OK, .message = NULL, .guard_bytes_intact = true, .reports_guard = true};
    drive_all(&d);
    return !d.kit_failed;
}
