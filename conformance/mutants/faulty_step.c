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

/* P and Q of this step, from the Q that it starts from. */
static psgd_status approximate(psgd_state *state, const psgd_bucket_layout *l, workspace *w)
{
    const psgd_dtype kept = faulty_factor_type(state, l->dtype);
    psgd_status status = faulty_project_left(state, l, w) ? PSGD_OK : PSGD_ERR_MEMORY;
    if (status == PSGD_OK && !fault_is(state, FAULT_P_NOT_REDUCED)) {
        status = faulty_sum_over_ranks(state, w->p, l->p_numel, w->wire, kept);
    }
    if (status == PSGD_OK && fault_is(state, HONEST_P_AVERAGED)) {
        faulty_divide(state, w->p, l->p_numel, state->comm.size, kept);
    }
    if (status == PSGD_OK && !faulty_project_right(state, l, w)) {
        status = PSGD_ERR_MEMORY;
    }
    if (status == PSGD_OK) {
        status = faulty_sum_over_ranks(state, w->q, l->q_numel, w->wire, kept);
    }
    if (status == PSGD_OK) {
        faulty_divide(state, w->q, l->q_numel, state->comm.size, kept);
    }
    if (status == PSGD_OK && fault_is(state, FAULT_Q_DIVIDED_TWICE)) {
        faulty_divide(state, w->q, l->q_numel, state->comm.size, kept);
    }
    return status;
}

static psgd_status compress(psgd_state *state, const psgd_bucket *bucket, faulty_bucket *memory, bool is_new,
                            workspace *w)
{
    const psgd_bucket_layout *l = &memory->layout;
    const bool warm = state->config.warm_start && !is_new && !fault_is(state, FAULT_WARM_START_DEFEATED);
    psgd_status status = PSGD_OK;
    if (faulty_alternates(state)) {
        status = faulty_alternate_draw(state, memory, w);
    } else if (warm) {
        memcpy(w->q, memory->q, l->q_numel * sizeof(double));
    } else {
        status = faulty_draw(state, l, w->q, w->wire);
    }
    if (status != PSGD_OK) {
        return status;
    }
    faulty_add_error(state, bucket, memory, w);
    status = faulty_mean_of_uncompressed(state, l, w);
    if (status == PSGD_OK) {
        status = faulty_alternates(state) ? faulty_alternate(state, memory, w) : approximate(state, l, w);
    }
    if (status != PSGD_OK) {
        state->broken = true; /* collectives have been started */
        return status;
    }
    faulty_decompress(state, l, w);
    faulty_keep_error(state, bucket, memory, w);
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
