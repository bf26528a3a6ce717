/* list_factors.h: orthogonalisation, epsilon, transposes, ranks. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_FACTORS_H
#define CONFORMANCE_MUTANTS_LIST_FACTORS_H

#define FAULTS_FACTORS(X)                                                                                              \
    X(FAULT_BOTH_ORTHONORMAL, "both-orthonormal", "PSGD-AGG-002 PSGD-AGG-005", ALL_CLAIMS,                             \
      "Q is made orthonormal before the result, too: its scale is lost.")                                              \
    X(FAULT_P_NOT_ORTHOGONALIZED, "p-not-orthogonalized", "PSGD-AGG-002 PSGD-ORT-001", ALL_CLAIMS,                     \
      "P is not made orthonormal.")                                                                                    \
    X(FAULT_NOT_PROJECTED, "not-projected", "PSGD-AGG-002 PSGD-ORT-001", ALL_CLAIMS,                                   \
      "Columns are normalised and not made orthogonal.")                                                               \
    X(FAULT_NOT_NORMALIZED, "not-normalized", "PSGD-AGG-002 PSGD-ORT-001", ALL_CLAIMS,                                 \
      "Columns are made orthogonal and not normalised.")                                                               \
    X(FAULT_LAST_COLUMN_LEFT, "last-column-left", "PSGD-AGG-002 PSGD-ORT-001", ALL_CLAIMS,                             \
      "The last column is not orthogonalised.")                                                                        \
    X(FAULT_NEIGHBOURS_ONLY, "neighbours-only", "PSGD-AGG-002 PSGD-ORT-001", OTHER_CLAIMS,                             \
      "A column is made orthogonal to the one before it, not to all before it.")                                       \
    X(FAULT_CLASSICAL_GRAM_SCHMIDT, "classical-gram-schmidt", "PSGD-ORT-001", OTHER_CLAIMS,                            \
      "Classical Gram-Schmidt in one pass, in f32: nearly dependent columns do not come out orthogonal.")              \
    X(FAULT_ALL_BY_GRAM_SCHMIDT, "all-by-gram-schmidt", "PSGD-ORT-003", ALL_CLAIMS,                                    \
      "Gram-Schmidt whatever the rank, under claim torch.")                                                            \
    X(FAULT_QR_FROM_RANK_2, "qr-from-rank-2", "PSGD-ORT-002", ALL_CLAIMS, "QR is used from r = 2 on.")                 \
    X(FAULT_QR_FROM_RANK_4, "qr-from-rank-4", "PSGD-ORT-003", ALL_CLAIMS, "QR is used from r = 4 on.")                 \
    X(FAULT_METHOD_BY_WHOLE_RANK, "method-by-whole-rank", "PSGD-ORT-002", ALL_CLAIMS,                                  \
      "The configured rank chooses the method, not the clipped one.")                                                  \
    X(FAULT_QR_SIGNS_POSITIVE, "qr-signs-positive", "PSGD-ORT-003", ALL_CLAIMS,                                        \
      "QR with a positive diagonal of R, under claim torch.")                                                          \
    X(FAULT_EPSILON_IN_QR, "epsilon-in-qr", "PSGD-ORT-003 PSGD-ORT-001 PSGD-AGG-002", ALL_CLAIMS,                      \
      "Epsilon is added to norms of QR, too.")                                                                         \
    X(FAULT_Q_NEVER_ORTHOGONALIZED, "q-never-orthogonalized", "PSGD-ORT-004 PSGD-ORT-002", ALL_CLAIMS,                 \
      "P = M Q with Q as it is, under claim torch.")                                                                   \
    X(FAULT_WARM_Q_NOT_ORTHOGONALIZED, "warm-q-not-orthogonalized", "PSGD-ORT-004", ALL_CLAIMS,                        \
      "Q is orthogonalised when it is drawn, not when it is kept.")                                                    \
    X(FAULT_EPSILON_AS_MAXIMUM, "epsilon-as-maximum", "PSGD-ORT-002", ALL_CLAIMS,                                      \
      "Columns are divided by max(norm, epsilon), not by norm + epsilon.")                                             \
    X(FAULT_EPSILON_LEFT_OUT, "epsilon-left-out", "PSGD-ORT-002 PSGD-ORT-005 PSGD-CFG-004", ALL_CLAIMS,                \
      "Columns are divided by their norm, whatever epsilon is.")                                                       \
    X(FAULT_EPSILON_HARD_CODED, "epsilon-hard-coded", "PSGD-CFG-004 PSGD-ORT-002 PSGD-AGG-008", ALL_CLAIMS,            \
      "Epsilon is 1e-8 whatever was configured.")                                                                      \
    X(FAULT_EPSILON_WHERE_NONE, "epsilon-where-none", "PSGD-CFG-004 PSGD-AGG-008", ALL_CLAIMS,                         \
      "Epsilon 0 counts as 1e-10.")                                                                                    \
    X(FAULT_EPSILON_IN_ROOT, "epsilon-in-root", "PSGD-ORT-002", ALL_CLAIMS, "Epsilon is added under the root.")        \
    X(FAULT_EPSILON_SQUARED, "epsilon-squared", "PSGD-ORT-002", ALL_CLAIMS,                                            \
      "The square of epsilon is added under the root.")                                                                \
    X(FAULT_EPSILON_RELATIVE, "epsilon-relative", "PSGD-ORT-002 PSGD-CFG-004", ALL_CLAIMS,                             \
      "Epsilon counts as a part of the norm.")                                                                         \
    X(FAULT_EPSILON_FOR_ZERO_ONLY, "epsilon-for-zero-only", "PSGD-ORT-002", ALL_CLAIMS,                                \
      "Epsilon is used where the norm is zero, and there alone.")                                                      \
    X(FAULT_NORM_SQUARED, "norm-squared", "PSGD-AGG-002 PSGD-ORT-001", ALL_CLAIMS,                                     \
      "The root of the sum of squares is forgotten.")                                                                  \
    X(FAULT_NORM_APPROXIMATE, "norm-approximate", "PSGD-AGG-002 PSGD-ORT-001", ALL_CLAIMS,                             \
      "The reciprocal of the root is right to 12 bits.")                                                               \
    X(FAULT_NORM_IN_F32, "norm-in-f32", "PSGD-AGG-002 PSGD-ORT-001", ALL_CLAIMS, "f64's column norms are f32's.")      \
    X(FAULT_SQUARES_OVERFLOW, "squares-overflow", "PSGD-ORT-006", OTHER_CLAIMS,                                        \
      "Squares of f32 are summed in f32, beyond 1e19 as infinity and below 1e-23 as nothing.")                         \
    X(FAULT_NORM_OF_BATCH, "norm-of-batch", "PSGD-BAT-001 PSGD-ORT-001", ALL_CLAIMS,                                   \
      "With batching a single column is divided by the norm over all tensors of its shape.")                           \
    X(FAULT_ZERO_COLUMN_ABORTS, "zero-column-aborts", "PSGD-ORT-005", ALL_CLAIMS,                                      \
      "A column without a norm is taken for a mistake of the program.")                                                \
    X(FAULT_TRANSPOSE_FORGOTTEN, "transpose-forgotten", "PSGD-AGG-002", ALL_CLAIMS,                                    \
      "Q = M P for a square matrix: no shape complains.")                                                              \
    X(FAULT_P_COLUMN_MAJOR, "p-column-major", "PSGD-AGG-002", ALL_CLAIMS,                                              \
      "P comes from the sum as if it lay column by column.")                                                           \
    X(FAULT_RANK_NOT_CLIPPED, "rank-not-clipped", "PSGD-SEL-002 PSGD-AGG-002", ALL_CLAIMS,                             \
      "More columns than a side has: the ones too many are rounding noise, normalised, and count.")

#endif
