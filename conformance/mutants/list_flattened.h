/* list_flattened.h: the flattened variant. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_FLATTENED_H
#define CONFORMANCE_MUTANTS_LIST_FLATTENED_H

#define FAULTS_FLATTENED(X)                                                                                            \
    X(FAULT_FLAT_PADDING_NOT_ZEROED, "flat-padding-not-zeroed", "PSGD-FLT-001", ALL_CLAIMS,                            \
      "Flattened: the padding holds what happened to be there, not zeros.")                                            \
    X(FAULT_FLAT_WRITES_PADDING, "flat-writes-padding", "PSGD-ROB-002", ALL_CLAIMS,                                    \
      "Flattened: the result is not cut back, its padding is written behind the bucket.")                              \
    X(FAULT_FLAT_SIDE_BY_FLOOR, "flat-side-by-floor", "PSGD-FLT-001", ALL_CLAIMS,                                      \
      "Flattened: the side is the root of the length rounded down; the rest is lost.")                                 \
    X(FAULT_FLAT_SIDE_TO_NEAREST, "flat-side-to-nearest", "PSGD-FLT-001", ALL_CLAIMS,                                  \
      "Flattened: the side is the root of the length rounded to nearest; some elements may be lost.")                  \
    X(FAULT_FLAT_SIDE_PLUS_ONE, "flat-side-plus-one", "PSGD-FLT-001", ALL_CLAIMS,                                      \
      "Flattened: the side is the root rounded down, plus one: square lengths are padded too.")                        \
    X(FAULT_FLAT_COLUMN_MAJOR, "flat-column-major", "PSGD-FLT-001 PSGD-AGG-002 PSGD-AGG-004", ALL_CLAIMS,              \
      "Flattened: the square is filled column by column.")                                                             \
    X(FAULT_FLAT_LAST_ROW_LEFT_OUT, "flat-last-row-left-out", "PSGD-FLT-001 PSGD-AGG-001", ALL_CLAIMS,                 \
      "Flattened: the square's last row, filled in part, is not written back.")                                        \
    X(FAULT_FLAT_PADDING_ERROR_DROPPED, "flat-padding-error-dropped", "PSGD-FLT-003", ALL_CLAIMS,                      \
      "Flattened: the error of the padding is forgotten.")                                                             \
    X(FAULT_FLAT_PADDING_ERROR_NOT_ADDED, "flat-padding-error-not-added", "PSGD-FLT-003", ALL_CLAIMS,                  \
      "Flattened: the error of the padding is kept, but not added.")                                                   \
    X(FAULT_FLAT_EPSILON_USED, "flat-epsilon-used", "PSGD-FLT-002", ALL_CLAIMS,                                        \
      "Flattened: the configured epsilon is added to column norms.")                                                   \
    X(FAULT_FLAT_RANK_CLIPPED, "flat-rank-clipped", "PSGD-FLT-002", ALL_CLAIMS,                                        \
      "Flattened: a rank above the side is clipped to it, not refused.")                                               \
    X(FAULT_FLAT_RANK_REFUSED_LATE, "flat-rank-refused-late", "PSGD-FLT-002", ALL_CLAIMS,                              \
      "Flattened: a rank above the side is refused after Q was drawn and the bucket counted.")                         \
    X(FAULT_FLAT_RANK_REFUSED_EARLY, "flat-rank-refused-early", "PSGD-FLT-002", ALL_CLAIMS,                            \
      "Flattened: a rank above the side is refused in the plain phase already.")                                       \
    X(FAULT_FLAT_RATE_USED, "flat-rate-used", "PSGD-FLT-002", ALL_CLAIMS,                                              \
      "Flattened: a bucket is compressed only if min_compression_rate says that it pays.")                             \
    X(FAULT_FLAT_STATISTICS_PADDED, "flat-statistics-padded", "PSGD-STA-001", ALL_CLAIMS,                              \
      "Flattened: the padding is counted among the elements before compression.")

#endif
