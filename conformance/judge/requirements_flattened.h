/* requirements_flattened.h: PSGD-FLT. The flattened variant. Read by requirement_table.c. */
REQUIREMENT(.id = "PSGD-FLT-001", .level = LEVEL_MUST, .claims = FLAT, .has_check = true,
            .sentence = "The flattened variant pads the bucket with zeros to a square of side ceil(sqrt(length)) and "
                        "cuts the result "
                        "back to length.",
            .source = hook_flat, .rationale = "Side by floor loses elements.")
REQUIREMENT(.id = "PSGD-FLT-002", .level = LEVEL_MUST, .claims = FLAT, .has_check = true,
            .sentence =
                "The flattened variant refuses a rank above the side, and ignores epsilon and min_compression_rate.",
            .source = hook_flat, .rationale = "The hook's assertion comes after it has changed its state (erratum).")
REQUIREMENT(.id = "PSGD-FLT-003", .level = LEVEL_MUST, .claims = EF | FLAT, .has_check = true,
            .sentence =
                "The padding of the input is zero, and the error of the padding is kept and added in the next step.",
            .source = hook_flat, .rationale = "It feeds the next result.")
