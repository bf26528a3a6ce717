/* requirements_orthogonalization.h: PSGD-ORT. Orthogonal factors, epsilon, columns without a direction. Read by
 * requirement_table.c. */
REQUIREMENT(
        .id = "PSGD-ORT-001", .level = LEVEL_MUST, .claims = CORE, .layerwise_only = true, .has_check = true,
        .sentence =
            "At epsilon 0 (under torch at any epsilon for r' >= 3) P is orthonormal after the step, for full-rank M Q.",
        .source = paper_step, .rationale = "The projection is only one if P is orthonormal.")
REQUIREMENT(
        .id = "PSGD-ORT-002", .level = LEVEL_MUST, .claims = TORCH, .has_check = true,
        .sentence =
            "For r' <= 2, and in half types, P is orthogonalised by modified Gram-Schmidt, each column divided by its "
            "norm plus epsilon, or by its norm when epsilon is 0; the path is chosen per tensor by the clipped r'.",
        .source = hook_orthogonalise, .rationale = "With epsilon the result depends on the method.")
REQUIREMENT(
        .id = "PSGD-ORT-003", .level = LEVEL_MUST, .claims = TORCH, .has_check = true,
        .sentence =
            "For r' >= 3 in f32 and f64, P is orthogonalised by Householder QR with LAPACK's signs, and epsilon is not "
            "used.",
        .source = hook_orthogonalise, .rationale = "Signs and factors are state that a checkpoint hands on.")
REQUIREMENT(.id = "PSGD-ORT-004", .level = LEVEL_MUST, .claims = TORCH, .has_check = true,
            .sentence = "Q is orthogonalised before P = M Q at the first step and at every warm step.",
            .source = hook_step, .rationale = "With epsilon above 0 the output depends on it.")
REQUIREMENT(
        .id = "PSGD-ORT-005", .level = LEVEL_MUST, .claims = CORE, .has_check = true,
        .sentence =
            "Zero, duplicate and nearly dependent columns do no harm: a zero matrix at epsilon above 0 comes out as "
            "zeros; at epsilon 0 and r' <= 2 (without claim torch at any r') zeros or NaN are accepted; nobody "
            "crashes, "
            "hangs or returns stale data.",
        .source = hook_orthogonalise,
        .rationale = "Unused layers have zero gradients, and they stay unused for many steps.")
REQUIREMENT(.id = "PSGD-ORT-006", .level = LEVEL_SHOULD, .claims = CORE, .has_check = true,
            .sentence = "Column norms neither overflow nor underflow for representable columns.",
            .source = "LAPACK, dnrm2",
            .rationale = "The square of an f32 above 1e19 is infinite; the hook's Gram-Schmidt fails there (erratum).")
