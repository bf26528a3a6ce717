/* requirements_warm_start.h: PSGD-WRM. Which Q a step starts from. Read by requirement_table.c. */
REQUIREMENT(.id = "PSGD-WRM-001", .level = LEVEL_MUST, .claims = WARM, .has_check = true,
            .sentence =
                "The Q of a step spans what the step before left; on a fixed matrix with error feedback off the error "
                "never rises beyond rounding.",
            .source = "arXiv 1905.13727, section 3, warm start",
            .rationale = "A Q that is drawn afresh or reused from the first step gives good-looking but worse results.")
REQUIREMENT(.id = "PSGD-WRM-002", .level = LEVEL_MUST, .claims = TORCH | WARM, .has_check = true,
            .sentence = "The Q that is kept is the averaged one.", .source = hook_step,
            .rationale = "Its scale meets epsilon at the next step, and checkpoints hold it.")
REQUIREMENT(.id = "PSGD-WRM-003", .level = LEVEL_MUST, .claims = CORE, .layerwise_only = true, .has_check = true,
            .sentence = "With warm start off every step starts from a new Q, different from the last, without memory.",
            .source = hook_step, .rationale = "The same Q at every step never sees the rest of the matrix.")
