/* drive_step.c: one step of all buckets, by step() or by submit and wait, and what is read from the state afterwards.
 * See drive_internal.h.
 *
 * An async case submits all buckets before it waits for the first: in the order of submission at even steps, backwards
 * at odd ones, the same on all ranks. From submit to wait nothing of a bucket is looked at. Nor do the ranks tell each
 * other in between how they are: a port may have collectives under way, on a thread of its own.
 */
#include "harness/drive_internal.h"
#include "harness/file_parts.h"

#include <stdlib.h>
#include <string.h>

static void guard_broken(drive *d)
{
    d->t->ranks[d->rank].guard_bytes_intact = false;
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
        return drive_kit_failed(d, "no memory for a peek");
    memset(v->data, 0xff, bytes); /* NaN: an answer that is no answer does not look like one */
    if (!drive_buffer_make(&b, NULL, bytes, 0)) {
        values_free(v);
        return drive_kit_failed(d, "no memory for a peek");
    }
    (void)drive_buffer_put(&b, v->data);
    drive_at(d, "peek");
    psgd_status status = d->port.peek(d->state, part, bucket, tensor, drive_buffer_data(&b), bytes);
    if (!drive_buffer_intact(&b))
        guard_broken(d);
    if (status == PSGD_OK)
        memcpy(v->data, drive_buffer_image(&b), bytes);
    else
        values_free(v);
    drive_buffer_free(&b);
    if (status != PSGD_OK && status != PSGD_ERR_ARGUMENT && status != PSGD_ERR_UNSUPPORTED)
        return drive_call_fails(d, status, "peek");
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
    const size_t count = error_numel(d->c, bucket);
    values *error = trace_error(d->t, d->step, bucket, d->rank);
    if (!peek(d, error, PSGD_PART_ERROR, bucket, 0, count))
        return false;
    if (error->data == NULL && count > d->c->numel[bucket] && /* a port that has it without its padding */
        !peek(d, error, PSGD_PART_ERROR, bucket, 0, d->c->numel[bucket]))
        return false;
    return d->rank != 0 || peek_factors(d, bucket);
}

/* After a compressed step, on rank 0. */
static bool read_statistics(drive *d)
{
    if (d->port.statistics == NULL || d->rank != 0 || d->step < d->c->config.start_iter)
        return true;
    trace_statistics *s = &d->t->statistics[d->step];
    drive_at(d, "statistics");
    psgd_status status = d->port.statistics(d->state, &s->value);
    s->shown = status == PSGD_OK;
    return status == PSGD_OK || status == PSGD_ERR_UNSUPPORTED || drive_call_fails(d, status, "statistics");
}

/* ---- one bucket ---- */

/* Two of three buffers are aligned to 64 bytes, the third to its element only; the same on every rank and in every run,
 * because a port's rounding may depend on it. */
static size_t shift_of(const drive *d)
{
    bool shifted = ((uint64_t)d->step + d->bucket) % 3 == 1;
    return shifted ? psgd_dtype_size(d->c->dtype) : 0;
}

/* The bucket's own gradients, into a buffer of its own. *bucket is what the port is given. */
static bool hand_in(drive *d, drive_buffer *buffer, psgd_bucket *bucket)
{
    const values *in = case_in(d->c, d->step, d->bucket, d->rank);
    if (!drive_buffer_make(buffer, d->port.memory, in->count * psgd_dtype_size(d->c->dtype), shift_of(d)))
        return drive_kit_failed(d, "no memory for a bucket");
    if (drive_buffer_put(buffer, in->data) != PSGD_OK)
        return drive_rank_fails(d, PSGD_ERR_DEVICE, "the port's memory->upload failed");
    *bucket = d->c->buckets[d->bucket];
    bucket->struct_size = (uint32_t)sizeof *bucket;
    bucket->data = drive_buffer_data(buffer);
    return true;
}

/* After a call that ends a bucket's step with this status. */
static bool take_out(drive *d, drive_buffer *buffer, psgd_status status, const char *call)
{
    if (d->log_lost)
        return drive_kit_failed(d, "no memory for a log line");
    psgd_status home = drive_buffer_get(buffer);
    if (home == PSGD_OK && !drive_buffer_intact(buffer))
        guard_broken(d);
    if (status != PSGD_OK)
        return drive_call_fails(d, status, call);
    if (home != PSGD_OK)
        return drive_rank_fails(d, PSGD_ERR_DEVICE, "the port's memory->download failed");
    values *out = trace_out(d->t, d->step, d->bucket, d->rank);
    if (!values_allocate(out, d->c->dtype, d->c->numel[d->bucket]))
        return drive_kit_failed(d, "no memory for a result");
    if (buffer->bytes > 0)
        memcpy(out->data, drive_buffer_image(buffer), buffer->bytes);
    return true;
}

static bool step_bucket(drive *d)
{
    drive_buffer buffer = {0};
    psgd_bucket bucket;
    bool ok = hand_in(d, &buffer, &bucket);
    if (ok) {
        drive_at(d, "step");
        ok = take_out(d, &buffer, d->port.step(d->state, &bucket), "step") && peek_bucket(d, d->bucket);
    }
    drive_buffer_free(&buffer);
    return ok;
}

/* ---- in two halves ---- */

bool drive_flights_make(drive *d)
{
    d->flights = calloc(d->c->bucket_count + 1, sizeof *d->flights);
    return d->flights != NULL || drive_kit_failed(d, "no memory for requests");
}

void drive_flights_free(drive *d)
{
    for (size_t b = 0; d->flights != NULL && b < d->c->bucket_count; b++)
        drive_buffer_free(&d->flights[b].buffer);
    free(d->flights);
    d->flights = NULL;
}

static bool submit_bucket(drive *d)
{
    drive_flight *f = &d->flights[d->bucket];
    if (!hand_in(d, &f->buffer, &f->bucket))
        return false;
    f->request = NULL;
    drive_at(d, "submit");
    psgd_status status = d->port.submit(d->state, &f->bucket, &f->request);
    memset(&f->bucket, 0xa5, sizeof f->bucket);
    if (d->log_lost)
        return drive_kit_failed(d, "no memory for a log line");
    if (status != PSGD_OK)
        return drive_call_fails(d, status, "submit");
    return f->request != NULL ||
           drive_rank_fails(d, PSGD_ERR_ARGUMENT, "submit returned PSGD_OK and a null request in step %lld, bucket %zu",
                            (long long)d->step, d->bucket);
}

static bool wait_for_bucket(drive *d)
{
    drive_flight *f = &d->flights[d->bucket];
    drive_at(d, "wait");
    psgd_status status = d->port.wait(d->state, f->request);
    f->request = NULL;
    bool ok = take_out(d, &f->buffer, status, "wait");
    drive_buffer_free(&f->buffer);
    return ok;
}

static bool step_by_halves(drive *d)
{
    const size_t count = d->c->bucket_count;
    bool ok = true;
    for (d->bucket = 0; ok && d->bucket < count; d->bucket++)
        ok = submit_bucket(d);
    for (size_t i = 0; ok && i < count; i++) {
        d->bucket = d->step % 2 == 0 ? i : count - 1 - i;
        ok = wait_for_bucket(d);
    }
    for (size_t b = 0; ok && b < count; b++) { /* refused as long as anything was pending */
        d->bucket = b;
        ok = peek_bucket(d, b);
    }
    return drive_all_well(d, ok);
}

/* ---- all buckets ---- */

bool drive_step(drive *d)
{
    d->comm.elements = 0;
    if (d->flights != NULL && !step_by_halves(d))
        return false;
    for (d->bucket = 0; d->flights == NULL && d->bucket < d->c->bucket_count; d->bucket++)
        if (!drive_all_well(d, step_bucket(d)))
            return false;
    d->bucket = d->c->bucket_count > 0 ? d->c->bucket_count - 1 : 0;
    d->t->wire[d->step * d->c->world + d->rank] = d->comm.elements;
    return drive_all_well(d, read_statistics(d));
}
