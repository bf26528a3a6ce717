/* requirements_async.h: PSGD-ASY. Submit and wait. Read by requirement_table.c. */
REQUIREMENT(.id = "PSGD-ASY-001", .level = LEVEL_MUST, .claims = ASYNC, .has_check = true,
            .sentence =
                "Submitting every bucket of an iteration before waiting for any gives what step gives, whatever "
                "the order of the waits: bit for bit under the claim determinism, but over MPI, whose non-"
                "blocking sums may round differently.",
            .source = psgd_h,
            .rationale = "Overlap with the backward pass is what submit and wait are for; it may not change what is "
                         "trained.")
REQUIREMENT(.id = "PSGD-ASY-002", .level = LEVEL_MUST, .claims = ASYNC, .c_abi_only = true, .has_check = true,
            .sentence = "While a request is pending, step, submit of the same bucket, peek, statistics, save and load "
                        "are refused and change nothing, as are null requests and those of another state; the counter "
                        "advances at the submit of the last bucket; wait frees its request, and destroy completes what "
                        "is pending.",
            .source = psgd_h,
            .rationale = "A call that slips in between two halves of a step works on half of a state.")
