/* faulty_aggregate.c: what goes over the ranks: sums, the plain mean, the uncompressed tensors, with the places where
 * it can be made to go wrong. */
#include "mutants/faulty_step.h"

#include "core/config.h"

#include <stdlib.h>
#include <string.h>

psgd_status faulty_sum_over_ranks(psgd_state *state, double *values, size_t count, void *wire, psgd_dtype dtype)
{
    faulty_store(state, wire, values, count, dtype);
    const psgd_status status = state->comm.allreduce_sum(state->comm.context, count > 0 ? wire : NULL, count, dtype);
    if (status != PSGD_OK) {
        state->broken = true;
        return psgd_fail(PSGD_ERR_COMM, state->message, FAULTY_MESSAGE, "comm: an all-reduce failed");
    }
    faulty_load(values, wire, count, dtype);
    return PSGD_OK;
}

psgd_status faulty_plain_step(psgd_state *state, const psgd_bucket *bucket, size_t numel)
{
    const psgd_dtype dtype = (psgd_dtype)bucket->dtype;
    double *values = calloc(numel + 1, sizeof *values);
    void *wire = calloc(numel + 1, sizeof(double));
    psgd_status status = PSGD_ERR_MEMORY;
    if (values != NULL && wire != NULL) {
        faulty_load(values, bucket->data, numel, dtype);
        for (size_t i = 0; i < numel; i++) {
            values[i] /= state->comm.size;
        }
        status = faulty_sum_over_ranks(state, values, numel, wire, dtype);
        if (status == PSGD_OK) {
            faulty_store(state, bucket->data, values, numel, dtype);
        }
    }
    free(values);
    free(wire);
    return status;
}

void faulty_divide(const psgd_state *state, double *values, size_t count, int divisor, psgd_dtype dtype)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = faulty_round(state, values[i] / divisor, dtype);
    }
}

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
    const psgd_status status = faulty_sum_over_ranks(state, w->own, packed, w->wire, l->dtype);
    faulty_divide(state, w->own, packed, state->comm.size, l->dtype);
    packed = 0;
    for (size_t i = 0; i < l->tensor_count; i++) {
        const psgd_matrix_layout *t = &l->tensors[i];
        if (!t->compressed) {
            memcpy(w->out + t->offset, w->own + packed, t->n * t->m * sizeof(double));
            packed += t->n * t->m;
        }
    }
    return status;
}
