/* list_random_q.h: warm start and the random Q. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_RANDOM_Q_H
#define CONFORMANCE_MUTANTS_LIST_RANDOM_Q_H

#define FAULTS_RANDOM_Q(X)                                                                                             \
    X(FAULT_WARM_START_DEFEATED, "warm-start-defeated", "PSGD-WRM-001", ALL_CLAIMS,                                    \
      "Q is drawn afresh at every step although warm start is on.")                                                    \
    X(FAULT_COLD_SECOND_STEP, "cold-second-step", "PSGD-WRM-001", ALL_CLAIMS,                                          \
      "Warm start begins a step late: the second compressed step draws again.")                                        \
    X(FAULT_FIRST_Q_REUSED, "first-q-reused", "PSGD-WRM-001", ALL_CLAIMS,                                              \
      "With warm start every step starts from the first Q.")                                                           \
    X(FAULT_LOCAL_Q_KEPT, "local-q-kept", "PSGD-WRM-001 PSGD-WRM-002 PSGD-AGG-001", ALL_CLAIMS,                        \
      "A rank keeps its own Q, not the averaged one.")                                                                 \
    X(FAULT_Q_SUM_KEPT, "q-sum-kept", "PSGD-WRM-002", ALL_CLAIMS, "Q is kept, and shown, before it is divided.")       \
    X(FAULT_KEPT_Q_IN_F16, "kept-q-in-f16", "PSGD-WRM-001 PSGD-WRM-002", ALL_CLAIMS,                                   \
      "Q is kept with f16's digits whatever the type.")                                                                \
    X(FAULT_Q_OF_OTHER_TENSOR, "q-of-other-tensor", "PSGD-WRM-001", ALL_CLAIMS,                                        \
      "The kept factors of a bucket are read a tensor too late.")                                                      \
    X(FAULT_Q_OF_FIRST_BUCKET, "q-of-first-bucket", "PSGD-WRM-001", ALL_CLAIMS,                                        \
      "Buckets with factors of one size share the first one's Q.")                                                     \
    X(FAULT_P_KEPT_AS_Q, "p-kept-as-q", "PSGD-WRM-001 PSGD-WRM-002", ALL_CLAIMS,                                       \
      "Where P and Q have one size, P is kept for the next step.")                                                     \
    X(FAULT_ALWAYS_WARM, "always-warm", "PSGD-WRM-003", ALL_CLAIMS, "Warm start cannot be switched off.")              \
    X(FAULT_SAME_Q_EVERY_STEP, "same-q-every-step", "PSGD-WRM-003", ALL_CLAIMS,                                        \
      "Without warm start every step starts from the same Q.")                                                         \
    X(FAULT_Q_DIFFERS_BY_RANK, "q-differs-by-rank", "PSGD-RND-001", ALL_CLAIMS,                                        \
      "The ranks do not start from the same Q: each permutes its rows.")                                               \
    X(FAULT_Q_SOURCE_IGNORED, "q-source-ignored", "PSGD-RND-001", ALL_CLAIMS, "The Q that is handed in is not used.")  \
    X(FAULT_SEED_BY_RANK, "seed-by-rank", "PSGD-RND-002", ALL_CLAIMS, "The rank is added to the seed.")                \
    X(FAULT_SEED_BY_BUCKET, "seed-by-bucket", "PSGD-RND-002", ALL_CLAIMS, "The bucket's index is added to the seed.")  \
    X(FAULT_SEED_BY_STEP, "seed-by-step", "PSGD-RND-002", ALL_CLAIMS, "The iteration is added to the seed.")           \
    X(FAULT_SEED_NOT_DRAWN, "seed-not-drawn", "PSGD-RND-002", ALL_CLAIMS,                                              \
      "The configured seed itself seeds the normals; nothing is drawn between.")                                       \
    X(FAULT_SEED_0_REPLACED, "seed-0-replaced", "PSGD-RND-002", ALL_CLAIMS,                                            \
      "Seed 0 counts as none, and another is taken.")                                                                  \
    X(FAULT_SEED_IN_16_BITS, "seed-in-16-bits", "PSGD-RND-002", ALL_CLAIMS, "The configured seed is cut to 16 bits.")  \
    X(FAULT_SEED_BELOW_2_31, "seed-below-2-31", "PSGD-RND-002", ALL_CLAIMS,                                            \
      "Seeds are drawn from all 31 bits, not from the first thousand million.")                                        \
    X(FAULT_SEEDED_ONCE, "seeded-once", "PSGD-RND-002", ALL_CLAIMS,                                                    \
      "The generator of normals is seeded at the first draw only.")                                                    \
    X(FAULT_SEEDED_BY_TENSOR, "seeded-by-tensor", "PSGD-RND-002", ALL_CLAIMS,                                          \
      "The generator of normals is seeded anew for each tensor, with one seed.")                                       \
    X(FAULT_NO_SEED_FOR_NOTHING, "no-seed-for-nothing", "PSGD-RND-002", ALL_CLAIMS,                                    \
      "A bucket with nothing to compress draws no seed.")                                                              \
    X(FAULT_DRAWN_IN_BUCKET_ORDER, "drawn-in-bucket-order", "PSGD-RND-002 PSGD-SEL-007", ALL_CLAIMS,                   \
      "Normals are drawn tensor by tensor in the order of the bucket, not of its groups.")                             \
    X(FAULT_BATCHED_ALWAYS, "batched-always", "PSGD-RND-002", ALL_CLAIMS,                                              \
      "Same-shape tensors are drawn at once with batching off, too.")                                                  \
    X(FAULT_BATCHED_NEVER, "batched-never", "PSGD-RND-002 PSGD-BAT-001", ALL_CLAIMS,                                   \
      "Same-shape tensors are drawn one by one with batching on, too.")                                                \
    X(FAULT_DRAWN_COLUMN_MAJOR, "drawn-column-major", "PSGD-RND-002", ALL_CLAIMS, "Normals fill Q column by column.")  \
    X(FAULT_DRAWN_IN_F32, "drawn-in-f32", "PSGD-RND-002", ALL_CLAIMS, "f64's normals are f32's.")                      \
    X(FAULT_UNIFORM_Q, "uniform-q", "PSGD-RND-002", ALL_CLAIMS, "Q is uniform in 0 .. 1: rand for randn.")             \
    X(FAULT_CENTRED_UNIFORM_Q, "centred-uniform-q", "PSGD-RND-004", OTHER_CLAIMS,                                      \
      "Q is uniform in -1 .. 1 in a port that has its own generator.")                                                 \
    X(FAULT_SIGNS_FOR_Q, "signs-for-q", "PSGD-RND-004", OTHER_CLAIMS,                                                  \
      "Q holds 1 and -1 in a port that has its own generator.")

#endif
