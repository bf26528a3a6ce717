/* requirements_numbers.h: PSGD-NUM. NaN, ranges, repeatability. Read by requirement_table.c. */
REQUIREMENT(
        .id = "PSGD-NUM-001", .level = LEVEL_MUST, .claims = CORE, .has_check = true,
        .sentence =
            "NaN or Inf in a gradient stays visible in that tensor's output, and every other tensor stays as it would "
            "have been without it.",
        .source = hook_step, .rationale = "Loss scaling looks for it, and a hidden NaN becomes a wrong model.")
REQUIREMENT(.id = "PSGD-NUM-002", .level = LEVEL_SHOULD, .claims = CORE, .has_check = true,
            .sentence = "Denormal, huge and mixed scales within a bucket are handled like any other.",
            .source = "IEEE 754", .rationale = "Gradients of one model span many orders of magnitude.")
REQUIREMENT(.id = "PSGD-NUM-003", .level = LEVEL_MUST, .claims = DETERMINISM, .has_check = true,
            .sentence = "The same run twice gives the same bits.", .source = psgd_h,
            .rationale = "A failure that cannot be repeated cannot be found.")
REQUIREMENT(
        .id = "PSGD-NUM-004", .level = LEVEL_MUST, .claims = TORCH, .has_check = true,
        .sentence =
            "A dead tensor stays dead: with r' <= 2, epsilon above 0 and warm start, one zero M makes Q and all later "
            "outputs zero.",
        .source = hook_orthogonalise, .rationale = "Compatible means compatible in the unpleasant cases too.")
