/* checkpoint.c: see checkpoint.h. The state keeps doubles, the file holds elements of the bucket's dtype
 * (core/values.h). */
#include "checkpoint.h"

#include "core/checkpoint.h"
#include "core/config.h"
#include "core/values.h"

#include <stdlib.h>

/* ---- Save ---- */

/* The values as elements of this dtype, malloc'ed; null without memory. */
static void *elements_of(const double *values, size_t count, psgd_dtype dtype)
{
    void *elements = calloc(count > 0 ? count : 1, psgd_dtype_size((uint32_t)dtype));
    if (elements) {
        psgd_value_type_of(dtype)->store(elements, values, count);
    }
    return elements;
}

/* All that a checkpoint being saved points to: three blocks per bucket. */
static void free_blocks(void **blocks, size_t count)
{
    for (size_t i = 0; blocks && i < count; i++) {
        free(blocks[i]);
    }
    free(blocks);
}

/* Describes the bucket; its elements go into blocks[3]. False without memory. */
static bool describe_bucket(psgd_checkpoint_bucket *bucket, void **blocks, const psgd_bucket_memory *memory)
{
    const psgd_bucket_layout *layout = &memory->layout;
    bucket->layout = *layout;
    bucket->p = blocks[0] = elements_of(memory->p, layout->p_numel, layout->dtype);
    bucket->q = blocks[1] = elements_of(memory->q, layout->q_numel, layout->dtype);
    if (memory->error) {
        bucket->error = blocks[2] = elements_of(memory->error, layout->error_numel, layout->dtype);
    }
    return bucket->p && bucket->q && (bucket->error || !memory->error);
}

psgd_status psgd_checkpoint_save(const psgd_state *state, const char *path)
{
    psgd_checkpoint checkpoint = {
        .config = state->config,
        .rank = state->comm.rank,
        .size = state->comm.size,
        .iteration = state->iteration,
        .next_report = state->next_report,
        .numel_before = state->numel_before,
        .numel_after = state->numel_after,
        .seeds = state->seeds,
    };
    for (const psgd_bucket_memory *memory = state->memories; memory; memory = memory->next) {
        checkpoint.bucket_count++;
    }
    size_t room = checkpoint.bucket_count > 0 ? checkpoint.bucket_count : 1;
    checkpoint.buckets = calloc(room, sizeof *checkpoint.buckets);
    void **blocks = calloc(room, 3 * sizeof *blocks);
    bool complete = checkpoint.buckets && blocks;
    size_t i = 0;
    for (const psgd_bucket_memory *memory = state->memories; memory && complete; memory = memory->next, i++) {
        complete = describe_bucket(&checkpoint.buckets[i], &blocks[3 * i], memory);
    }
    psgd_status status =
        complete ? psgd_checkpoint_write(path, &checkpoint, state->message, PSGD_MESSAGE_SIZE)
                 : psgd_fail(PSGD_ERR_MEMORY, state->message, PSGD_MESSAGE_SIZE, "no memory to save a checkpoint");
    free_blocks(blocks, 3 * checkpoint.bucket_count);
    free(checkpoint.buckets); /* the layouts in it are the state's */
    return status;
}

/* ---- Load ---- */

/* Appends one bucket's memory to the loaded state; takes its layout over. */
static psgd_status load_bucket(psgd_state *loaded, psgd_checkpoint_bucket *bucket, char *message)
{
    const psgd_value_type *type = psgd_value_type_of((uint32_t)bucket->layout.dtype); /* there is one: it was read */
    psgd_bucket_memory *memory = psgd_bucket_memory_new(&bucket->layout, bucket->error != NULL);
    if (!memory) {
        return psgd_fail(PSGD_ERR_MEMORY, message, PSGD_MESSAGE_SIZE, "no memory to load a checkpoint");
    }
    type->load(memory->p, bucket->p, memory->layout.p_numel);
    type->load(memory->q, bucket->q, memory->layout.q_numel);
    if (memory->error) {
        type->load(memory->error, bucket->error, memory->layout.error_numel);
    }
    psgd_state_remember(loaded, memory);
    return PSGD_OK;
}

psgd_status psgd_checkpoint_load(psgd_state *state, const char *path)
{
    psgd_checkpoint checkpoint = {.config = state->config, .rank = state->comm.rank, .size = state->comm.size};
    psgd_status status = psgd_checkpoint_read(&checkpoint, path, state->message, PSGD_MESSAGE_SIZE);
    if (status != PSGD_OK) {
        return status;
    }
    psgd_state *loaded = psgd_state_new(&state->config, &state->comm);
    if (!loaded) {
        psgd_checkpoint_free(&checkpoint);
        return psgd_fail(PSGD_ERR_MEMORY, state->message, PSGD_MESSAGE_SIZE, "no memory to load a checkpoint");
    }
    loaded->iteration = checkpoint.iteration;
    loaded->next_report = checkpoint.next_report;
    loaded->numel_before = checkpoint.numel_before;
    loaded->numel_after = checkpoint.numel_after;
    loaded->seeds = checkpoint.seeds;
    for (size_t i = 0; status == PSGD_OK && i < checkpoint.bucket_count; i++) {
        status = load_bucket(loaded, &checkpoint.buckets[i], state->message);
    }
    if (status == PSGD_OK) {
        /* The whole state changes hands; what is freed below is the old one. */
        psgd_state old = *state;
        *state = *loaded;
        *loaded = old;
    }
    psgd_state_free(loaded);
    psgd_checkpoint_free(&checkpoint);
    return status;
}
