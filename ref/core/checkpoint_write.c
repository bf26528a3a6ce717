/* checkpoint_write.c: a checkpoint to a file. The format is in CHECKPOINT.md; next: checkpoint_read.c. */
#include "core/checkpoint_metadata.h"
#include "core/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tensors of a file to be. */
typedef struct contents {
    size_t count;
    psgd_tensor *tensors;
    psgd_text *names;      /* one per tensor */
    uint32_t *seeds;       /* [PSGD_SEED_WORDS] */
    uint64_t *buckets;     /* [bucket_count 2] */
    uint64_t **all_shapes; /* [bucket_count], each [tensors 2] */
} contents;

static void contents_free(contents *c, size_t bucket_count)
{
    for (size_t i = 0; c->all_shapes && i < bucket_count; i++) {
        free(c->all_shapes[i]);
    }
    free(c->all_shapes);
    free(c->buckets);
    free(c->seeds);
    free(c->names);
    free(c->tensors);
}

/* Adds a tensor [dim0] or, with dim1 > 0, [dim0 dim1], under the name that stands in its place already. */
static void add(contents *c, psgd_element element, size_t dim0, size_t dim1, const void *data)
{
    c->tensors[c->count] = (psgd_tensor){
        .name = c->names[c->count],
        .element = element,
        .ndim = dim1 > 0 ? 2 : 1,
        .dims = {dim0, dim1},
        .bytes = dim0 * (dim1 > 0 ? dim1 : 1) * psgd_element_size(element),
        .data = data,
    };
    c->count++;
}

static void add_part(contents *c, const char *kind, const psgd_bucket_layout *layout, const void *elements,
                     size_t count)
{
    psgd_checkpoint_name(c->names[c->count], kind, layout->index);
    add(c, (psgd_element)layout->dtype, count, 0, elements);
}

/* False without memory. */
static bool add_bucket(contents *c, uint64_t **shapes, const psgd_checkpoint_bucket *bucket)
{
    const psgd_bucket_layout *layout = &bucket->layout;
    size_t tensor_count;
    const psgd_matrix_layout *tensors = psgd_bucket_layout_own_tensors(layout, &tensor_count);
    *shapes = calloc(tensor_count > 0 ? tensor_count : 1, 2 * sizeof **shapes);
    if (!*shapes) {
        return false;
    }
    for (size_t i = 0; i < tensor_count; i++) {
        (*shapes)[2 * i] = tensors[i].n;
        (*shapes)[2 * i + 1] = tensors[i].m;
    }
    psgd_checkpoint_name(c->names[c->count], "shapes", layout->index);
    add(c, PSGD_ELEMENT_U64, tensor_count, 2, *shapes);
    add_part(c, "p", layout, bucket->p, layout->p_numel);
    add_part(c, "q", layout, bucket->q, layout->q_numel);
    if (bucket->error) {
        add_part(c, "error", layout, bucket->error, layout->error_numel);
    }
    return true;
}

/* False without memory. */
static bool add_all(contents *c, const psgd_checkpoint *checkpoint)
{
    size_t bucket_count = checkpoint->bucket_count, at_least_one = bucket_count > 0 ? bucket_count : 1;
    size_t capacity;
    if (!psgd_size_multiply(4, bucket_count, &capacity) || !psgd_size_add(capacity, 2, &capacity)) {
        return false;
    }
    c->tensors = calloc(capacity, sizeof *c->tensors);
    c->names = calloc(capacity, sizeof *c->names);
    c->seeds = calloc(PSGD_SEED_WORDS, sizeof *c->seeds);
    c->buckets = calloc(at_least_one, 2 * sizeof *c->buckets);
    c->all_shapes = calloc(at_least_one, sizeof *c->all_shapes);
    if (!c->tensors || !c->names || !c->seeds || !c->buckets || !c->all_shapes) {
        return false;
    }
    memcpy(c->seeds, checkpoint->seeds.word, sizeof checkpoint->seeds.word);
    c->seeds[PSGD_SEED_WORDS - 1] = checkpoint->seeds.next;
    snprintf(c->names[c->count], sizeof(psgd_text), "seeds");
    add(c, PSGD_ELEMENT_U32, PSGD_SEED_WORDS, 0, c->seeds);

    for (size_t i = 0; i < bucket_count; i++) {
        c->buckets[2 * i] = checkpoint->buckets[i].layout.index;
        c->buckets[2 * i + 1] = checkpoint->buckets[i].layout.dtype;
    }
    snprintf(c->names[c->count], sizeof(psgd_text), "buckets");
    add(c, PSGD_ELEMENT_U64, bucket_count, 2, c->buckets);
    for (size_t i = 0; i < bucket_count; i++) {
        if (!add_bucket(c, &c->all_shapes[i], &checkpoint->buckets[i])) {
            return false;
        }
    }
    return true;
}

psgd_status psgd_checkpoint_write(const char *path, const psgd_checkpoint *checkpoint, char *message,
                                  size_t message_size)
{
    contents c = {0};
    psgd_text values[PSGD_KEY_COUNT];
    psgd_metadata metadata[PSGD_KEY_COUNT];
    psgd_status status = PSGD_OK;
    if (!add_all(&c, checkpoint)) {
        status = psgd_fail(PSGD_ERR_MEMORY, message, message_size, "no memory to save a checkpoint");
    }
    if (status == PSGD_OK) {
        psgd_checkpoint_describe(values, checkpoint);
        status = psgd_checkpoint_checksum(values, c.tensors, c.count, message, message_size);
    }
    if (status == PSGD_OK) {
        for (int key = 0; key < PSGD_KEY_COUNT; key++) {
            metadata[key] = (psgd_metadata){psgd_checkpoint_keys[key], values[key]};
        }
        status = psgd_safetensors_write(path, c.tensors, c.count, metadata, PSGD_KEY_COUNT, message, message_size);
    }
    contents_free(&c, checkpoint->bucket_count);
    return status;
}
