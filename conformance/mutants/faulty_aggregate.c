/* faulty_aggregate.c: what goes over the ranks: sums, the plain mean, the uncompressed tensors, with the places where
 * it can be made to go wrong. */
#include "mutants/faulty_step.h"

#include "core/config.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK 100 /* elements, of a port that sums a long buffer piece by piece */

/* ---- sums ---- */

/* The largest power of two that is at most size: where a sum by halves begins. */
static int halving_size(int size)
{
    int power = 1;
    while (2 * power <= size) {
        power *= 2;
    }
    return power;
}

/* What this rank puts into a sum. */
static double term_of(const psgd_state *state, double value, psgd_dtype dtype)
{
    if (fault_is(state, FAULT_LAST_RANKS_LEFT_OUT) && state->comm.rank >= halving_size(state->comm.size)) {
        return 0;
    }
    if (fault_is(state, FAULT_RANK_0_COUNTS_DOUBLE) && state->comm.rank == 0) {
        return 2 * value;
    }
    if (fault_is(state, FAULT_WIRE_IN_BF16) && dtype == PSGD_F32) {
        return faulty_round(state, value, PSGD_BF16);
    }
    return value;
}

static psgd_status all_reduce(psgd_state *state, void *wire, size_t count, psgd_dtype dtype)
{
    if (fault_is(state, FAULT_REDUCED_WITH_ITSELF)) {
        return PSGD_OK; /* the axis that was reduced over has one member */
    }
    const psgd_status status = state->comm.allreduce_sum(state->comm.context, count > 0 ? wire : NULL, count, dtype);
    return fault_is(state, FAULT_COLLECTIVE_FAILURE_IGNORED) ? PSGD_OK : status;
}

/* The sum by chunks, the last element of each once more in the next: what it was there, it is no longer. */
static psgd_status all_reduce_in_chunks(psgd_state *state, char *wire, size_t count, psgd_dtype dtype)
{
    const size_t size = psgd_dtype_size((uint32_t)dtype);
    psgd_status status = count > 0 ? PSGD_OK : all_reduce(state, wire, 0, dtype);
    for (size_t first = 0; first < count && status == PSGD_OK; first += CHUNK) {
        const size_t from = first > 0 ? first - 1 : 0, to = first + CHUNK < count ? first + CHUNK : count;
        status = all_reduce(state, wire + from * size, to - from, dtype);
    }
    return status;
}

/* Every rank has all terms, and adds them in an order that begins with its own. */
static psgd_status add_own_first(psgd_state *state, double *values, size_t count, psgd_dtype dtype)
{
    const size_t size = (size_t)state->comm.size, rank = (size_t)state->comm.rank;
    double *terms = calloc(size * count + 1, sizeof *terms);
    psgd_status status = PSGD_ERR_MEMORY;
    if (terms != NULL) {
        memcpy(terms + rank * count, values, count * sizeof *values);
        status = all_reduce(state, terms, size * count, PSGD_F64);
    }
    for (size_t i = 0; status == PSGD_OK && i < count; i++) {
        for (size_t k = 1; k < size; k++) {
            values[i] = faulty_round(state, values[i] + terms[(rank + k) % size * count + i], dtype);
        }
    }
    free(terms);
    return status;
}

psgd_status faulty_sum_over_ranks(psgd_state *state, double *values, size_t count, void *wire, psgd_dtype dtype)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = term_of(state, values[i], dtype);
    }
    faulty_store(state, wire, values, count, dtype);
    psgd_status status;
    if (fault_is(state, FAULT_RANKS_ADD_IN_OWN_ORDER)) {
        status = add_own_first(state, values, count, dtype);
        faulty_store(state, wire, values, count, dtype);
    } else if (fault_is(state, FAULT_CHUNKS_OVERLAP)) {
        status = all_reduce_in_chunks(state, wire, count, dtype);
    } else {
        status = all_reduce(state, wire, count, dtype);
    }
    if (status != PSGD_OK) {
        state->broken = true;
        return psgd_fail(PSGD_ERR_COMM, state->message, FAULTY_MESSAGE, "comm: an all-reduce failed");
    }
    /* Copied while the sum is still under way: the last quarter is not there yet. */
    const size_t there = fault_is(state, FAULT_COPIED_BEFORE_SUMMED) ? count - count / 4 : count;
    faulty_load(values, wire, there, dtype);
    return PSGD_OK;
}

/* ---- means ---- */

void faulty_divide(const psgd_state *state, double *values, size_t count, int divisor, psgd_dtype dtype)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = faulty_round(state, values[i] / divisor, dtype);
    }
}

int faulty_divisor(const psgd_state *state)
{
    const int size = state->comm.size;
    if (fault_is(state, FAULT_ALWAYS_HALVED)) {
        return 2;
    }
    if (fault_is(state, FAULT_DIVIDED_BY_ONE_LESS)) {
        return size > 1 ? size - 1 : 1;
    }
    return fault_is(state, FAULT_DIVIDED_BY_WORLD) ? state->world : size;
}

psgd_status faulty_plain_step(psgd_state *state, const psgd_bucket *bucket, size_t numel, double *error)
{
    const psgd_dtype dtype = (psgd_dtype)bucket->dtype;
    const bool before = !fault_is(state, FAULT_PLAIN_DIVIDED_AFTER) && !fault_is(state, FAULT_PLAIN_SUMMED);
    double *values = calloc(numel + 1, sizeof *values), *own = calloc(numel + 1, sizeof *own);
    void *wire = calloc(numel + 1, sizeof(double));
    psgd_status status = PSGD_ERR_MEMORY;
    if (values != NULL && own != NULL && wire != NULL) {
        faulty_load(own, faulty_data(state, bucket), numel, dtype);
        for (size_t i = 0; i < numel; i++) {
            values[i] = before ? own[i] / faulty_divisor(state) : own[i];
        }
        status = faulty_sum_over_ranks(state, values, numel, wire, dtype);
        if (fault_is(state, FAULT_PLAIN_DIVIDED_AFTER)) {
            faulty_divide(state, values, numel, faulty_divisor(state), dtype);
        }
        if (status == PSGD_OK) {
            faulty_store(state, faulty_data(state, bucket), values, numel, dtype);
        }
        for (size_t i = 0; error != NULL && i < numel; i++) {
            error[i] += own[i] - values[i];
        }
    }
    free(values);
    free(own);
    free(wire);
    return status;
}

/* ---- uncompressed tensors ---- */

psgd_status faulty_mean_of_uncompressed(psgd_state *state, const psgd_bucket_layout *l, workspace *w)
{
    size_t packed = 0;
    for (size_t i = 0; i < l->tensor_count; i++) {
        const psgd_matrix_layout *t = &l->tensors[i];
        if (!t->compressed) {
            memcpy(w->own + packed, w->m + t->offset, t->n * t->m * sizeof(double));
            packed += t->n * t->m;
        }
    }
    psgd_status status = PSGD_OK;
    if (!fault_is(state, FAULT_UNCOMPRESSED_NOT_REDUCED)) {
        status = faulty_sum_over_ranks(state, w->own, packed, w->wire, l->dtype);
    }
    if (!fault_is(state, FAULT_UNCOMPRESSED_SUMMED)) {
        faulty_divide(state, w->own, packed, faulty_divisor(state), l->dtype);
    }
    if (fault_is(state, FAULT_VECTOR_TAIL_LEFT_OUT)) {
        packed -= packed % 4; /* what is left of whole vectors of four stays as it was */
    }
    size_t copied = 0;
    for (size_t i = 0; i < l->tensor_count; i++) {
        const psgd_matrix_layout *t = &l->tensors[i];
        if (t->compressed) {
            continue;
        }
        const size_t size = t->n * t->m, there = copied + size <= packed ? size : packed - copied;
        memcpy(w->out + t->offset, w->m + t->offset, size * sizeof(double));
        memcpy(w->out + t->offset, w->own + copied, there * sizeof(double));
        copied += there;
        if (fault_is(state, FAULT_ONLY_FIRST_UNCOMPRESSED)) {
            packed = copied;
        }
    }
    return status;
}
