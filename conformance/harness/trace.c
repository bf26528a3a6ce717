/* trace.c: the container of what a run left behind. It judges nothing; judge/ reads it, runner, resultfile fill it.
 */
#include "harness/trace.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t tensors_before(const trace *t, size_t bucket)
{
    size_t sum = 0;
    for (size_t b = 0; b < bucket; b++)
        sum += t->tensor_counts[b];
    return sum;
}

/* calloc of a * b * c elements; null if a product overflows. A product of 0 is an allocation all the same. */
static void *allocate(size_t a, size_t b, size_t c, size_t size)
{
    if (b != 0 && a > SIZE_MAX / b)
        return NULL;
    const size_t ab = a * b;
    if (c != 0 && ab > SIZE_MAX / c)
        return NULL;
    const size_t count = ab * c;
    if (count > PTRDIFF_MAX / size)
        return NULL;
    return calloc(count > 0 ? count : 1, size);
}

trace *trace_create(int64_t steps, size_t bucket_count, const size_t *tensor_counts, int world)
{
    if (steps < 0 || world < 1)
        return NULL;
    trace *t = calloc(1, sizeof *t);
    size_t *counts = allocate(bucket_count, 1, 1, sizeof *counts);
    if (t == NULL || counts == NULL) {
        free(t);
        free(counts);
        return NULL;
    }
    size_t tensors = 0;
    bool overflow = false;
    for (size_t b = 0; b < bucket_count; b++) {
        counts[b] = tensor_counts[b];
        overflow = overflow || counts[b] > SIZE_MAX - tensors;
        tensors += counts[b];
    }
    t->tensor_counts = counts;
    t->steps = steps;
    t->bucket_count = bucket_count;
    t->world = world;
    if (overflow) {
        t->steps = 0; /* nothing else was allocated */
        trace_free(t);
        return NULL;
    }
    const size_t s = (size_t)steps, w = (size_t)world;
    t->ranks = allocate(w, 1, 1, sizeof *t->ranks);
    t->out = allocate(s, bucket_count, w, sizeof *t->out);
    t->error = allocate(s, bucket_count, w, sizeof *t->error);
    t->p = allocate(s, tensors, 1, sizeof *t->p);
    t->q = allocate(s, tensors, 1, sizeof *t->q);
    t->statistics = allocate(s, 1, 1, sizeof *t->statistics);
    t->wire = allocate(s, w, 1, sizeof *t->wire);
    if (!t->ranks || !t->out || !t->error || !t->p || !t->q || !t->statistics || !t->wire) {
        trace_free(t);
        return NULL;
    }
    for (size_t i = 0; i < s * w; i++)
        t->wire[i] = -1;
    for (size_t k = 0; k < w; k++)
        t->ranks[k].outcome = RANK_ABSENT;
    return t;
}

static void free_all(values *v, size_t count)
{
    for (size_t i = 0; v != NULL && i < count; i++)
        values_free(&v[i]);
    free(v);
}

void trace_free(trace *t)
{
    if (t == NULL)
        return;
    const size_t per_rank = (size_t)t->steps * t->bucket_count * (size_t)t->world;
    const size_t per_tensor = t->steps > 0 ? (size_t)t->steps * tensors_before(t, t->bucket_count) : 0;
    free_all(t->out, per_rank);
    free_all(t->error, per_rank);
    free_all(t->p, per_tensor);
    free_all(t->q, per_tensor);
    for (int k = 0; t->ranks != NULL && k < t->world; k++)
        free(t->ranks[k].message);
    for (size_t i = 0; i < t->log_count; i++)
        free(t->log[i]);
    free(t->log);
    free(t->ranks);
    free(t->statistics);
    free(t->wire);
    free(t->producer);
    free(t->version);
    free((void *)t->tensor_counts);
    free(t);
}

static size_t rank_index(const trace *t, int64_t step, size_t bucket, int rank)
{
    assert(step >= 0 && step < t->steps && bucket < t->bucket_count && rank >= 0 && rank < t->world);
    return ((size_t)step * t->bucket_count + bucket) * (size_t)t->world + (size_t)rank;
}

static size_t tensor_index(const trace *t, int64_t step, size_t bucket, size_t tensor)
{
    assert(step >= 0 && step < t->steps && bucket < t->bucket_count && tensor < t->tensor_counts[bucket]);
    return (size_t)step * tensors_before(t, t->bucket_count) + tensors_before(t, bucket) + tensor;
}

values *trace_out(const trace *t, int64_t step, size_t bucket, int rank)
{
    return &t->out[rank_index(t, step, bucket, rank)];
}

values *trace_error(const trace *t, int64_t step, size_t bucket, int rank)
{
    return &t->error[rank_index(t, step, bucket, rank)];
}

values *trace_p(const trace *t, int64_t step, size_t bucket, size_t tensor)
{
    return &t->p[tensor_index(t, step, bucket, tensor)];
}

values *trace_q(const trace *t, int64_t step, size_t bucket, size_t tensor)
{
    return &t->q[tensor_index(t, step, bucket, tensor)];
}

static void move_values(values *to, values *from)
{
    values_free(to);
    *to = *from;
    *from = (values){0};
}

static void move_text(char **to, char **from)
{
    free(*to);
    *to = *from;
    *from = NULL;
}

static bool same_shape(const trace *a, const trace *b)
{
    if (a->steps != b->steps || a->world != b->world || a->bucket_count != b->bucket_count)
        return false;
    for (size_t i = 0; i < a->bucket_count; i++)
        if (a->tensor_counts[i] != b->tensor_counts[i])
            return false;
    return true;
}

/* Moves p or q; false at the first that both hold with other bits. */
static bool move_factors(trace *whole, trace *part, values *(*of)(const trace *, int64_t, size_t, size_t),
                         const char *name, int rank, char *message, size_t message_size)
{
    for (int64_t step = 0; step < whole->steps; step++)
        for (size_t b = 0; b < whole->bucket_count; b++)
            for (size_t i = 0; i < whole->tensor_counts[b]; i++) {
                values *have = of(whole, step, b, i), *new = of(part, step, b, i);
                if (new->data == NULL)
                    continue;
                if (have->data == NULL) {
                    move_values(have, new);
                } else if (!values_equal_bits(have, new)) {
                    (void)snprintf(message, message_size,
                                   "%s of tensor %zu in bucket %zu after step %lld differs between ranks: rank %d's is "
                                   "not what was read before",
                                   name, i, b, (long long)step, rank);
                    return false;
                }
            }
    return true;
}

static bool equal_statistics(const psgd_statistics *a, const psgd_statistics *b)
{
    return memcmp(&a->compression_rate, &b->compression_rate, sizeof a->compression_rate) == 0 &&
           a->numel_before_compression == b->numel_before_compression &&
           a->numel_after_compression == b->numel_after_compression;
}

static bool move_statistics(trace *whole, trace *part, int rank, char *message, size_t message_size)
{
    for (int64_t step = 0; step < whole->steps; step++) {
        if (!part->statistics[step].shown)
            continue;
        if (whole->statistics[step].shown &&
            !equal_statistics(&whole->statistics[step].value, &part->statistics[step].value)) {
            (void)snprintf(message, message_size,
                           "the statistics of rank %d after step %lld differ from another rank's", rank,
                           (long long)step);
            return false;
        }
        whole->statistics[step] = part->statistics[step];
    }
    return true;
}

static void move_rank(trace *whole, trace *part, int rank)
{
    move_text(&whole->ranks[rank].message, &part->ranks[rank].message);
    char *message = whole->ranks[rank].message;
    whole->ranks[rank] = part->ranks[rank];
    whole->ranks[rank].message = message;
    part->ranks[rank].outcome = RANK_ABSENT;
    for (int64_t step = 0; step < whole->steps; step++) {
        const size_t at = (size_t)step * (size_t)whole->world + (size_t)rank;
        whole->wire[at] = part->wire[at];
        for (size_t b = 0; b < whole->bucket_count; b++) {
            if (trace_out(part, step, b, rank)->data != NULL)
                move_values(trace_out(whole, step, b, rank), trace_out(part, step, b, rank));
            if (trace_error(part, step, b, rank)->data != NULL)
                move_values(trace_error(whole, step, b, rank), trace_error(part, step, b, rank));
        }
    }
}

bool trace_merge(trace *whole, trace *part, int rank, char *message, size_t message_size)
{
    if (!same_shape(whole, part) || rank < 0 || rank >= whole->world) {
        (void)snprintf(message, message_size,
                       "the result of rank %d is one of another run: other steps, buckets or ranks", rank);
        return false;
    }
    if (whole->producer == NULL) {
        move_text(&whole->producer, &part->producer);
        move_text(&whole->version, &part->version);
        whole->claims = part->claims;
        whole->q_given = part->q_given;
    } else if (whole->q_given != part->q_given) {
        (void)snprintf(message, message_size, "rank %d says that it used %s Q, another rank says the contrary", rank,
                       part->q_given ? "the given" : "its own");
        return false;
    }
    if (part->has_log && !whole->has_log) {
        whole->has_log = true;
        whole->log = part->log;
        whole->log_count = part->log_count;
        part->log = NULL;
        part->log_count = 0;
    }
    move_rank(whole, part, rank);
    return move_factors(whole, part, trace_p, "P", rank, message, message_size) &&
           move_factors(whole, part, trace_q, "Q", rank, message, message_size) &&
           move_statistics(whole, part, rank, message, message_size);
}
