/* list_aggregation.h: what is summed over the ranks, and what it is divided by, products included. faults.h says what
 * the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_AGGREGATION_H
#define CONFORMANCE_MUTANTS_LIST_AGGREGATION_H

#define FAULTS_AGGREGATION(X)                                                                                          \
    X(FAULT_P_NOT_REDUCED, "p-not-reduced", "PSGD-AGG-001 PSGD-AGG-002", ALL_CLAIMS,                                   \
      "P is not summed over the ranks: each rank projects on its own gradient.")                                       \
    X(FAULT_Q_NOT_REDUCED, "q-not-reduced", "PSGD-AGG-001 PSGD-AGG-002", ALL_CLAIMS,                                   \
      "Q is not summed over the ranks: each rank keeps its own.")                                                      \
    X(FAULT_Q_NOT_AVERAGED, "q-not-averaged", "PSGD-AGG-002", ALL_CLAIMS,                                              \
      "Q is summed over the ranks and not divided by their number.")                                                   \
    X(FAULT_Q_DIVIDED_TWICE, "q-divided-twice", "PSGD-AGG-002", ALL_CLAIMS,                                            \
      "Q is averaged, then divided by the number of ranks again.")                                                     \
    X(FAULT_WRONG_BUFFER_REDUCED, "wrong-buffer-reduced", "PSGD-AGG-001 PSGD-AGG-002", ALL_CLAIMS,                     \
      "The second sum is taken of P again, not of Q.")                                                                 \
    X(FAULT_ONLY_FIRST_REDUCED, "only-first-tensor-reduced", "PSGD-AGG-001 PSGD-AGG-002", ALL_CLAIMS,                  \
      "P is summed over the ranks for the first tensor of a bucket alone.")                                            \
    X(FAULT_DIVIDED_BY_WORLD, "divided-by-world", "PSGD-AGG-006", ALL_CLAIMS,                                          \
      "A subgroup divides by the size of the world.")                                                                  \
    X(FAULT_DIVIDED_BY_ONE_LESS, "divided-by-one-less", "PSGD-ITR-001", ALL_CLAIMS,                                    \
      "Means are sums divided by W - 1.")                                                                              \
    X(FAULT_ALWAYS_HALVED, "always-halved", "PSGD-ITR-001", ALL_CLAIMS,                                                \
      "Means are sums divided by 2, as in the author's tests, whatever W is.")                                         \
    X(FAULT_REDUCED_WITH_ITSELF, "reduced-with-itself", "PSGD-AGG-001", ALL_CLAIMS,                                    \
      "The mean is taken over the wrong axis of the device mesh, which has one member.")                               \
    X(FAULT_RANK_0_COUNTS_DOUBLE, "rank-0-counts-double", "PSGD-AGG-007 PSGD-ITR-001", ALL_CLAIMS,                     \
      "The root adds its own data before the sum and once more after it.")                                             \
    X(FAULT_LAST_RANKS_LEFT_OUT, "last-ranks-left-out", "PSGD-ITR-001", ALL_CLAIMS,                                    \
      "A sum by halves leaves out the ranks beyond a power of two.")                                                   \
    X(FAULT_RANKS_ADD_IN_OWN_ORDER, "ranks-add-in-own-order", "PSGD-AGG-001", ALL_CLAIMS,                              \
      "Each rank adds the ranks' terms in an order that begins with its own.")                                         \
    X(FAULT_COPIED_BEFORE_SUMMED, "copied-before-summed", "PSGD-AGG-001", ALL_CLAIMS,                                  \
      "The result of a sum is copied before its stream is done: the last quarter is still this rank's.")               \
    X(FAULT_CHUNKS_OVERLAP, "chunks-overlap", "PSGD-ITR-001", ALL_CLAIMS,                                              \
      "A long buffer is summed in chunks that share an element.")                                                      \
    X(FAULT_WIRE_IN_BF16, "wire-in-bf16", "PSGD-AGG-002 PSGD-ITR-001", ALL_CLAIMS, "Values of f32 are sent as bf16.")  \
    X(FAULT_PLAIN_SUMMED, "plain-phase-summed", "PSGD-ITR-001", ALL_CLAIMS,                                            \
      "Before start_iter gradients are summed and not divided.")                                                       \
    X(FAULT_PLAIN_DIVIDED_AFTER, "plain-phase-divided-after", "PSGD-AGG-010", ALL_CLAIMS,                              \
      "Before start_iter gradients are divided after the sum, which may overflow.")                                    \
    X(FAULT_UNCOMPRESSED_SUMMED, "uncompressed-summed", "PSGD-AGG-003", ALL_CLAIMS,                                    \
      "Uncompressed tensors are summed and not divided.")                                                              \
    X(FAULT_UNCOMPRESSED_NOT_REDUCED, "uncompressed-not-reduced", "PSGD-AGG-001", ALL_CLAIMS,                          \
      "Uncompressed tensors are not summed over the ranks.")                                                           \
    X(FAULT_ONLY_FIRST_UNCOMPRESSED, "only-first-uncompressed", "PSGD-AGG-001", ALL_CLAIMS,                            \
      "Of the uncompressed tensors only the first is copied back.")                                                    \
    X(FAULT_VECTOR_TAIL_LEFT_OUT, "vector-tail-left-out", "PSGD-AGG-001", ALL_CLAIMS,                                  \
      "Uncompressed values are copied back four at a time; what is left of them is not.")                              \
    X(FAULT_LAST_ROWS_UNCOVERED, "last-rows-uncovered", "PSGD-AGG-002", ALL_CLAIMS,                                    \
      "P has only rows that whole tiles of 16 cover.")                                                                 \
    X(FAULT_LAST_COLUMNS_UNCOVERED, "last-columns-uncovered", "PSGD-AGG-002", ALL_CLAIMS,                              \
      "Q has only columns of M that whole tiles of 16 cover.")                                                         \
    X(FAULT_RESULT_TAIL_UNCOVERED, "result-tail-uncovered", "PSGD-AGG-001 PSGD-AGG-002", ALL_CLAIMS,                   \
      "The result is written by whole blocks of 128 elements; behind them M stays.")                                   \
    X(FAULT_LAST_COMPONENT_LEFT_OUT, "last-component-left-out", "PSGD-AGG-002 PSGD-AGG-005", ALL_CLAIMS,               \
      "The result is made of r - 1 columns of P and Q.")                                                               \
    X(FAULT_LAST_TENSOR_LEFT_OUT, "last-tensor-left-out", "PSGD-AGG-001 PSGD-AGG-002", ALL_CLAIMS,                     \
      "The last compressed tensor of a bucket keeps this rank's M.")                                                   \
    X(FAULT_INDEX_IN_8_BITS, "index-in-8-bits", "PSGD-AGG-002", ALL_CLAIMS, "Places are counted in 8 bits.")           \
    X(FAULT_INDEX_IN_16_BITS, "index-in-16-bits", "PSGD-AGG-002", ALL_CLAIMS,                                          \
      "Places are counted in 16 bits: a tensor of more than 65536 elements is written over its own beginning.")        \
    X(FAULT_P_SHARED_BY_TENSORS, "p-shared-by-tensors", "PSGD-BAT-001 PSGD-AGG-002", ALL_CLAIMS,                       \
      "All tensors of a bucket write their P to the same place, without waiting for each other.")                      \
    X(FAULT_PRODUCT_ADDED, "product-added", "PSGD-AGG-002 PSGD-WRM-001", ALL_CLAIMS,                                   \
      "P is added to what the workspace holds of the step before.")                                                    \
    X(FAULT_ATOMIC_ADDS, "atomic-adds", "PSGD-NUM-003", ALL_CLAIMS,                                                    \
      "P is summed in the order in which threads happen to come.")                                                     \
    X(FAULT_WORKSPACE_OF_FIRST_BUCKET, "workspace-of-first-bucket", "PSGD-AGG-001 PSGD-AGG-002", ALL_CLAIMS,           \
      "The workspace has the size of the first bucket: what a longer one has beyond that is left as it was.")          \
    X(FAULT_ALIGNMENT_ASSUMED, "alignment-assumed", "PSGD-ROB-002", ALL_CLAIMS,                                        \
      "Buckets are taken to be aligned to 16 bytes: others are read and written beside their place.")                  \
    X(FAULT_GRADIENT_CLIPPED, "gradient-clipped", "PSGD-AGG-008 PSGD-ITR-001", ALL_CLAIMS,                             \
      "Gradients beyond 1000 are clipped.")                                                                            \
    X(FAULT_NAN_TO_ZERO, "nan-to-zero", "PSGD-NUM-001", ALL_CLAIMS, "NaN in a gradient becomes zero.")                 \
    X(FAULT_INFINITY_CLIPPED, "infinity-clipped", "PSGD-NUM-001", ALL_CLAIMS,                                          \
      "Infinity in a gradient becomes a large number.")

#endif
