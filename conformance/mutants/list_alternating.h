/* list_alternating.h: the alternating variant. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_ALTERNATING_H
#define CONFORMANCE_MUTANTS_LIST_ALTERNATING_H

#define FAULTS_ALTERNATING(X)                                                                                          \
    X(FAULT_NEVER_ALTERNATES, "never-alternates", "PSGD-ALT-001", ALTERNATING_CLAIMS,                                  \
      "It projects on rows at each step.")                                                                             \
    X(FAULT_ALTERNATES_BY_BUCKET, "alternates-by-bucket", "PSGD-ALT-001", ALTERNATING_CLAIMS,                          \
      "Sides change with every bucket, not with every step of a bucket.")                                              \
    X(FAULT_ALTERNATES_BY_PAIRS, "alternates-by-pairs", "PSGD-ALT-001", ALTERNATING_CLAIMS,                            \
      "Each side has two steps in a row.")                                                                             \
    X(FAULT_SIDE_REDRAWN, "side-redrawn", "PSGD-ALT-001", ALTERNATING_CLAIMS,                                          \
      "Steps on rows start from a new Q each time.")                                                                   \
    X(FAULT_FIRST_SIDE_KEPT, "first-side-kept", "PSGD-ALT-001", ALTERNATING_CLAIMS,                                    \
      "Steps on rows start from the first Q each time.")                                                               \
    X(FAULT_ALTERNATING_NOT_AVERAGED, "alternating-not-averaged", "PSGD-ALT-001", ALTERNATING_CLAIMS,                  \
      "The factor of a step is summed and not divided.")                                                               \
    X(FAULT_ALTERNATING_NOT_REDUCED, "alternating-not-reduced", "PSGD-ALT-001 PSGD-AGG-001", ALTERNATING_CLAIMS,       \
      "The factor of a step stays with its rank.")                                                                     \
    X(FAULT_ALTERNATING_NOT_ORTHOGONAL, "alternating-not-orthogonal", "PSGD-ALT-001", ALTERNATING_CLAIMS,              \
      "The kept rows are used as they are, not orthonormal.")                                                          \
    X(FAULT_SIDE_FORGOTTEN, "side-forgotten", "PSGD-CKP-001", ALTERNATING_CLAIMS,                                      \
      "A checkpoint does not hold whose turn it is.")

#endif
