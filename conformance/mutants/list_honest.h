/* list_honest.h: no faults: other ways of being right. faults.h says what the columns are. What is not the hook's state
 * or result to the last rounding of the type cannot claim torch; nor can a port that hides something. */
#ifndef CONFORMANCE_MUTANTS_LIST_HONEST_H
#define CONFORMANCE_MUTANTS_LIST_HONEST_H

#define OTHER_CLAIMS (ALL_CLAIMS & ~(uint64_t)PSGD_CLAIM_TORCH)
/* The sides in turn: neither the warm start of the layerwise step, nor a square of the bucket. */
#define ALTERNATING_CLAIMS                                                                                             \
    (~(uint64_t)(PSGD_CLAIM_TORCH | PSGD_CLAIM_WARM_START | PSGD_CLAIM_FLATTENED)) /* alternating among them */

#define HONEST_VARIANTS(X)                                                                                             \
    X(FAULT_NONE, "none", "", ALL_CLAIMS, "No fault: the implementation that the others are made from.")               \
    X(HONEST_WIDE_FACTORS, "half-wide-factors", "", ALL_CLAIMS, "P and Q of half types are kept and summed in f32.")   \
    X(HONEST_FLOAT_SUMS, "float-sums", "", ALL_CLAIMS, "Products of matrices are summed in f32.")                      \
    X(HONEST_REVERSED_SUMS, "reversed-sums", "", ALL_CLAIMS, "Sums are in f32 or f64, and begin with the last term.")  \
    X(HONEST_PAIRWISE_SUMS, "pairwise-sums", "", ALL_CLAIMS, "Sums are in f32 or f64, halves first.")                  \
    X(HONEST_COMPENSATED_SUMS, "compensated-sums", "", ALL_CLAIMS,                                                     \
      "Sums are in f32 or f64, their roundings carried along (Kahan).")                                                \
    X(HONEST_FUSED_SUMS, "fused-sums", "", ALL_CLAIMS, "Sums are in f32 or f64 by fused multiply and add.")            \
    X(HONEST_SIGNS_FLIPPED, "signs-flipped", "", OTHER_CLAIMS, "The first column of every factor has another sign.")   \
    X(HONEST_COLUMNS_REVERSED, "columns-reversed", "", OTHER_CLAIMS, "Gram-Schmidt begins with the last column.")      \
    X(HONEST_HOUSEHOLDER, "householder", "", OTHER_CLAIMS, "Householder QR whatever the rank and the type.")           \
    X(HONEST_GRAM_SCHMIDT, "gram-schmidt", "", OTHER_CLAIMS, "Gram-Schmidt whatever the rank.")                        \
    X(HONEST_GRAM_SCHMIDT_TWICE, "gram-schmidt-twice", "", OTHER_CLAIMS, "Gram-Schmidt, and once more.")               \
    X(HONEST_CHOLESKY, "cholesky", "", OTHER_CLAIMS,                                                                   \
      "Columns are made orthonormal by the Cholesky factor of their products, twice, in f64.")                         \
    X(HONEST_Q_NOT_ORTHOGONALIZED, "q-not-orthogonalized", "", OTHER_CLAIMS,                                           \
      "P = M Q with Q as it was left, times a power of two: without, P would have the size of M's square.")            \
    X(HONEST_P_AVERAGED, "p-averaged", "", OTHER_CLAIMS, "P is averaged over the ranks, not summed.")                  \
    X(HONEST_Q_KEPT_AS_SUM, "q-kept-as-sum", "", OTHER_CLAIMS, "The next step starts from the sum of Q.")              \
    X(HONEST_ERROR_OF_OWN_APPROXIMATION, "error-of-own-approximation", "", OTHER_CLAIMS,                               \
      "A rank's error is what its own approximation left out: the mean over the ranks is the same.")                   \
    X(HONEST_NO_ERROR_OF_UNCOMPRESSED, "no-error-of-uncompressed", "", OTHER_CLAIMS,                                   \
      "Tensors that are not compressed have no error: the mean over the ranks is the same.")                           \
    X(HONEST_OWN_Q, "own-q", "", OTHER_CLAIMS, "It takes no q_source.")                                                \
    X(HONEST_OWN_GENERATOR, "own-generator", "", OTHER_CLAIMS, "It takes no q_source and has another generator.")      \
    X(HONEST_HIDES_STATE, "hides-state", "", OTHER_CLAIMS, "It has no peek.")                                          \
    X(HONEST_NO_STATISTICS, "no-statistics", "", OTHER_CLAIMS, "It counts nothing.")                                   \
    X(HONEST_BARE, "bare", "", OTHER_CLAIMS, "It offers what it must: create, step and destroy.")                      \
    X(HONEST_DEVICE, "device", "", ALL_CLAIMS, "Its buckets lie in memory that the host cannot read.")                 \
    X(HONEST_WORKS_IN_WAIT, "works-in-wait", "", ALL_CLAIMS, "Buckets are worked on in wait, in the order of submit.") \
    X(HONEST_ALTERNATING_LEFT, "alternating-left", "", ALTERNATING_CLAIMS,                                             \
      "The alternating variant: first on the columns, from a side of its own.")                                        \
    X(HONEST_ALTERNATING_RIGHT, "alternating-right", "", ALTERNATING_CLAIMS,                                           \
      "The alternating variant: first on the rows, from the Q that is drawn.")

#endif
