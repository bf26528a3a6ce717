/* layout.c: from a bucket's shapes to matrices, to the choice of which to compress, to places in the packed factors.
 *
 * No arithmetic on gradients here, only on sizes; each product and sum is checked. The order is that of PyTorch's hook:
 * matricise, select, group by matricised shape. Next: the implementation's step, which walks the result.
 */
#include "core/layout.h"

#include "core/config.h"

#include <inttypes.h>
#include <stdlib.h>

/* What an error is told with, and what every tensor of the bucket has in common. */
typedef struct selection_rules {
    size_t rank; /* matrix_approximation_rank */
    double min_compression_rate;
    char *message;
    size_t message_size;
} selection_rules;

bool psgd_size_multiply(size_t a, size_t b, size_t *result)
{
    if (b != 0 && a > SIZE_MAX / b) {
        return false;
    }
    *result = a * b;
    return true;
}

bool psgd_size_add(size_t a, size_t b, size_t *result)
{
    if (a > SIZE_MAX - b) {
        return false;
    }
    *result = a + b;
    return true;
}

bool psgd_is_compressed(size_t n, size_t m, size_t r, double min_compression_rate)
{
    size_t uncompressed, side_sum, compressed;
    if (!psgd_size_multiply(n, m, &uncompressed) || !psgd_size_add(n, m, &side_sum) ||
        !psgd_size_multiply(side_sum, r, &compressed)) {
        return false;
    }
    /* The hook computes in Python: the integers are exact, the product with the rate is a double, and the comparison of
     * that double with the integer n m is exact again, without rounding n m (which shows above 2^53). For 0 <= x < 2^64
     * and an integer u, x < u holds just when x without its fraction is below u. */
    const double threshold = (double)compressed * min_compression_rate;
    return threshold >= 0 && threshold < 0x1p64 && (uint64_t)threshold < uncompressed;
}

/* ---- matricise and select ---- */

/* Rows, columns, rank, offset and selection of tensor i; adds its size to *numel. */
static psgd_status matricise(psgd_matrix_layout *t, size_t *numel, const psgd_shape *shape, size_t i,
                             const selection_rules *rules)
{
    if (shape->ndim > 0 && !shape->dims) {
        return psgd_fail(PSGD_ERR_ARGUMENT, rules->message, rules->message_size,
                         "bucket.shapes[%zu].dims is null, ndim is %zu", i, shape->ndim);
    }
    t->n = shape->ndim > 0 ? shape->dims[0] : 1;
    t->m = 1;
    t->offset = *numel;
    bool fits = true;
    for (size_t d = 1; d < shape->ndim && fits; d++) {
        fits = psgd_size_multiply(t->m, shape->dims[d], &t->m);
    }
    size_t size;
    if (!fits || !psgd_size_multiply(t->n, t->m, &size) || !psgd_size_add(*numel, size, numel)) {
        return psgd_fail(PSGD_ERR_ARGUMENT, rules->message, rules->message_size,
                         "bucket.shapes[%zu] has more elements than fit into memory", i);
    }
    const size_t smaller_side = t->n < t->m ? t->n : t->m;
    t->r = rules->rank < smaller_side ? rules->rank : smaller_side;
    /* An empty tensor never is, at rate 0 neither: 0 < 0 is false. */
    t->compressed = psgd_is_compressed(t->n, t->m, t->r, rules->min_compression_rate);
    return PSGD_OK;
}

/* ---- group ---- */

static bool same_matrix_shape(const psgd_matrix_layout *a, const psgd_matrix_layout *b)
{
    return a->n == b->n && a->m == b->m;
}

static bool is_first_of_its_shape(const psgd_bucket_layout *layout, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (layout->tensors[j].compressed && same_matrix_shape(&layout->tensors[j], &layout->tensors[i])) {
            return false;
        }
    }
    return true;
}

/* Gives every compressed tensor its place in the packed factors; false if their sizes overflow. */
static bool group(psgd_bucket_layout *layout)
{
    for (size_t first = 0; first < layout->tensor_count; first++) {
        if (!layout->tensors[first].compressed || !is_first_of_its_shape(layout, first)) {
            continue;
        }
        for (size_t i = first; i < layout->tensor_count; i++) {
            psgd_matrix_layout *t = &layout->tensors[i];
            if (!t->compressed || !same_matrix_shape(t, &layout->tensors[first])) {
                continue;
            }
            t->p_offset = layout->p_numel;
            t->q_offset = layout->q_numel;
            layout->factor_order[layout->compressed_count++] = i;
            size_t p, q;
            if (!psgd_size_multiply(t->n, t->r, &p) || !psgd_size_add(layout->p_numel, p, &layout->p_numel) ||
                !psgd_size_multiply(t->m, t->r, &q) || !psgd_size_add(layout->q_numel, q, &layout->q_numel)) {
                return false;
            }
        }
    }
    return true;
}

size_t psgd_bucket_layout_run(const psgd_bucket_layout *layout, size_t first)
{
    size_t end = first + 1;
    while (end < layout->compressed_count && same_matrix_shape(&layout->tensors[layout->factor_order[end]],
                                                               &layout->tensors[layout->factor_order[first]])) {
        end++;
    }
    return end - first;
}

/* ---- a bucket ---- */

static psgd_status check_arguments(const psgd_bucket *bucket, int64_t matrix_approximation_rank,
                                   const selection_rules *rules)
{
    if (!bucket) {
        return psgd_fail(PSGD_ERR_ARGUMENT, rules->message, rules->message_size, "bucket is null");
    }
    if (bucket->struct_size < offsetof(psgd_bucket, shapes) + sizeof bucket->shapes) {
        return psgd_fail(PSGD_ERR_ARGUMENT, rules->message, rules->message_size,
                         "bucket.struct_size is %" PRIu32 ": set it to sizeof(psgd_bucket)", bucket->struct_size);
    }
    if (psgd_dtype_size(bucket->dtype) == 0) {
        return psgd_fail(PSGD_ERR_ARGUMENT, rules->message, rules->message_size,
                         "bucket.dtype is %" PRIu32 ", which is no psgd_dtype", bucket->dtype);
    }
    if (bucket->tensor_count > 0 && !bucket->shapes) {
        return psgd_fail(PSGD_ERR_ARGUMENT, rules->message, rules->message_size,
                         "bucket.shapes is null, tensor_count is %zu", bucket->tensor_count);
    }
    if (bucket->tensor_count > SIZE_MAX / sizeof(psgd_matrix_layout)) {
        return psgd_fail(PSGD_ERR_ARGUMENT, rules->message, rules->message_size,
                         "bucket.tensor_count is %zu, more than fit into memory", bucket->tensor_count);
    }
    if (matrix_approximation_rank < 1) {
        return psgd_fail(PSGD_ERR_ARGUMENT, rules->message, rules->message_size,
                         "matrix_approximation_rank is %" PRId64 ", must be at least 1", matrix_approximation_rank);
    }
    if (!(rules->min_compression_rate >= 0)) {
        return psgd_fail(PSGD_ERR_ARGUMENT, rules->message, rules->message_size,
                         "min_compression_rate is %g, must not be negative", rules->min_compression_rate);
    }
    return PSGD_OK;
}

/* Fills a layout whose arrays are there and zero. */
static psgd_status fill(psgd_bucket_layout *layout, const psgd_bucket *bucket, const selection_rules *rules)
{
    for (size_t i = 0; i < layout->tensor_count; i++) {
        psgd_matrix_layout *t = &layout->tensors[i];
        const psgd_status status = matricise(t, &layout->numel, &bucket->shapes[i], i, rules);
        if (status != PSGD_OK) {
            return status;
        }
        layout->uncompressed_numel += t->compressed ? 0 : t->n * t->m;
    }
    layout->error_numel = layout->numel;
    size_t bytes;
    if (!psgd_size_multiply(layout->numel, psgd_dtype_size(bucket->dtype), &bytes) || bytes > PTRDIFF_MAX ||
        !group(layout)) {
        return psgd_fail(PSGD_ERR_ARGUMENT, rules->message, rules->message_size,
                         "bucket.shapes have more elements than fit into memory");
    }
    if (layout->numel > 0 && !bucket->data) {
        return psgd_fail(PSGD_ERR_ARGUMENT, rules->message, rules->message_size,
                         "bucket.data is null, the shapes have %zu elements", layout->numel);
    }
    return PSGD_OK;
}

psgd_status psgd_bucket_layout_make(psgd_bucket_layout *layout, const psgd_bucket *bucket,
                                    int64_t matrix_approximation_rank, double min_compression_rate, char *message,
                                    size_t message_size)
{
    if (!layout) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size, "layout is null");
    }
    *layout = (psgd_bucket_layout){0};
    const selection_rules rules = {
        .rank = (uint64_t)matrix_approximation_rank < SIZE_MAX ? (size_t)matrix_approximation_rank : SIZE_MAX,
        .min_compression_rate = min_compression_rate,
        .message = message,
        .message_size = message_size,
    };
    psgd_status status = check_arguments(bucket, matrix_approximation_rank, &rules);
    if (status != PSGD_OK) {
        return status;
    }
    psgd_bucket_layout made = {
        .index = bucket->index, .dtype = (psgd_dtype)bucket->dtype, .tensor_count = bucket->tensor_count};
    const size_t at_least_one = made.tensor_count > 0 ? made.tensor_count : 1;
    made.tensors = calloc(at_least_one, sizeof *made.tensors);
    made.factor_order = calloc(at_least_one, sizeof *made.factor_order);
    status = made.tensors && made.factor_order
                 ? fill(&made, bucket, &rules)
                 : psgd_fail(PSGD_ERR_MEMORY, message, message_size, "no memory for the layout of %zu tensors",
                             made.tensor_count);
    if (status != PSGD_OK) {
        psgd_bucket_layout_free(&made);
        return status;
    }
    *layout = made;
    return PSGD_OK;
}

void psgd_bucket_layout_free(psgd_bucket_layout *layout)
{
    if (layout) {
        free(layout->tensors);
        free(layout->factor_order);
        free(layout->flattened);
        *layout = (psgd_bucket_layout){0};
    }
}

/* ---- the flattened variant ---- */

/* The smallest side whose square is not below length. In integers, bit by bit: the square root of a double is not exact
 * above 2^52. */
static size_t square_side(size_t length)
{
    size_t root = 0; /* the largest whose square is not above length */
    for (size_t bit = (size_t)1 << (4 * sizeof bit - 1); bit > 0; bit >>= 1) {
        const size_t larger = root | bit;
        root = larger * larger <= length ? larger : root;
    }
    return root * root < length ? root + 1 : root;
}

psgd_status psgd_bucket_layout_flatten(psgd_bucket_layout *layout, int64_t matrix_approximation_rank, char *message,
                                       size_t message_size)
{
    const size_t side = square_side(layout->numel);
    if (matrix_approximation_rank < 1 || (uint64_t)matrix_approximation_rank > side) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size,
                         "config.matrix_approximation_rank is %" PRId64 ", bucket %zu with its %zu elements has a "
                         "square of side %zu: the flattened variant takes 1 .. side",
                         matrix_approximation_rank, layout->index, layout->numel, side);
    }
    const size_t r = (size_t)matrix_approximation_rank;
    size_t padded, factor, bytes;
    if (!psgd_size_multiply(side, side, &padded) || !psgd_size_multiply(side, r, &factor) ||
        !psgd_size_multiply(padded, psgd_dtype_size(layout->dtype), &bytes) || bytes > PTRDIFF_MAX) {
        return psgd_fail(PSGD_ERR_ARGUMENT, message, message_size,
                         "bucket.shapes: the square of side %zu has more elements than fit into memory", side);
    }
    psgd_matrix_layout *square = calloc(1, sizeof *square);
    if (!square) {
        return psgd_fail(PSGD_ERR_MEMORY, message, message_size, "no memory for the layout of a square");
    }
    *square = (psgd_matrix_layout){.n = side, .m = side, .r = r, .compressed = true};
    layout->flattened_count = layout->tensor_count;
    layout->flattened = layout->tensors;
    layout->tensor_count = 1;
    layout->tensors = square;
    layout->factor_order[0] = 0; /* has room for one even if there was no tensor */
    layout->compressed_count = 1;
    layout->error_numel = padded;
    layout->uncompressed_numel = 0;
    layout->p_numel = layout->q_numel = factor;
    layout->side = side;
    return PSGD_OK;
}

const psgd_matrix_layout *psgd_bucket_layout_own_tensors(const psgd_bucket_layout *layout, size_t *count)
{
    *count = layout->side > 0 ? layout->flattened_count : layout->tensor_count;
    return layout->side > 0 ? layout->flattened : layout->tensors;
}

/* ---- comparing ---- */

bool psgd_bucket_layout_equal(const psgd_bucket_layout *a, const psgd_bucket_layout *b)
{
    if (a->dtype != b->dtype || a->side != b->side || a->tensor_count != b->tensor_count ||
        a->flattened_count != b->flattened_count) {
        return false;
    }
    for (size_t i = 0; i < a->tensor_count; i++) {
        const psgd_matrix_layout *s = &a->tensors[i], *t = &b->tensors[i];
        if (!same_matrix_shape(s, t) || s->r != t->r || s->compressed != t->compressed) {
            return false;
        }
    }
    for (size_t i = 0; i < a->flattened_count; i++) {
        if (!same_matrix_shape(&a->flattened[i], &b->flattened[i])) {
            return false;
        }
    }
    return true;
}
