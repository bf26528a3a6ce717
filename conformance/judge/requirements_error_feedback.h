/* requirements_error_feedback.h: PSGD-EF. The memory of what was not sent. Read by requirement_table.c. */
REQUIREMENT(.id = "PSGD-EF-001", .level = LEVEL_MUST, .claims = EF, .has_check = true,
            .sentence = "Error feedback conserves: the output plus the mean of E equals the mean of M.",
            .source = paper_loop,
            .rationale = "What is not sent now must be sent later; nothing else makes the method converge.")
REQUIREMENT(.id = "PSGD-EF-002", .level = LEVEL_MUST, .claims = TORCH | EF, .has_check = true,
            .sentence =
                "E_k is the rank's own M_k, old error included, minus the aggregated output, correctly rounded.",
            .source = hook_step,
            .rationale = "Local approximation, mean and raw gradient are the three things that ports take instead.")
REQUIREMENT(.id = "PSGD-EF-003", .level = LEVEL_MUST, .claims = TORCH | EF, .has_check = true,
            .sentence = "E covers uncompressed tensors too, as local value minus mean.", .source = hook_step,
            .rationale = "It cancels in the mean, but a checkpoint holds it.")
REQUIREMENT(.id = "PSGD-EF-004", .level = LEVEL_MUST, .claims = EF, .has_check = true,
            .sentence = "E is overwritten at every step, never accumulated, kept per bucket and not decayed.",
            .source = paper_loop,
            .rationale =
                "An error that is added twice, or shared by two buckets, shows from the third compressed step on.")
REQUIREMENT(.id = "PSGD-EF-005", .level = LEVEL_MUST, .claims = EF, .has_check = true,
            .sentence = "Over a run the outputs and the last mean error add up to the mean gradients.",
            .source = paper_loop, .rationale = "Small leaks that single steps hide add up.")
REQUIREMENT(.id = "PSGD-EF-006", .level = LEVEL_MUST, .claims = EF, .has_check = true,
            .sentence = "E has the type and the precision of its bucket.", .source = hook_step,
            .rationale = "An f32 error memory under f64 gradients loses half of the digits.")
REQUIREMENT(.id = "PSGD-EF-007", .level = LEVEL_MUST, .claims = CORE, .has_check = true,
            .sentence = "With error feedback off, M holds no memory of earlier steps.", .source = hook_step,
            .rationale = "A switch that does nothing is worse than none.")
REQUIREMENT(
        .id = "PSGD-EF-008", .level = LEVEL_MUST, .claims = EF, .has_check = true,
        .sentence =
            "Under constant local gradients the running mean of the outputs tends to the mean gradient like 1/T, and "
            "the mean of E over the ranks stays bounded.",
        .source = paper_loop, .rationale = "It is what error feedback is for, seen over a long run.")
