/* Tests of comm/threads.c with a thread for each rank; those that depend on who comes when are in threads_orders.c.
 *
 * The threads count what is wrong and the test asserts: cmocka's assertions are for the thread of the test only. To be
 * run under the thread and the address sanitizer too (presets tsan and asan). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "comm/sum.h"
#include "psgd/comm.h"
#include "spans.h"
#include "ways.h"
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_RANKS = 16 };

static const psgd_dtype dtypes[] = {PSGD_F32, PSGD_F64, PSGD_F16, PSGD_BF16};
enum { DTYPES = 4 };

/* ---- A thread for each rank ---- */

typedef struct worker {
    pthread_t thread;
    psgd_threads *group;
    int32_t rank;
    psgd_comm comm;
    int (*body)(struct worker *self); /* how many things went wrong */
    int wrong;
} worker;

static void *work(void *argument)
{
    worker *self = argument;
    if (psgd_threads_join(self->group, self->rank, &self->comm, NULL, 0) == PSGD_OK)
        self->wrong = self->body(self);
    psgd_threads_leave(&self->comm);
    return NULL;
}

static void run(int32_t size, double timeout_seconds, int (*body)(worker *self))
{
    worker workers[MAX_RANKS] = {{0}};
    psgd_threads *group = NULL;
    assert_int_equal(psgd_threads_create(&group, size, timeout_seconds, NULL, 0), PSGD_OK);
    for (int32_t k = 0; k < size; k++) {
        workers[k] = (worker){.group = group, .rank = k, .body = body, .wrong = 1};
        assert_int_equal(pthread_create(&workers[k].thread, NULL, work, &workers[k]), 0);
    }
    for (int32_t k = 0; k < size; k++)
        assert_int_equal(pthread_join(workers[k].thread, NULL), 0);
    psgd_threads_release(group);
    for (int32_t k = 0; k < size; k++)
        assert_int_equal(workers[k].wrong, 0);
}

static const int32_t sizes[] = {1, 2, 3, MAX_RANKS};

static void run_all_sizes(int (*body)(worker *self))
{
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        run(sizes[s], 60, body);
}

/* ---- Sums ---- */

/* Cancelling, overflowing (in the 16-bit types, or altogether), infinite, and not a number. */
static double term_of(int32_t rank, size_t i)
{
    const double ordinary = sin((double)(7 * i + 13 * (size_t)rank + 1));
    switch (i % 97) {
    case 13: return ldexp(ordinary, rank % 2 == 0 ? 60 : -60);
    case 29: return 40000 * ordinary;
    case 41: return rank % 2 == 0 ? INFINITY : -INFINITY;
    case 67: return rank % 2 == 0 ? (double)NAN : -(double)NAN;
    default: return ordinary;
    }
}

/* One collective; whether its result has the bits of psgd_sum, and nothing beside it was written. */
static bool sum_is_exact(const psgd_comm *comm, size_t count, psgd_dtype dtype, way how)
{
    const psgd_value_type *type = psgd_value_type_of((uint32_t)dtype);
    const size_t size = psgd_dtype_size((uint32_t)dtype);
    const size_t ranks = (size_t)comm->size;
    unsigned char *terms = calloc(ranks + 1, count * size + 1);
    unsigned char *expected = calloc(count + 2, size);
    unsigned char *data = calloc(count + 2, size); /* a guard element on either side */
    bool good = terms && expected && data;
    for (int32_t k = 0; good && k < comm->size; k++)
        for (size_t i = 0; i < count; i++) {
            const double term = term_of(k, i);
            type->store(terms + ((size_t)k * count + i) * size, &term, 1);
        }
    if (good) {
        psgd_sum(expected + size, terms, type, count, ranks, count * size);
        memcpy(data + size, terms + (size_t)comm->rank * count * size, count * size);
        good = sum(comm, data + size, count, dtype, how) == PSGD_OK && memcmp(data, expected, (count + 2) * size) == 0;
    }
    free(data);
    free(expected);
    free(terms);
    return good;
}

static int sums(worker *self)
{
    const size_t counts[] = {0, 1, 2, 3, 511, 512, 513, 1500, 1};
    int wrong = 0;
    for (way how = BLOCKING; how < WAYS; how++)
        for (size_t d = 0; d < DTYPES; d++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
                wrong += !sum_is_exact(&self->comm, counts[c], dtypes[d], how);
    return wrong;
}

static void sums_have_the_bits_of_the_sum_in_rank_order(void **state)
{
    (void)state;
    run_all_sizes(sums);
}

static int large_sums(worker *self)
{
    int wrong = 0;
    for (size_t d = 0; d < DTYPES; d++)
        wrong += !sum_is_exact(&self->comm, 200003, dtypes[d], (way)(d % WAYS));
    return wrong;
}

static void buffers_may_be_large(void **state)
{
    (void)state;
    run(3, 60, large_sums);
}

static int empty_sums(worker *self)
{
    int wrong = 0;
    for (size_t d = 0; d < DTYPES; d++)
        for (way how = BLOCKING; how < WAYS; how++)
            wrong += sum(&self->comm, NULL, 0, dtypes[d], how) != PSGD_OK;
    return wrong;
}

static void empty_buffers_are_collectives_too(void **state)
{
    (void)state;
    run_all_sizes(empty_sums);
}

static int late_rank(worker *self)
{
    const int64_t begin = psgd_monotonic_nanoseconds();
    int wrong = sum(&self->comm, NULL, 0, PSGD_F32, BLOCKING) != PSGD_OK;
    if (self->rank == 0)
        pause_for(100);
    wrong += sum(&self->comm, NULL, 0, PSGD_F32, BLOCKING) != PSGD_OK;
    return wrong + (seconds_since(begin) < 0.09);
}

static void nobody_gets_through_before_all_are_there(void **state)
{
    (void)state;
    run(3, 60, late_rank);
}

/* Each rank waits in its own order, another one each time; a blocking call comes between. */
static int in_flight(worker *self)
{
    enum { REQUESTS = 5, COUNT = 700, REPEATS = 20 };
    static const int strides[] = {1, 2, 3, 4};
    double data[REQUESTS][COUNT];
    const double n = self->comm.size;
    int wrong = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        void *requests[REQUESTS] = {NULL};
        for (int q = 0; q < REQUESTS; q++) {
            for (int i = 0; i < COUNT; i++)
                data[q][i] = self->rank + 10 * q + i;
            wrong += start(&self->comm, data[q], COUNT, PSGD_F64, &requests[q]) != PSGD_OK;
        }
        double between = repeat;
        wrong += sum(&self->comm, &between, 1, PSGD_F64, BLOCKING) != PSGD_OK || between != n * repeat;
        for (int step = 0; step < REQUESTS; step++) {
            const int q = (self->rank + step * strides[(repeat + self->rank) % 4]) % REQUESTS;
            wrong += self->comm.wait(self->comm.context, requests[q]) != PSGD_OK;
            for (int i = 0; i < COUNT; i++)
                wrong += data[q][i] != n * (n - 1) / 2 + n * (10 * q + i);
        }
    }
    return wrong;
}

static void several_requests_may_be_in_flight(void **state)
{
    (void)state;
    run_all_sizes(in_flight);
}

static int small_sums(worker *self)
{
    enum { REPEATS = 1000 };
    const int64_t begin = psgd_monotonic_nanoseconds();
    const double n = self->comm.size;
    int wrong = 0;
    for (int i = 0; i < REPEATS; i++) {
        double data[2] = {self->rank, i};
        wrong += sum(&self->comm, data, 2, PSGD_F64, (way)(i % WAIT)) != PSGD_OK;
        wrong += data[0] != n * (n - 1) / 2 || data[1] != n * i;
    }
    if (self->rank == 0)
        (void)printf("%d ranks: %.1f us for a sum of 2 doubles\n", (int)self->comm.size,
                     seconds_since(begin) * 1e6 / REPEATS);
    return wrong;
}

static void small_sums_do_not_race(void **state)
{
    (void)state;
    run_all_sizes(small_sums);
}

/* ---- Failures while others wait ---- */

static int waits_in_vain(worker *self)
{
    float value = 1;
    return sum(&self->comm, &value, 1, PSGD_F32, BLOCKING) != PSGD_ERR_COMM;
}

/* Nothing else happens that could wake it. */
static void a_failure_wakes_a_rank_that_waits(void **state)
{
    (void)state;
    const int64_t begin = psgd_monotonic_nanoseconds();
    worker alone = {.body = waits_in_vain, .wrong = 1};
    assert_int_equal(psgd_threads_create(&alone.group, 2, 60, NULL, 0), PSGD_OK);
    assert_int_equal(pthread_create(&alone.thread, NULL, work, &alone), 0);
    pause_for(50);
    psgd_threads_fail(alone.group);
    assert_int_equal(pthread_join(alone.thread, NULL), 0);
    assert_int_equal(alone.wrong, 0);
    assert_true(seconds_since(begin) < 10);
    psgd_threads_release(alone.group);
}

/* Sums until the group fails, into memory that is freed at once. */
static int endless(worker *self)
{
    psgd_status status = PSGD_OK;
    for (size_t i = 0; status == PSGD_OK; i++) {
        const size_t count = 1 + i % 700;
        float *data = calloc(count, sizeof *data);
        status = data ? sum(&self->comm, data, count, PSGD_F32, (way)(i % WAYS)) : PSGD_ERR_MEMORY;
        free(data);
    }
    return status != PSGD_ERR_COMM;
}

static void a_group_may_be_failed_at_any_instant(void **state)
{
    (void)state;
    enum { RANKS = 3, REPEATS = 1000 };
    uint32_t random = 12345;
    const int64_t begin = psgd_monotonic_nanoseconds();
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        worker workers[RANKS];
        psgd_threads *group = NULL;
        assert_int_equal(psgd_threads_create(&group, RANKS, 60, NULL, 0), PSGD_OK);
        for (int32_t k = 0; k < RANKS; k++) {
            workers[k] = (worker){.group = group, .rank = k, .body = endless, .wrong = 1};
            assert_int_equal(pthread_create(&workers[k].thread, NULL, work, &workers[k]), 0);
        }
        random = random * 1664525u + 1013904223u;
        const struct timespec span = {0, (long)(random >> 8) % 300000};
        (void)nanosleep(&span, NULL);
        psgd_threads_fail(group);
        for (int32_t k = 0; k < RANKS; k++) {
            assert_int_equal(pthread_join(workers[k].thread, NULL), 0);
            assert_int_equal(workers[k].wrong, 0);
        }
        psgd_threads_release(group);
    }
    assert_true(seconds_since(begin) < 50); /* less than one time limit */
}

/* Rank 1 takes part in 20 sums and leaves: the others have these and no more. */
static int leaves_early(worker *self)
{
    enum { COMMON = 20 };
    int wrong = 0;
    for (int i = 0; i < COMMON; i++)
        wrong += !sum_is_exact(&self->comm, 2, PSGD_F64, (way)(i % WAYS));
    if (self->rank == 1)
        return wrong;
    float value = 1;
    for (int i = 0; i < 2; i++)
        wrong += sum(&self->comm, &value, 1, PSGD_F32, (way)((i + self->rank) % WAYS)) != PSGD_ERR_COMM;
    return wrong + (value != 1);
}

static void a_rank_may_leave_while_others_wait(void **state)
{
    (void)state;
    for (int repeat = 0; repeat < 200; repeat++)
        run(3, 60, leaves_early);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_have_the_bits_of_the_sum_in_rank_order),
        cmocka_unit_test(buffers_may_be_large),
        cmocka_unit_test(empty_buffers_are_collectives_too),
        cmocka_unit_test(nobody_gets_through_before_all_are_there),
        cmocka_unit_test(several_requests_may_be_in_flight),
        cmocka_unit_test(small_sums_do_not_race),
        cmocka_unit_test(a_failure_wakes_a_rank_that_waits),
        cmocka_unit_test(a_group_may_be_failed_at_any_instant),
        cmocka_unit_test(a_rank_may_leave_while_others_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
