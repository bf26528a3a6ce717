/* requirements_selection.h: PSGD-SEL. Which tensors are compressed, and as which matrices. Read by requirement_table.c.
 */
REQUIREMENT(.id = "PSGD-SEL-001", .level = LEVEL_MUST, .claims = TORCH, .has_check = true,
            .sentence =
                "A tensor is compressed if and only if ((n + m) r') rate < n m, strictly, computed in double in that "
                "order.",
            .source = hook_select,
            .rationale = "Ties and the order of the product decide which tensors are approximated.")
REQUIREMENT(.id = "PSGD-SEL-002", .level = LEVEL_MUST, .claims = CORE, .layerwise_only = true, .has_check = true,
            .sentence =
                "The rank is clipped to min(n, m): a lone matrix with min(n, m) < r at rate 0 comes out as the mean.",
            .source = hook_step, .rationale = "Unclipped factors are singular, or write past the end of their matrix.")
REQUIREMENT(.id = "PSGD-SEL-003", .level = LEVEL_MUST, .claims = TORCH, .has_check = true,
            .sentence =
                "A tensor of any dimension is the matrix with n = its first dimension and m = the product of the rest.",
            .source = hook_step,
            .rationale = "Another way to make a matrix of a convolution's weights gives another approximation.")
REQUIREMENT(.id = "PSGD-SEL-004", .level = LEVEL_MUST, .claims = TORCH, .has_check = true,
            .sentence = "A 1-D tensor is an n x 1 matrix and is selected by the same formula as every other.",
            .source = hook_step, .rationale = "Below rate 1 vectors are compressed too, and statistics count them.")
REQUIREMENT(
        .id = "PSGD-SEL-005", .level = LEVEL_MUST, .claims = CORE, .has_check = true,
        .sentence =
            "A bucket with nothing to compress, one with nothing uncompressed, and a single matrix are handled, also "
            "as whole models.",
        .source = hook_step, .rationale = "Five public ports crash on one of these.")
REQUIREMENT(.id = "PSGD-SEL-006", .level = LEVEL_SHOULD, .claims = CORE, .has_check = true,
            .sentence =
                "A tensor with no elements passes through; a 0-dimensional tensor is one element or a clear error.",
            .source = psgd_h,
            .rationale = "Models do have empty parameters; the hook raises on some after it has counted them (errata).")
REQUIREMENT(.id = "PSGD-SEL-007", .level = LEVEL_MUST, .claims = TORCH, .has_check = true,
            .sentence =
                "Factors are laid out and drawn by matricised shape in first-seen order, and every result lands in its "
                "own tensor.",
            .source = hook_step,
            .rationale = "Shapes A, B, A are the ones that show a port which scatters results in the wrong order.")
