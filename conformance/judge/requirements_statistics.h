/* requirements_statistics.h: PSGD-STA. Counts and their reports. Read by requirement_table.c. */
REQUIREMENT(
        .id = "PSGD-STA-001", .level = LEVEL_MUST, .claims = TORCH, .has_check = true,
        .sentence =
            "Statistics count, from the first compressed step on, n m elements before and (n + m) r' or n m after per "
            "tensor (flattened: the bucket's length before, 2 side r after); the rate is their quotient, 0 when "
            "nothing "
            "was counted.",
        .source = "powerSGD_hook.py, PowerSGDState.compression_stats()",
        .rationale = "They are how a user sees what the rate buys.")
REQUIREMENT(
        .id = "PSGD-STA-002", .level = LEVEL_MUST, .claims = TORCH, .c_abi_only = true, .has_check = true,
        .sentence =
            "Reports come at the last bucket of the first compressed step and then every `frequency` iterations, after "
            "that bucket was counted.",
        .source = "powerSGD_hook.py, _report_compression_stats()",
        .rationale = "Reports of the wrong step cannot be compared.")
