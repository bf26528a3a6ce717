/* support.h: what the reference's tests share: groups of ranks in one process, buckets in one line, given Qs. */
#ifndef PSGD_REF_TESTS_SUPPORT_H
#define PSGD_REF_TESTS_SUPPORT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "psgd/ref.h"

/* ---- One rank that counts its collectives and fails on demand ---- */

typedef struct lone_rank {
    int calls;         /* collectives so far */
    int fail_at;       /* this call (from 1) fails; 0: none */
    size_t counts[64]; /* elements of each call */
} lone_rank;

psgd_comm lone_rank_comm(lone_rank *lone); /* sums over one rank: does nothing */

/* ---- Ranks as threads (psgd/comm.h) ---- */

/* Runs body once per rank, all at the same time, each with its psgd_comm; returns when all have ended. Assertions of
 * cmocka are not for threads: body writes what it found into argument and the caller asserts. */
void run_ranks(int size, void (*body)(const psgd_comm *comm, void *argument), void *argument);

/* ---- Buckets ---- */

enum { MAX_TENSORS = 8 };

typedef struct test_bucket {
    psgd_bucket bucket;
    psgd_shape shapes[MAX_TENSORS];
    size_t dims[MAX_TENSORS][2];
    size_t numel;
} test_bucket;

/* Fills *b: index 0, the last of its step; rows and columns of count tensors (columns 0: a vector). data stays the
 * caller's. */
void make_bucket(test_bucket *b, psgd_dtype dtype, void *data, size_t count, const size_t (*rows_columns)[2]);

/* values[count], reproducible, in -1 .. 1, different for every seed. */
void fill_f64(double *values, size_t count, uint64_t seed);
void fill_f32(float *values, size_t count, uint64_t seed);
void fill(void *elements, psgd_dtype dtype, size_t count, uint64_t seed); /* the same numbers, rounded to any type */

/* values[count] = elements[count] of any type */
void to_doubles(double *values, const void *elements, psgd_dtype dtype, size_t count);

/* A q_source whose numbers depend on all its arguments but dtype and context. */
psgd_status draw_by_index(void *context, uint64_t step, size_t bucket, size_t tensor, psgd_dtype dtype, size_t m,
                          size_t r, void *q);
extern const psgd_q_source q_by_index;

/* Fails the test unless every |got - expected| <= limit. */
void assert_close(const double *got, const double *expected, size_t count, double limit);

/* Creates a state or fails the test. */
psgd_state *make_state(const psgd_config *config, const psgd_comm *comm);

/* The defaults with start_iter 2, min_compression_rate rate, rank r. */
psgd_config make_config(int64_t r, double rate);

#endif
