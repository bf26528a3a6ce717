/* requirements_alternating.h: PSGD-ALT. The alternating variant. Read by requirement_table.c. */
REQUIREMENT(.id = "PSGD-ALT-001", .level = LEVEL_MUST, .claims = ALTERNATING, .has_check = true,
            .sentence =
                "Left steps project on the columns and right steps on the rows that the previous output left, in turn.",
            .source = "ACP-SGD, and the package of the paper's authors",
            .rationale = "One product a step is enough if the sides really alternate.")
