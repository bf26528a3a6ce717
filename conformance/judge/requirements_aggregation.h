/* requirements_aggregation.h: PSGD-AGG. What is summed over the ranks, and what must come out. Read by
 * requirement_table.c. */
REQUIREMENT(.id = "PSGD-AGG-001", .level = LEVEL_MUST, .claims = MULTIRANK, .has_check = true,
            .sentence = "Every rank ends every step with bit-identical output.", .source = paper_step,
            .rationale = "Replicas that differ by one bit drift apart for good.")
REQUIREMENT(
        .id = "PSGD-AGG-002", .level = LEVEL_MUST, .claims = CORE, .layerwise_only = true, .has_check = true,
        .sentence =
            "At epsilon 0 and full-rank M Q the output is the orthogonal projection of the mean of M onto the span of "
            "sum_k M_k Q.",
        .source = paper_step,
        .rationale = "This is what one step computes, whatever the port's factors look like inside.")
REQUIREMENT(.id = "PSGD-AGG-003", .level = LEVEL_MUST, .claims = CORE, .has_check = true,
            .sentence = "Uncompressed tensors hold the mean.", .source = hook_step,
            .rationale = "Biases are easily summed, or forgotten.")
REQUIREMENT(.id = "PSGD-AGG-004", .level = LEVEL_MUST, .claims = CORE, .has_check = true,
            .sentence = "The output of a compressed tensor has rank at most r'.", .source = paper_step,
            .rationale = "More rank than was asked for is more traffic than was asked for.")
REQUIREMENT(.id = "PSGD-AGG-005", .level = LEVEL_MUST, .claims = CORE, .layerwise_only = true, .has_check = true,
            .sentence = "If the mean of M has rank exactly r', the output equals it.", .source = paper_step,
            .rationale = "The projection onto a column space that is complete loses nothing.")
REQUIREMENT(.id = "PSGD-AGG-006", .level = LEVEL_MUST, .claims = SUBGROUP, .has_check = true,
            .sentence = "In a subgroup the divisor and the peers are the group's, not the world's.",
            .source = hook_step, .rationale = "The world's size is what a port has at hand.")
REQUIREMENT(.id = "PSGD-AGG-007", .level = LEVEL_SHOULD, .claims = MULTIRANK, .has_check = true,
            .sentence = "Permuting the ranks changes nothing but rounding.", .source = paper_step,
            .rationale = "A mean has no order; one rank's data that counts more shows here.")
REQUIREMENT(
        .id = "PSGD-AGG-008", .level = LEVEL_MUST, .claims = CORE, .has_check = true,
        .sentence =
            "Scaling all gradients by 2^k scales output and error by 2^k when epsilon is 0, exactly under the claim "
            "determinism for |k| up to 40.",
        .source = paper_step,
        .rationale = "Powers of two commute with rounding, so hard-coded epsilons show at both ends of the scale.")
REQUIREMENT(
        .id = "PSGD-AGG-009", .level = LEVEL_MUST, .claims = WARM, .has_check = true,
        .sentence =
            "On a fixed matrix with a spectral gap and error feedback off, warm-started steps come as near to the best "
            "approximation of rank r' as subspace iteration predicts.",
        .source = "arXiv 1905.13727, section 3, best rank-r approximation by subspace iteration",
        .rationale = "It is the quality that warm start is for.")
REQUIREMENT(.id = "PSGD-AGG-010", .level = LEVEL_SHOULD, .claims = CORE, .has_check = true,
            .sentence = "In the plain phase sums do not overflow where the mean is representable.", .source = hook_step,
            .rationale =
                "The hook divides before it sums there; in compressed steps it sums first and overflows (erratum).")
