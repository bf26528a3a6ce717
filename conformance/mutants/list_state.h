/* list_state.h: checkpoints, submit and wait. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_STATE_H
#define CONFORMANCE_MUTANTS_LIST_STATE_H

#define FAULTS_STATE(X)                                                                                                \
    X(FAULT_CHECKPOINT_DROPS_ERROR, "checkpoint-drops-error", "PSGD-CKP-001", ALL_CLAIMS,                              \
      "A checkpoint does not bring the error back.")                                                                   \
    X(FAULT_CHECKPOINT_DROPS_FACTORS, "checkpoint-drops-factors", "PSGD-CKP-001", ALL_CLAIMS,                          \
      "A checkpoint does not bring Q back: the next step draws.")                                                      \
    X(FAULT_CHECKPOINT_DROPS_COUNTER, "checkpoint-drops-counter", "PSGD-CKP-001", ALL_CLAIMS,                          \
      "The plain phase begins again after a load.")                                                                    \
    X(FAULT_CHECKPOINT_DROPS_RANDOM, "checkpoint-drops-random", "PSGD-CKP-001", ALL_CLAIMS,                            \
      "The generator of seeds begins again after a load.")                                                             \
    X(FAULT_CHECKPOINT_DROPS_STATISTICS, "checkpoint-drops-statistics", "PSGD-CKP-001 PSGD-STA-001", ALL_CLAIMS,       \
      "Statistics begin again after a load.")                                                                          \
    X(FAULT_CHECKPOINT_DROPS_REPORT, "checkpoint-drops-report", "PSGD-CKP-001 PSGD-STA-002", ALL_CLAIMS,               \
      "A report is due at the first step after a load.")                                                               \
    X(FAULT_CHECKPOINT_OF_FIRST_BUCKET, "checkpoint-of-first-bucket", "PSGD-CKP-001", ALL_CLAIMS,                      \
      "Of several buckets the first alone is saved.")                                                                  \
    X(FAULT_CHECKPOINT_IN_F16, "checkpoint-in-f16", "PSGD-CKP-001", ALL_CLAIMS, "Errors are saved in f16.")            \
    X(FAULT_CHECKPOINT_IN_F32, "checkpoint-in-f32", "PSGD-CKP-001", ALL_CLAIMS, "f64's errors are saved in f32.")      \
    X(FAULT_CUT_FILE_LOADED, "cut-file-loaded", "PSGD-CKP-002", ALL_CLAIMS,                                            \
      "What a file lacks at its end counts as zeros.")                                                                 \
    X(FAULT_CORRUPT_FILE_LOADED, "corrupt-file-loaded", "PSGD-CKP-002", ALL_CLAIMS, "Nobody looks at the checksum.")   \
    X(FAULT_LONGER_FILE_LOADED, "longer-file-loaded", "PSGD-CKP-002", ALL_CLAIMS,                                      \
      "What follows the checkpoint in its file is not looked at.")                                                     \
    X(FAULT_FOREIGN_FILE_IGNORED, "foreign-file-ignored", "PSGD-CKP-002", ALL_CLAIMS,                                  \
      "Loading what is no checkpoint does nothing, and says that all is well.")                                        \
    X(FAULT_MISSING_FILE_IGNORED, "missing-file-ignored", "PSGD-CKP-002", ALL_CLAIMS,                                  \
      "Loading a file that is not there does nothing, and says that all is well.")                                     \
    X(FAULT_OTHER_RANK_LOADED, "other-rank-loaded", "PSGD-CKP-002", ALL_CLAIMS,                                        \
      "Another rank's checkpoint is taken for this one's.")                                                            \
    X(FAULT_OTHER_SIZE_LOADED, "other-size-loaded", "PSGD-CKP-002", ALL_CLAIMS,                                        \
      "A checkpoint of a group of another size is loaded.")                                                            \
    X(FAULT_OTHER_CONFIG_LOADED, "other-config-loaded", "PSGD-CKP-002", ALL_CLAIMS,                                    \
      "A checkpoint of another configuration is loaded.")                                                              \
    X(FAULT_FAILED_LOAD_CLEARS, "failed-load-clears", "PSGD-CKP-002", ALL_CLAIMS,                                      \
      "A load that fails leaves the state empty.")                                                                     \
    X(FAULT_FAILED_LOAD_BREAKS, "failed-load-breaks", "PSGD-CKP-002", ALL_CLAIMS,                                      \
      "After a load that failed the state cannot be used.")                                                            \
    X(FAULT_FAILED_LOAD_SILENT, "failed-load-silent", "PSGD-CKP-002", ALL_CLAIMS, "A load that fails says nothing.")   \
    X(FAULT_WAIT_TAKES_OLDEST, "wait-takes-oldest", "PSGD-ASY-001 PSGD-ASY-002", ALL_CLAIMS,                           \
      "wait finishes the oldest request, whichever is waited for.")                                                    \
    X(FAULT_WORK_IN_ORDER_OF_WAITS, "work-in-order-of-waits", "PSGD-ASY-001 PSGD-ASY-002", ALL_CLAIMS,                 \
      "Buckets are worked on in the order of the waits.")                                                              \
    X(FAULT_SHAPES_READ_IN_WAIT, "shapes-read-in-wait", "PSGD-ASY-001 PSGD-ASY-002", ALL_CLAIMS,                       \
      "The caller's shapes are read in wait, when they may be gone.")                                                  \
    X(FAULT_COUNTER_IN_WAIT, "counter-in-wait", "PSGD-ASY-001 PSGD-ASY-002", ALL_CLAIMS,                               \
      "The iteration ends at the wait for its last bucket, not at the submit.")                                        \
    X(FAULT_STEP_WHILE_PENDING, "step-while-pending", "PSGD-ASY-002", ALL_CLAIMS,                                      \
      "step is taken while a request is pending.")                                                                     \
    X(FAULT_PEEK_WHILE_PENDING, "peek-while-pending", "PSGD-ASY-002", ALL_CLAIMS,                                      \
      "peek answers while a request is pending.")                                                                      \
    X(FAULT_STATISTICS_WHILE_PENDING, "statistics-while-pending", "PSGD-ASY-002", ALL_CLAIMS,                          \
      "statistics answers while a request is pending.")                                                                \
    X(FAULT_SAVE_WHILE_PENDING, "save-while-pending", "PSGD-ASY-002", ALL_CLAIMS,                                      \
      "save works while a request is pending.")                                                                        \
    X(FAULT_LOAD_WHILE_PENDING, "load-while-pending", "PSGD-ASY-002", ALL_CLAIMS,                                      \
      "load works while a request is pending.")                                                                        \
    X(FAULT_BUCKET_SUBMITTED_TWICE, "bucket-submitted-twice", "PSGD-ASY-002", ALL_CLAIMS,                              \
      "A bucket that is pending is taken again.")                                                                      \
    X(FAULT_UNKNOWN_REQUEST_ACCEPTED, "unknown-request-accepted", "PSGD-ASY-002", ALL_CLAIMS,                          \
      "wait for a request that is not pending says that all is well.")                                                 \
    X(FAULT_DESTROY_DROPS, "destroy-drops", "PSGD-ASY-002", ALL_CLAIMS,                                                \
      "destroy forgets what is pending; its sums are never made.")

#endif
