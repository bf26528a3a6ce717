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
      "Infinity becomes the largest number of a half type.")                                                           \
    X(FAULT_HALF_NORMS_IN_HALF, "half-norms-in-half", "PSGD-ORT-002 PSGD-AGG-002", ALL_CLAIMS,                         \
      "Sums of squares of half types are rounded to them before the root: f16 overflows from norms of 256 on.")        \
    X(FAULT_HALF_ROUNDS_AWAY, "half-rounds-away", "PSGD-EF-002", ALL_CLAIMS,                                           \
      "Ties are rounded away from zero, not to even.")                                                                 \
    X(FAULT_F16_BY_BF16, "f16-by-bf16", "PSGD-EF-001 PSGD-EF-002 PSGD-AGG-003 PSGD-ITR-001", ALL_CLAIMS,               \
      "f16 is rounded to bf16's digits on its way.")                                                                   \
    X(FAULT_F16_OVERFLOWS_EARLY, "f16-overflows-early", "PSGD-ITR-001 PSGD-AGG-003 PSGD-NUM-002", ALL_CLAIMS,          \
      "f16's largest exponent counts as infinity: everything from 32768 on is lost.")                                  \
    X(FAULT_PRODUCTS_IN_TF32, "products-in-tf32", "PSGD-AGG-002", ALL_CLAIMS,                                          \
      "f32's products take their factors with 11 digits, as tensor cores do.")                                         \
    X(FAULT_PRODUCTS_IN_BF16, "products-in-bf16", "PSGD-AGG-002", ALL_CLAIMS,                                          \
      "f32's products take their factors with bf16's 8 digits.")                                                       \
    X(FAULT_SUMS_IN_F16, "sums-in-f16", "PSGD-AGG-002", ALL_CLAIMS, "f32's products are summed in f16.")               \
    X(FAULT_F64_SUMS_IN_F32, "f64-sums-in-f32", "PSGD-AGG-002", ALL_CLAIMS, "f64's products are summed in f32.")       \
    X(FAULT_F64_IN_F32, "f64-in-f32", "PSGD-AGG-003 PSGD-EF-006 PSGD-ITR-001", ALL_CLAIMS,                             \
      "f64 is computed and kept in f32.")                                                                              \
    X(FAULT_BF16_FLUSHES_DENORMALS, "bf16-flushes-denormals", "PSGD-NUM-002", ALL_CLAIMS,                              \
      "bf16's denormals become zero.")                                                                                 \
    X(FAULT_FLUSHES_DENORMALS, "flushes-denormals", "PSGD-NUM-002", ALL_CLAIMS, "f32's denormals become zero.")

#endif
