/* checkpoint_save.c: a state to a checkpoint file. The format is in checkpoint.h; next: checkpoint_load.c. */
#include "checkpoint.h"
#include "checkpoint_metadata.h"

#include "core/config.h"
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tensors of a file to be. */
typedef struct contents {
    size_t count;
    psgd_tensor *tensors;
    psgd_text *names; /* [capacity] */
    void **blocks;    /* [capacity], owned: the tensors' data */
} contents;

static void contents_free(contents *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->blocks[i]);
    }
    free(c->tensors);
    free(c->names);
    free(c->blocks);
}

/* Adds a tensor [dim0] or, with dim1 > 0, [dim0 dim1]; returns room for its elements, null without memory. */
static void *add(contents *c, psgd_element element, size_t dim0, size_t dim1)
{
    size_t elements = dim0 * (dim1 > 0 ? dim1 : 1);
    void *block = calloc(elements > 0 ? elements : 1, psgd_element_size(element));
    if (block) {
        c->blocks[c->count] = block;
        c->tensors[c->count] = (psgd_tensor){
            .name = c->names[c->count],
            .element = element,
            .ndim = dim1 > 0 ? 2 : 1,
            .dims = {dim0, dim1},
            .bytes = elements * psgd_element_size(element),
            .data = block,
        };
        c->count++;
    }
    return block;
}

static bool add_values(contents *c, const char *kind, const psgd_bucket_layout *layout, const double *values,
                       size_t count)
{
    psgd_checkpoint_name(c->names[c->count], kind, layout->index);
    void *elements = add(c, (psgd_element)layout->dtype, count, 0);
    if (elements) {
        psgd_value_type_of(layout->dtype)->store(elements, values, count);
    }
    return elements != NULL;
}

static bool add_bucket(contents *c, const psgd_bucket_memory *memory)
{
    const psgd_bucket_layout *layout = &memory->layout;
    psgd_checkpoint_name(c->names[c->count], "shapes", layout->index);
    uint64_t *shapes = add(c, PSGD_ELEMENT_U64, layout->tensor_count, 2);
    for (size_t i = 0; shapes && i < layout->tensor_count; i++) {
        shapes[2 * i] = layout->tensors[i].n;
        shapes[2 * i + 1] = layout->tensors[i].m;
    }
    return shapes && add_values(c, "p", layout, memory->p, layout->p_numel) &&
           add_values(c, "q", layout, memory->q, layout->q_numel) &&
           (!memory->error || add_values(c, "error", layout, memory->error, layout->numel));
}

static bool add_state(contents *c, const psgd_state *state)
{
    size_t bucket_count = 0;
    for (const psgd_bucket_memory *memory = state->memories; memory; memory = memory->next) {
        bucket_count++;
    }
    size_t capacity = 2 + 4 * bucket_count;
    c->tensors = calloc(capacity, sizeof *c->tensors);
    c->names = calloc(capacity, sizeof *c->names);
    c->blocks = calloc(capacity, sizeof *c->blocks);
    if (!c->tensors || !c->names || !c->blocks) {
        return false;
    }
    snprintf(c->names[c->count], sizeof(psgd_text), "seeds");
    uint32_t *seeds = add(c, PSGD_ELEMENT_U32, PSGD_SEED_WORDS, 0);
    if (!seeds) {
        return false;
    }
    memcpy(seeds, state->seeds.word, sizeof state->seeds.word);
    seeds[PSGD_SEED_WORDS - 1] = state->seeds.next;

    snprintf(c->names[c->count], sizeof(psgd_text), "buckets");
    uint64_t *buckets = add(c, PSGD_ELEMENT_U64, bucket_count, 2);
    for (const psgd_bucket_memory *memory = state->memories; memory && buckets; memory = memory->next) {
        *buckets++ = memory->layout.index;
        *buckets++ = memory->layout.dtype;
        if (!add_bucket(c, memory)) {
            return false;
        }
    }
    return buckets != NULL;
}

psgd_status psgd_checkpoint_save(const psgd_state *state, const char *path)
{
    contents c = {0};
    psgd_text values[PSGD_KEY_COUNT];
    psgd_metadata metadata[PSGD_KEY_COUNT];
    psgd_status status = PSGD_OK;
    if (!add_state(&c, state)) {
        status = psgd_fail(PSGD_ERR_MEMORY, state->message, PSGD_MESSAGE_SIZE, "no memory to save a checkpoint");
    }
    if (status == PSGD_OK) {
        psgd_checkpoint_describe(values, state);
        status = psgd_checkpoint_checksum(values, c.tensors, c.count, state->message);
    }
    if (status == PSGD_OK) {
        for (int key = 0; key < PSGD_KEY_COUNT; key++) {
            metadata[key] = (psgd_metadata){psgd_checkpoint_keys[key], values[key]};
        }
        status = psgd_safetensors_write(path, c.tensors, c.count, metadata, PSGD_KEY_COUNT, state->message,
                                        PSGD_MESSAGE_SIZE);
    }
    contents_free(&c);
    return status;
}
