/* faulty_tape.c: what stands in a checkpoint, in its order, written and read by the same lines. */
#include "mutants/faulty_checkpoint.h"

#include "core/values.h"

#include <stdlib.h>
#include <string.h>

void tape_move(tape *t, void *data, size_t count)
{
    if (t->failed || count == 0) {
        return;
    }
    if (!t->writing) {
        t->failed = count > t->size - t->at;
        if (t->failed && t->short_is_zeros) {
            t->failed = false;
            memset(data, 0, count);
            t->at = t->size;
            return;
        }
        if (!t->failed) {
            memcpy(data, t->bytes + t->at, count);
            t->at += count;
        }
        return;
    }
    if (count > t->capacity - t->size) {
        const size_t capacity = 2 * (t->capacity + count);
        unsigned char *more = realloc(t->bytes, capacity);
        t->failed = more == NULL;
        if (t->failed) {
            return;
        }
        t->bytes = more;
        t->capacity = capacity;
    }
    memcpy(t->bytes + t->size, data, count);
    t->size += count;
}

/* values[count], as the file holds them. */
static void move_values(tape *t, double *values, size_t count, psgd_dtype narrowed)
{
    for (size_t i = 0; i < count; i++) {
        double value = t->writing ? psgd_value_type_of(narrowed)->round(values[i]) : 0;
        tape_move(t, &value, sizeof value);
        values[i] = t->writing ? values[i] : value;
    }
}

/* Writes the value, or reads another and compares. */
static bool same(tape *t, int64_t value)
{
    int64_t got = value;
    tape_move(t, &got, sizeof got);
    return !t->failed && got == value;
}

static bool same_number(tape *t, double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return same(t, bits);
}

bool faulty_tape_identity(tape *t, const psgd_state *state)
{
    const psgd_config *c = &state->config;
    bool ok = same(t, state->comm.rank) || fault_is(state, FAULT_OTHER_RANK_LOADED);
    ok = (same(t, state->comm.size) || fault_is(state, FAULT_OTHER_SIZE_LOADED)) && ok;
    const bool own_group = ok;
    ok = same(t, c->variant) && ok;
    ok = same(t, c->matrix_approximation_rank) && ok;
    ok = same(t, c->start_iter) && ok;
    ok = same_number(t, c->min_compression_rate) && ok;
    ok = same_number(t, c->orthogonalization_epsilon) && ok;
    ok = same(t, c->use_error_feedback) && ok;
    ok = same(t, c->warm_start) && ok;
    ok = same(t, c->batch_tensors_with_same_shape) && ok;
    ok = same(t, c->random_seed) && ok;
    ok = same(t, c->compression_stats_logging_frequency) && ok;
    return ok || (own_group && fault_is(state, FAULT_OTHER_CONFIG_LOADED));
}

static void move_size(tape *t, size_t *size)
{
    uint64_t moved = *size;
    tape_move(t, &moved, sizeof moved);
    *size = (size_t)moved;
}

/* The layout of `count` matrices whose sides are read from the tape. False: there is none such. */
static bool read_layout(tape *t, psgd_state *state, psgd_bucket *bucket, psgd_bucket_layout *layout)
{
    double somewhere = 0; /* a bucket has data; a layout does not look at it */
    if (bucket->tensor_count > (t->size - t->at) / (2 * sizeof(uint64_t))) {
        return false;
    }
    size_t *dims = calloc(2 * bucket->tensor_count + 1, sizeof *dims);
    psgd_shape *shapes = calloc(bucket->tensor_count + 1, sizeof *shapes);
    bool ok = dims != NULL && shapes != NULL;
    for (size_t i = 0; ok && i < bucket->tensor_count; i++) {
        move_size(t, &dims[2 * i]);
        move_size(t, &dims[2 * i + 1]);
        shapes[i] = (psgd_shape){2, &dims[2 * i]};
    }
    bucket->data = &somewhere;
    bucket->shapes = shapes;
    ok = ok && !t->failed && faulty_layout_make(state, bucket, true, layout) == PSGD_OK;
    free(dims);
    free(shapes);
    return ok;
}

static void write_layout(tape *t, const psgd_bucket_layout *l)
{
    for (size_t i = 0; i < l->tensor_count; i++) {
        size_t n = l->tensors[i].n, m = l->tensors[i].m;
        move_size(t, &n);
        move_size(t, &m);
    }
}

/* The type that errors are saved in. */
static psgd_dtype error_type(const psgd_state *state)
{
    if (fault_is(state, FAULT_CHECKPOINT_IN_F16)) {
        return PSGD_F16;
    }
    return fault_is(state, FAULT_CHECKPOINT_IN_F32) ? PSGD_F32 : PSGD_F64;
}

/* The bucket, or null: a new one, as it is read. Null: it could not be. */
static faulty_bucket *move_bucket(tape *t, psgd_state *state, faulty_bucket *bucket)
{
    const psgd_bucket_layout none = {0}, *l = bucket != NULL ? &bucket->layout : &none;
    psgd_bucket about = {.struct_size = sizeof about, .index = l->index, .tensor_count = l->tensor_count};
    size_t dtype = (size_t)l->dtype;
    move_size(t, &about.index);
    move_size(t, &about.tensor_count);
    move_size(t, &dtype);
    about.dtype = (uint32_t)dtype;
    psgd_bucket_layout read = {0};
    if (t->writing) {
        write_layout(t, l);
    } else if (read_layout(t, state, &about, &read)) {
        bucket = faulty_bucket_make(&read);
        psgd_bucket_layout_free(&read);
    }
    if (bucket == NULL) {
        return NULL;
    }
    uint64_t steps = bucket->steps;
    tape_move(t, &steps, sizeof steps);
    bucket->steps = fault_is(state, FAULT_SIDE_FORGOTTEN) ? 2 : steps;
    move_values(t, bucket->error, bucket->layout.error_numel, error_type(state));
    tape_move(t, bucket->p, bucket->layout.p_numel * sizeof(double));
    tape_move(t, bucket->q, bucket->layout.q_numel * sizeof(double));
    return bucket;
}

void faulty_tape_state(tape *t, psgd_state *state)
{
    size_t count = 0;
    for (const faulty_bucket *bucket = state->buckets; bucket != NULL; bucket = bucket->next) {
        count++;
    }
    if (fault_is(state, FAULT_CHECKPOINT_OF_FIRST_BUCKET) && count > 1) {
        count = 1;
    }
    tape_move(t, &state->iteration, sizeof state->iteration);
    tape_move(t, &state->next_report, sizeof state->next_report);
    tape_move(t, &state->counted, sizeof state->counted);
    tape_move(t, &state->seeds, sizeof state->seeds);
    move_size(t, &count);
    faulty_bucket **place = &state->buckets;
    for (size_t i = 0; i < count && !t->failed; i++) {
        faulty_bucket *bucket = move_bucket(t, state, *place);
        if (bucket == NULL) {
            t->failed = true;
            return;
        }
        *place = bucket;
        place = &bucket->next;
    }
}
