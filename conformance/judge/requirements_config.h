/* requirements_config.h: PSGD-CFG. The configuration and its defaults. Read by requirement_table.c. */
REQUIREMENT(
        .id = "PSGD-CFG-001", .level = LEVEL_MUST, .claims = CORE, .unit_test_only = true, .has_check = true,
        .sentence =
            "The default configuration has rank 1, start_iter 1000, min_compression_rate 2, error feedback and warm "
            "start on, epsilon 0, seed 0, statistics every 10000 iterations and same-shape batching off.",
        .source = hook_state,
        .rationale = "A program that is moved from the hook to this API must not train differently without being told.")
REQUIREMENT(.id = "PSGD-CFG-002", .level = LEVEL_MUST, .claims = TORCH, .c_abi_only = true, .has_check = true,
            .sentence =
                "A start_iter of 0 or 1 is refused when error feedback or warm start is on, and allowed when both are "
                "off.",
            .source = hook_state,
            .rationale =
                "Frameworks rebuild their buckets after the first iteration, and memory of the old layout would be "
                "wrong.")
REQUIREMENT(.id = "PSGD-CFG-003", .level = LEVEL_MUST, .claims = CORE, .c_abi_only = true, .has_check = true,
            .sentence =
                "A rank below 1 and a rate or epsilon that is negative or not finite give a clear error; a statistics "
                "interval below 1 counts as 1; rate 0 is legal and compresses everything that is not empty.",
            .source = psgd_h,
            .rationale = "The hook takes rank 0, rate NaN and epsilon NaN silently and trains on nonsense (errata).")
REQUIREMENT(.id = "PSGD-CFG-004", .level = LEVEL_MUST, .claims = TORCH, .has_check = true,
            .sentence = "The epsilon used is the caller's: nothing is added to column norms when it is 0.",
            .source = hook_orthogonalise,
            .rationale = "Many ports hard-code an epsilon, which bends every small gradient.")
