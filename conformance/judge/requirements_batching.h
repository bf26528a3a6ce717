/* requirements_batching.h: PSGD-BAT. Same-shape tensors at once. Read by requirement_table.c. */
REQUIREMENT(.id = "PSGD-BAT-001", .level = LEVEL_MUST, .claims = CORE, .has_check = true,
            .sentence = "Same-shape tensors of a bucket do not leak into each other, and batching them gives the same "
                        "result as not "
                        "batching, given the same Q.",
            .source = hook_step, .rationale = "Norms over a whole batch are a known bug that conservation cannot see.")
