/* faulty_step.c: one step of PowerSGD, plainly, with the places where it can be made to go wrong: every fault is an
 * `if (fault_is(...))`. Written apart from ref/, so that the kit's tests judge two implementations. */
#include "mutants/faulty.h"

#include "core/config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a step works in; one allocation each, all made before anything is changed. */
typedef struct workspace {
    void *wire;      /* [numel or p or q] elements of the type */
    double *m, *out; /* [numel]: M, and the result */
    double *p, *q;   /* packed factors */
    double *own;     /* [numel]: uncompressed tensors, packed; later this rank's own approximation */
} workspace;

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static bool workspace_make(workspace *w, const psgd_bucket_layout *l)
{
    const size_t longest = larger(l->numel, larger(l->p_numel, l->q_numel)) + 1;
    w->wire = calloc(longest, sizeof(double));
    w->m = calloc(l->numel + 1, sizeof(double));
    w->out = calloc(l->numel + 1, sizeof(double));
    w->p = calloc(l->p_numel + 1, sizeof(double));
    w->q = calloc(l->q_numel + 1, sizeof(double));
    w->own = calloc(l->numel + 1, sizeof(double));
    return w->wire != NULL && w->m != NULL && w->out != NULL && w->p != NULL && w->q != NULL && w->own != NULL;
}

static void workspace_free(workspace *w)
{
    free(w->wire);
    free(w->m);
    free(w->out);
    free(w->p);
    free(w->q);
    free(w->own);
}

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

/* result[n m] = p[n r] q[m r]^T */
static void multiply_back(const psgd_state *state, double *result, const double *p, const double *q,
                          const psgd_matrix_layout *t, psgd_dtype dtype)
{
    for (size_t i = 0; i < t->n; i++) {
        for (size_t j = 0; j < t->m; j++) {
            result[i * t->m + j] = faulty_dot(state, p + i * t->r, 1, q + j * t->r, 1, t->r, dtype);
        }
    }
}

static bool project_left(psgd_state *state, const psgd_bucket_layout *l, workspace *w)
{
    for (size_t i = 0; i < l->tensor_count; i++) {
        const psgd_matrix_layout *t = &l->tensors[i];
        if (!t->compressed) {
            continue;
        }
        double *p = w->p + t->p_offset, *q = w->q + t->q_offset;
        if (!faulty_orthogonalize(state, FACTOR_Q, q, t->m, t->r, l->dtype)) {
            return false;
        }
        for (size_t row = 0; row < t->n; row++) {
            for (size_t k = 0; k < t->r; k++) {
                p[row * t->r + k] = faulty_dot(state, w->m + t->offset + row * t->m, 1, q + k, t->r, t->m, l->dtype);
            }
        }
    }
    return true;
}

static bool project_right(psgd_state *state, const psgd_bucket_layout *l, workspace *w)
{
    for (size_t i = 0; i < l->tensor_count; i++) {
        const psgd_matrix_layout *t = &l->tensors[i];
        if (!t->compressed) {
            continue;
        }
        double *p = w->p + t->p_offset, *q = w->q + t->q_offset;
        if (!faulty_orthogonalize(state, FACTOR_P, p, t->n, t->r, l->dtype)) {
            return false;
        }
        for (size_t j = 0; j < t->m; j++) {
            for (size_t k = 0; k < t->r; k++) {
                q[j * t->r + k] = faulty_dot(state, w->m + t->offset + j, t->m, p + k, t->r, t->n, l->dtype);
            }
        }
        multiply_back(state, w->own + t->offset, p, q, t, l->dtype); /* what this rank alone would send */
    }
    return true;
}

static void divide(const psgd_state *state, double *values, size_t count, int divisor, psgd_dtype dtype)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = faulty_round(state, values[i] / divisor, dtype);
    }
}

static psgd_status mean_of_uncompressed(psgd_state *state, const psgd_bucket_layout *l, workspace *w)
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
    divide(state, w->own, packed, state->comm.size, l->dtype);
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

static void decompress(const psgd_state *state, const psgd_bucket_layout *l, workspace *w)
{
    size_t packed = 0; /* results so far, back to back in the order of the factors, in w->wire */
    double *results = w->wire;
    for (size_t i = 0; i < l->compressed_count; i++) {
        const psgd_matrix_layout *t = &l->tensors[l->factor_order[i]];
        multiply_back(state, results + packed, w->p + t->p_offset, w->q + t->q_offset, t, l->dtype);
        if (!fault_is(state, FAULT_ABA_SCATTERED)) {
            memcpy(w->out + t->offset, results + packed, t->n * t->m * sizeof(double));
        }
        packed += t->n * t->m;
    }
    packed = 0;
    for (size_t i = 0; i < l->tensor_count; i++) { /* in the order of the bucket */
        const psgd_matrix_layout *t = &l->tensors[i];
        if (!t->compressed) {
            continue;
        }
        if (fault_is(state, FAULT_ABA_SCATTERED)) {
            memcpy(w->out + t->offset, results + packed, t->n * t->m * sizeof(double));
            packed += t->n * t->m;
        }
        for (size_t j = t->offset; j < t->offset + t->n * t->m; j++) {
            w->out[j] = fault_is(state, FAULT_NAN) ? NAN : faulty_round(state, w->out[j], l->dtype);
        }
    }
}

static void keep_error(psgd_state *state, const psgd_bucket *bucket, faulty_bucket *memory, workspace *w)
{
    const psgd_bucket_layout *l = &memory->layout;
    const bool narrow = fault_is(state, FAULT_HALF_ERROR_IN_BF16);
    if (fault_is(state, FAULT_ERROR_FROM_RAW_GRADIENT)) {
        faulty_load(w->m, bucket->data, l->numel, l->dtype);
    }
    for (size_t i = 0; i < l->tensor_count; i++) {
        const psgd_matrix_layout *t = &l->tensors[i];
        const bool local = fault_is(state, FAULT_ERROR_FROM_LOCAL_APPROXIMATION) && t->compressed;
        const double *reference = local ? w->own : w->out;
        for (size_t j = t->offset; j < t->offset + t->n * t->m; j++) {
            memory->error[j] =
                faulty_round(state, w->m[j] - reference[j], narrow && l->dtype == PSGD_F16 ? PSGD_BF16 : l->dtype);
        }
    }
}

static psgd_status compress(psgd_state *state, const psgd_bucket *bucket, faulty_bucket *memory, bool is_new,
                            workspace *w)
{
    const psgd_bucket_layout *l = &memory->layout;
    const bool warm = state->config.warm_start && !is_new && !fault_is(state, FAULT_WARM_START_DEFEATED);
    psgd_status status = PSGD_OK;
    if (warm) {
        memcpy(w->q, memory->q, l->q_numel * sizeof(double));
    } else {
        status = faulty_draw(state, l, w->q, w->wire);
    }
    if (status != PSGD_OK) {
        return status;
    }
    faulty_load(w->m, bucket->data, l->numel, l->dtype);
    for (size_t i = 0; i < l->numel && state->config.use_error_feedback; i++) {
        w->m[i] = faulty_round(state, w->m[i] + memory->error[i], l->dtype);
    }
    status = mean_of_uncompressed(state, l, w);
    if (status == PSGD_OK && !project_left(state, l, w)) {
        status = PSGD_ERR_MEMORY;
    }
    if (status == PSGD_OK && !fault_is(state, FAULT_P_NOT_REDUCED)) {
        status = faulty_sum_over_ranks(state, w->p, l->p_numel, w->wire, faulty_factor_type(state, l->dtype));
    }
    if (status == PSGD_OK && !project_right(state, l, w)) {
        status = PSGD_ERR_MEMORY;
    }
    if (status == PSGD_OK) {
        status = faulty_sum_over_ranks(state, w->q, l->q_numel, w->wire, faulty_factor_type(state, l->dtype));
    }
    if (status != PSGD_OK) {
        state->broken = true; /* collectives have been started */
        return status;
    }
    divide(state, w->q, l->q_numel, state->comm.size, faulty_factor_type(state, l->dtype));
    if (fault_is(state, FAULT_Q_DIVIDED_TWICE)) {
        divide(state, w->q, l->q_numel, state->comm.size, faulty_factor_type(state, l->dtype));
    }
    decompress(state, l, w);
    keep_error(state, bucket, memory, w);
    memcpy(memory->p, w->p, l->p_numel * sizeof(double));
    memcpy(memory->q, w->q, l->q_numel * sizeof(double));
    faulty_store(state, bucket->data, w->out, l->numel, l->dtype);
    return PSGD_OK;
}

psgd_status faulty_compressed_step(psgd_state *state, const psgd_bucket *bucket, faulty_bucket *memory, bool is_new)
{
    workspace w;
    const psgd_status status = workspace_make(&w, &memory->layout)
                                   ? compress(state, bucket, memory, is_new, &w)
                                   : psgd_fail(PSGD_ERR_MEMORY, state->message, FAULTY_MESSAGE, "no memory for a step");
    workspace_free(&w);
    return status;
}
