/* list_values.h: types: rounding, precision, ranges. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_VALUES_H
#define CONFORMANCE_MUTANTS_LIST_VALUES_H

#define FAULTS_VALUES(X)                                                                                               \
    X(FAULT_HALF_TRUNCATES, "half-truncates", "PSGD-EF-002", ALL_CLAIMS,                                               \
      "Half types are rounded towards zero, not to nearest.")                                                          \
    X(FAULT_HALF_ERROR_IN_BF16, "half-error-in-bf16", "PSGD-EF-001 PSGD-EF-002", ALL_CLAIMS,                           \
      "The error of an f16 bucket is kept with bf16's 8 digits.")                                                      \
    X(FAULT_HALF_SUMS_IN_HALF, "half-sums-in-half", "PSGD-AGG-002", ALL_CLAIMS,                                        \
      "Products of matrices are summed in the half type, rounded at each addition.")                                   \
    X(FAULT_HALF_FLUSHES_DENORMALS, "half-flushes-denormals", "PSGD-EF-001 PSGD-EF-002", ALL_CLAIMS,                   \
      "Numbers below the normal range of f16 become zero.")                                                            \
    X(FAULT_HALF_QR, "half-qr", "PSGD-ORT-002", ALL_CLAIMS,                                                            \
      "Half types are orthogonalised by Householder QR from r = 3 on.")                                                \
    X(FAULT_HALF_SATURATES, "half-saturates", "PSGD-NUM-001", ALL_CLAIMS,                                              \
      "Infinity becomes the largest number of a half type.")

#endif
