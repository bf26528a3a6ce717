/* file_parts.c: sizes, names and lists of tensors for case and result files; see file_parts.h. */
#include "harness/file_parts.h"
#include "harness/case_internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

factor_shape *factor_shapes(const test_case *c)
{
    size_t tensors = 0;
    for (size_t b = 0; b < c->bucket_count; b++)
        tensors += c->tensor_counts[b];
    factor_shape *shapes = calloc(tensors > 0 ? tensors : 1, sizeof *shapes);
    if (shapes == NULL)
        return NULL;
    for (size_t b = 0, first = 0; b < c->bucket_count; first += c->tensor_counts[b++]) {
        if (c->config.variant == PSGD_FLATTENED) {
            const size_t side = case_square_side(c->numel[b]);
            shapes[first] = (factor_shape){side, side, (size_t)c->config.matrix_approximation_rank};
            continue;
        }
        psgd_bucket_layout layout;
        if (!case_bucket_layout(&layout, c, b, NULL, 0)) {
            free(shapes);
            return NULL;
        }
        for (size_t i = 0; i < layout.tensor_count; i++) {
            const psgd_matrix_layout *t = &layout.tensors[i];
            if (t->compressed)
                shapes[first + i] = (factor_shape){t->n, t->m, t->r};
        }
        psgd_bucket_layout_free(&layout);
    }
    return shapes;
}

size_t error_numel(const test_case *c, size_t bucket)
{
    const size_t side = case_square_side(c->numel[bucket]);
    return c->config.variant == PSGD_FLATTENED ? side * side : c->numel[bucket];
}

bool id_is_safe(const char *id)
{
    if (id[0] == '\0' || id[0] == '.' || strlen(id) > 200)
        return false;
    for (; *id != '\0'; id++)
        if (!isalnum((unsigned char)*id) && strchr("._+-", *id) == NULL)
            return false;
    return true;
}

char *ascii_copy(const char *text)
{
    const size_t length = strlen(text);
    char *copy = malloc(length + 1);
    for (size_t i = 0; copy != NULL && i <= length; i++)
        copy[i] = text[i];
    for (size_t i = 0; copy != NULL && i < length; i++)
        if ((unsigned char)copy[i] >= 0x80)
            copy[i] = '?';
    return copy;
}

/* Room for one more, in both arrays: doubled at every power of two. */
static bool make_room(tensor_list *list)
{
    if ((list->count & (list->count - 1)) != 0)
        return true;
    const size_t room = list->count > 0 ? 2 * list->count : 1;
    if (room > SIZE_MAX / sizeof *list->tensors)
        return false;
    psgd_tensor *tensors = realloc(list->tensors, room * sizeof *tensors);
    if (tensors == NULL)
        return false;
    list->tensors = tensors;
    char **names = realloc(list->names, room * sizeof *names);
    if (names == NULL)
        return false;
    list->names = names;
    return true;
}

void tensor_list_add(tensor_list *list, const char *name, const values *v, const size_t *dims, size_t ndim)
{
    if (v->data == NULL || list->out_of_memory)
        return;
    char *copy = malloc(strlen(name) + 1);
    if (copy == NULL || !make_room(list)) {
        free(copy);
        list->out_of_memory = true;
        return;
    }
    memcpy(copy, name, strlen(name) + 1);
    psgd_tensor tensor = {.name = copy,
                          .element = (psgd_element)v->dtype, /* the first four are those of psgd_dtype */
                          .ndim = ndim,
                          .bytes = v->count * psgd_dtype_size(v->dtype),
                          .data = v->data};
    memcpy(tensor.dims, dims, ndim * sizeof *dims);
    list->names[list->count] = copy;
    list->tensors[list->count++] = tensor;
}

void tensor_list_free(tensor_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    free(list->tensors);
    *list = (tensor_list){0};
}
