/* requirements_iteration.h: PSGD-ITR. When compression starts, the counter, several states. Read by
 * requirement_table.c. */
REQUIREMENT(.id = "PSGD-ITR-001", .level = LEVEL_MUST, .claims = CORE, .has_check = true,
            .sentence = "Steps 0 to start_iter - 1 are a plain mean, and step start_iter is the first compressed one.",
            .source = hook_step, .rationale = "One step early or late is the commonest error of counters.")
REQUIREMENT(.id = "PSGD-ITR-002", .level = LEVEL_MUST, .claims = CORE, .has_check = true,
            .sentence =
                "The counter advances once a step, with the last bucket, in the plain and in the compressed phase.",
            .source = "powerSGD_hook.py, PowerSGDState.maybe_increase_iter()",
            .rationale = "A counter advanced per bucket starts compression within a step.")
REQUIREMENT(.id = "PSGD-ITR-003", .level = LEVEL_MUST, .claims = CORE, .has_check = true,
            .sentence = "The plain phase leaves error memory and factors untouched.", .source = hook_step,
            .rationale =
                "Error gathered in the plain phase enters the first compressed step, where nobody looks for it.")
REQUIREMENT(
        .id = "PSGD-ITR-004", .level = LEVEL_MUST, .claims = CORE, .has_check = true,
        .sentence =
            "The compressed path really runs: statistics, elements on the wire or outputs that differ from the mean "
            "prove it.",
        .source = paper_step, .rationale = "A plain all-reduce passes every check of accuracy.")
REQUIREMENT(
        .id = "PSGD-ITR-005", .level = LEVEL_MUST, .claims = CORE, .c_abi_only = true, .has_check = true,
        .sentence =
            "The layout may change in the plain phase; a bucket whose layout changes after its first compressed step "
            "is refused with a clear error and nothing is harmed, unless error feedback and warm start are both "
            "off.",
        .source = psgd_h,
        .rationale = "Memory of another layout is added to the wrong gradients (the hook does so silently: erratum).")
REQUIREMENT(.id = "PSGD-ITR-006", .level = LEVEL_MUST, .claims = CORE, .c_abi_only = true, .has_check = true,
            .sentence = "Several live states share nothing.", .source = psgd_h,
            .rationale = "Global state shows only when a program has two models.")
