/* list_selection.h: which tensors are compressed, as which matrices, and where results land. faults.h says what the
 * columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_SELECTION_H
#define CONFORMANCE_MUTANTS_LIST_SELECTION_H

#define FAULTS_SELECTION(X)                                                                                            \
    X(FAULT_SELECTION_NOT_STRICT, "selection-not-strict", "PSGD-SEL-001", ALL_CLAIMS,                                  \
      "A tensor that ties with the rate is compressed: <= for <.")                                                     \
    X(FAULT_RATE_INVERTED, "rate-inverted", "PSGD-SEL-001", ALL_CLAIMS, "The rate divides where it should multiply.")  \
    X(FAULT_SELECTION_BY_WHOLE_RANK, "selection-by-whole-rank", "PSGD-SEL-001", ALL_CLAIMS,                            \
      "The test of the rate takes the configured rank, not the clipped one.")                                          \
    X(FAULT_SELECTION_IN_OTHER_ORDER, "selection-in-other-order", "PSGD-SEL-001", ALL_CLAIMS,                          \
      "The test of the rate is a quotient of doubles, rounded otherwise than the product.")                            \
    X(FAULT_SMALL_TENSORS_LEFT_OUT, "small-tensors-left-out", "PSGD-SEL-001", ALL_CLAIMS,                              \
      "Tensors of fewer than 300 elements are not compressed.")                                                        \
    X(FAULT_TWO_DIMENSIONS_ONLY, "two-dimensions-only", "PSGD-SEL-003", ALL_CLAIMS,                                    \
      "Tensors of more than two dimensions are not compressed.")                                                       \
    X(FAULT_MATRIX_FROM_THE_LAST, "matrix-from-the-last", "PSGD-SEL-003", ALL_CLAIMS,                                  \
      "A tensor is the matrix of all dimensions but the last, times the last.")                                        \
    X(FAULT_MATRIX_COLUMN_MAJOR, "matrix-column-major", "PSGD-SEL-003 PSGD-AGG-004", ALL_CLAIMS,                       \
      "The bucket's elements are taken for column-major matrices.")                                                    \
    X(FAULT_VECTORS_LEFT_OUT, "vectors-left-out", "PSGD-SEL-004", ALL_CLAIMS,                                          \
      "One-dimensional tensors are never compressed.")                                                                 \
    X(FAULT_VECTORS_AS_ROWS, "vectors-as-rows", "PSGD-SEL-004", ALL_CLAIMS,                                            \
      "A one-dimensional tensor is a matrix of one row.")                                                              \
    X(FAULT_NOTHING_COMPRESSED_CRASHES, "nothing-compressed-crashes", "PSGD-SEL-005", ALL_CLAIMS,                      \
      "A bucket with nothing to compress ends in an index below 0.")                                                   \
    X(FAULT_NOTHING_UNCOMPRESSED_CRASHES, "nothing-uncompressed-crashes", "PSGD-SEL-005", ALL_CLAIMS,                  \
      "A bucket with nothing left uncompressed ends in a null pointer.")                                               \
    X(FAULT_EMPTY_TENSOR_ABORTS, "empty-tensor-aborts", "PSGD-SEL-006", ALL_CLAIMS,                                    \
      "A tensor without elements fails an assertion.")                                                                 \
    X(FAULT_SCALAR_ABORTS, "scalar-aborts", "PSGD-SEL-006", ALL_CLAIMS,                                                \
      "A tensor without dimensions fails an assertion.")                                                               \
    X(FAULT_GROUPS_IN_OTHER_ORDER, "groups-in-other-order", "PSGD-SEL-007 PSGD-RND-002", ALL_CLAIMS,                   \
      "Groups of equal shape are kept in a map that is sorted otherwise than first seen.")                             \
    X(FAULT_ABA_SCATTERED, "aba-scattered", "PSGD-SEL-007", ALL_CLAIMS,                                                \
      "Results lie in the order of the factors and are cut up in the order of the bucket: with shapes A,B,A the "      \
      "wrong tensors get them.")

#endif
