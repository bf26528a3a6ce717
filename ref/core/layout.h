/* layout.h: how a bucket's tensors become matrices (what every implementation shares and is no algorithm). */
#ifndef PSGD_CORE_LAYOUT_H
#define PSGD_CORE_LAYOUT_H

#include "psgd/psgd.h"

/* One tensor of a bucket as a matrix. */
typedef struct psgd_matrix_layout {
    size_t n, m;     /* rows = first dimension, columns = product of the others (1 if there are none) */
    size_t r;        /* min(n, m, matrix_approximation_rank) */
    size_t offset;   /* of its first element in the bucket's data */
    bool compressed; /* (n + m) r rate < n m, see psgd_is_compressed */
    /* If compressed, else 0: where its P [n x r] and its Q [m x r] begin in the bucket's packed factors, in elements.
     */
    size_t p_offset, q_offset;
} psgd_matrix_layout;

/* A whole bucket. Factors are laid out, and normals drawn, group by group: tensors of equal (n, m) together, groups in
 * the order in which their shape is first seen, batching or not: shapes A,B,A give A,A,B.
 *
 * In the flattened variant (psgd_bucket_layout_flatten) the bucket is one matrix, so that what walks tensors and
 * factors finds one tensor, compressed; the tensors that it was made of stand apart, in flattened. */
typedef struct psgd_bucket_layout {
    size_t index;
    psgd_dtype dtype;
    size_t tensor_count;
    psgd_matrix_layout *tensors; /* in the bucket's order; flattened variant: the one square, side x side */
    size_t *factor_order;        /* [compressed_count]: tensor indices in the order of the factors */
    size_t compressed_count;
    size_t numel;       /* elements in the bucket */
    size_t error_numel; /* elements of its error: numel; flattened variant: side^2, padding included */
    size_t uncompressed_numel;
    size_t p_numel, q_numel; /* elements of the packed factors */
    /* Flattened variant, else 0 and null: */
    size_t side; /* of the smallest square that holds numel elements, at least 1 */
    size_t flattened_count;
    psgd_matrix_layout *flattened; /* the tensors in the bucket's order: n, m and offset alone count */
} psgd_bucket_layout;

/* PowerSGD's selection: true iff low-rank factors are smaller than the matrix by more than the rate. Strict, and in
 * this order of operations: ((n + m) * r) * rate < n * m, where the integers are exact, the product with the rate is a
 * double, and that is compared with n * m exactly (as Python does, whatever their size). False where an integer
 * overflows: no memory holds such a matrix. */
bool psgd_is_compressed(size_t n, size_t m, size_t r, double min_compression_rate);

/* Matricises, selects and groups. Checks the bucket (struct_size, dtype, null pointers, overflow of every product); an
 * argument error's message names the field. An empty tensor (n or m = 0) is never compressed; a 0-dimensional one is 1
 * x 1. *layout is owned by the caller, released by psgd_bucket_layout_free. */
psgd_status psgd_bucket_layout_make(psgd_bucket_layout *layout, const psgd_bucket *bucket,
                                    int64_t matrix_approximation_rank, double min_compression_rate, char *message,
                                    size_t message_size);
void psgd_bucket_layout_free(psgd_bucket_layout *layout);

/* Turns what psgd_bucket_layout_make has made into the layout of the flattened variant: all elements, then zeros, are
 * one row-major side x side matrix with factors of matrix_approximation_rank columns, whatever min_compression_rate is.
 * That rank is not clipped: PSGD_ERR_ARGUMENT if it is above the side (for an empty bucket it always is). On failure
 * *layout is as it was. */
psgd_status psgd_bucket_layout_flatten(psgd_bucket_layout *layout, int64_t matrix_approximation_rank, char *message,
                                       size_t message_size);

/* The bucket's own tensors as matrices, [*count], in either variant. */
const psgd_matrix_layout *psgd_bucket_layout_own_tensors(const psgd_bucket_layout *layout, size_t *count);

/* How many tensors in a row, from place `first` of factor_order on, have the shape of that one: what same-shape
 * batching draws at once. first < compressed_count. */
size_t psgd_bucket_layout_run(const psgd_bucket_layout *layout, size_t first);
/* Same variant and dtype, same matricised shapes in the same order, same ranks and selection. */
bool psgd_bucket_layout_equal(const psgd_bucket_layout *a, const psgd_bucket_layout *b);

/* a * b and a + b; false if they overflow, *result then untouched. */
bool psgd_size_multiply(size_t a, size_t b, size_t *result);
bool psgd_size_add(size_t a, size_t b, size_t *result);

#endif
