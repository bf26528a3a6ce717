/* faulty_step.c: one layerwise step of PowerSGD, plainly. It and its parts (faulty_step.h) are written apart from ref/,
 * so that the kit's tests judge two implementations; every fault is an `if (fault_is(...))`. */
#include "mutants/faulty_step.h"

#include "core/config.h"

#include <stdlib.h>
#include <string.h>

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
    w->local_q = calloc(l->q_numel + 1, sizeof(double));
    w->own = calloc(l->numel + 1, sizeof(double));
    return w->wire != NULL && w->m != NULL && w->out != NULL && w->p != NULL && w->q != NULL && w->own != NULL &&
           w->local_q != NULL;
}

static void workspace_free(workspace *w)
{
    free(w->wire);
    free(w->m);
    free(w->out);
    free(w->p);
    free(w->q);
    free(w->own);
    free(w->local_q);
}

/* ---- the two sums of factors ---- */

static psgd_status sum_p(psgd_state *state, const psgd_bucket_layout *l, workspace *w)
{
    const psgd_dtype kept = faulty_factor_type(state, l->dtype);
    size_t count = l->p_numel;
    if (fault_is(state, FAULT_P_NOT_REDUCED)) {
        return PSGD_OK;
    }
    if (fault_is(state, FAULT_ONLY_FIRST_REDUCED) && l->compressed_count > 0) {
        const psgd_matrix_layout *first = &l->tensors[l->factor_order[0]];
        count = first->n * first->r;
    }
    const psgd_status status = faulty_sum_over_ranks(state, w->p, count, w->wire, kept);
    if (fault_is(state, HONEST_P_AVERAGED)) {
        faulty_divide(state, w->p, l->p_numel, state->comm.size, kept);
    }
    return status;
}

static psgd_status average_q(psgd_state *state, const psgd_bucket_layout *l, workspace *w)
{
    const psgd_dtype kept = faulty_factor_type(state, l->dtype);
    psgd_status status = PSGD_OK;
    memcpy(w->local_q, w->q, l->q_numel * sizeof(double));
    if (fault_is(state, FAULT_WRONG_BUFFER_REDUCED)) {
        status = faulty_sum_over_ranks(state, w->p, l->p_numel, w->wire, kept);
    } else if (!fault_is(state, FAULT_Q_NOT_REDUCED)) {
        status = faulty_sum_over_ranks(state, w->q, l->q_numel, w->wire, kept);
    }
    if (!fault_is(state, FAULT_Q_NOT_AVERAGED)) {
        faulty_divide(state, w->q, l->q_numel, faulty_divisor(state), kept);
    }
    if (fault_is(state, FAULT_Q_DIVIDED_TWICE)) {
        faulty_divide(state, w->q, l->q_numel, state->comm.size, kept);
    }
    return status;
}

/* P and Q of this step, from the Q that it starts from. */
static psgd_status approximate(psgd_state *state, const psgd_bucket_layout *l, workspace *w)
{
    psgd_status status = faulty_project_left(state, l, w) ? sum_p(state, l, w) : PSGD_ERR_MEMORY;
    if (status == PSGD_OK && !faulty_project_right(state, l, w)) {
        status = PSGD_ERR_MEMORY;
    }
    return status == PSGD_OK ? average_q(state, l, w) : status;
}

/* ---- a step ---- */

/* P and Q before the step: nothing yet, and the Q to start from. */
static psgd_status begin(psgd_state *state, const faulty_bucket *memory, bool is_new, workspace *w)
{
    const psgd_bucket_layout *l = &memory->layout;
    if (faulty_alternates(state)) {
        return faulty_alternate_draw(state, memory, w);
    }
    if (fault_is(state, FAULT_PRODUCT_ADDED)) {
        memcpy(w->p, memory->p, l->p_numel * sizeof(double)); /* a workspace that is used again */
    }
    return faulty_start_q(state, memory, is_new, w->q, w->wire);
}

/* A collective failed. */
static psgd_status give_up(psgd_state *state, faulty_bucket *memory, const workspace *w, psgd_status status)
{
    state->broken = true;
    if (fault_is(state, FAULT_RETRY_ADDS_ERROR_TWICE)) {
        memcpy(memory->error, w->m, memory->layout.numel * sizeof(double)); /* the sum was made in the error's place */
        state->broken = false;
    }
    return status;
}

/* How many elements of the result are written. */
static size_t written(psgd_state *state, const psgd_bucket_layout *l)
{
    if (state->workspace == 0) {
        state->workspace = l->numel;
    }
    return fault_is(state, FAULT_WORKSPACE_OF_FIRST_BUCKET) && state->workspace < l->numel ? state->workspace
                                                                                           : l->numel;
}

static psgd_status compress(psgd_state *state, const psgd_bucket *bucket, faulty_bucket *memory, bool is_new,
                            workspace *w)
{
    const psgd_bucket_layout *l = &memory->layout;
    psgd_status status = begin(state, memory, is_new, w);
    if (status != PSGD_OK) {
        return status; /* no collective has been started */
    }
    faulty_add_error(state, bucket, memory, w);
    status = faulty_mean_of_uncompressed(state, l, w);
    if (status == PSGD_OK) {
        status = faulty_alternates(state) ? faulty_alternate(state, memory, w) : approximate(state, l, w);
    }
    if (status == PSGD_OK) {
        faulty_decompress(state, l, w);
        status = faulty_keep_error(state, bucket, memory, w);
    }
    if (status != PSGD_OK) {
        return give_up(state, memory, w, status);
    }
    faulty_keep_factors(state, memory, w->p, w->q, w->local_q);
    faulty_store(state, faulty_data(state, bucket), w->out, written(state, l), l->dtype);
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
