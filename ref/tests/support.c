/* support.c: see support.h. */
#include "support.h"

#include "core/values.h"
#include "psgd/comm.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* ---- One rank ---- */

static psgd_status lone_sum(void *context, void *data, size_t count, psgd_dtype dtype)
{
    lone_rank *lone = context;
    (void)data;
    (void)dtype;
    if (lone->calls < (int)(sizeof lone->counts / sizeof lone->counts[0])) {
        lone->counts[lone->calls] = count;
    }
    lone->calls++;
    return lone->calls == lone->fail_at ? PSGD_ERR_IO : PSGD_OK;
}

psgd_comm lone_rank_comm(lone_rank *lone)
{
    *lone = (lone_rank){0};
    return (psgd_comm){
        .struct_size = (uint32_t)sizeof(psgd_comm), .context = lone, .size = 1, .allreduce_sum = lone_sum};
}

/* ---- Threads ---- */

typedef struct member {
    psgd_comm comm;
    pthread_t thread;
    void (*body)(const psgd_comm *comm, void *argument);
    void *argument;
} member;

static void *run_member(void *argument)
{
    member *self = argument;
    self->body(&self->comm, self->argument);
    psgd_threads_leave(&self->comm); /* nobody waits for this rank any more */
    return NULL;
}

void run_ranks(int size, void (*body)(const psgd_comm *comm, void *argument), void *argument)
{
    const double patience = 60; /* seconds */
    psgd_threads *group = NULL;
    member *members = calloc((size_t)size, sizeof *members);
    assert_non_null(members);
    assert_int_equal(psgd_threads_create(&group, size, patience, NULL, 0), PSGD_OK);
    for (int rank = 0; rank < size; rank++) {
        members[rank] = (member){.body = body, .argument = argument};
        assert_int_equal(psgd_threads_join(group, rank, &members[rank].comm, NULL, 0), PSGD_OK);
        assert_int_equal(pthread_create(&members[rank].thread, NULL, run_member, &members[rank]), 0);
    }
    for (int rank = 0; rank < size; rank++) {
        assert_int_equal(pthread_join(members[rank].thread, NULL), 0);
    }
    psgd_threads_release(group);
    free(members);
}

/* ---- Buckets ---- */

void make_bucket(test_bucket *b, psgd_dtype dtype, void *data, size_t count, const size_t (*rows_columns)[2])
{
    *b = (test_bucket){0};
    for (size_t i = 0; i < count; i++) {
        size_t rows = rows_columns[i][0], columns = rows_columns[i][1];
        b->dims[i][0] = rows;
        b->dims[i][1] = columns;
        b->shapes[i] = (psgd_shape){columns > 0 ? 2 : 1, b->dims[i]};
        b->numel += rows * (columns > 0 ? columns : 1);
    }
    b->bucket = (psgd_bucket){.struct_size = (uint32_t)sizeof b->bucket,
                              .dtype = dtype,
                              .is_last = true,
                              .data = data,
                              .tensor_count = count,
                              .shapes = b->shapes};
}

/* splitmix64: a step of a counter, mixed. */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

static double value_at(size_t i, uint64_t seed)
{
    return (double)(mix(mix(seed) + i) >> 11) * 0x1p-52 - 1;
}

void fill_f64(double *values, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = value_at(i, seed);
    }
}

void fill_f32(float *values, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = (float)value_at(i, seed);
    }
}

void fill(void *elements, psgd_dtype dtype, size_t count, uint64_t seed)
{
    const psgd_value_type *type = psgd_value_type_of(dtype);
    for (size_t i = 0; i < count; i++) {
        double value = value_at(i, seed);
        type->store((char *)elements + i * psgd_dtype_size(dtype), &value, 1);
    }
}

void to_doubles(double *values, const void *elements, psgd_dtype dtype, size_t count)
{
    psgd_value_type_of(dtype)->load(values, elements, count);
}

psgd_status draw_by_index(void *context, uint64_t step, size_t bucket, size_t tensor, psgd_dtype dtype, size_t m,
                          size_t r, void *q)
{
    (void)context;
    fill(q, dtype, m * r, 1000 * step + 100 * bucket + 10 * tensor + 7);
    return PSGD_OK;
}

const psgd_q_source q_by_index = {NULL, draw_by_index};

/* ---- States and values ---- */

void assert_close(const double *got, const double *expected, size_t count, double limit)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(got[i] - expected[i]) <= limit)) {
            fail_msg("element %zu: got %.17g, expected %.17g", i, got[i], expected[i]);
        }
    }
}

psgd_state *make_state(const psgd_config *config, const psgd_comm *comm)
{
    psgd_state *state = NULL;
    char message[256] = "";
    psgd_status status = psgd_ref()->create(config, comm, &state, message, sizeof message);
    if (status != PSGD_OK) {
        fail_msg("create: %s: %s", psgd_status_name(status), message);
    }
    return state;
}

psgd_config make_config(int64_t r, double rate)
{
    psgd_config config = psgd_config_default();
    config.matrix_approximation_rank = r;
    config.min_compression_rate = rate;
    config.start_iter = 2;
    return config;
}
