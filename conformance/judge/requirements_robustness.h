/* requirements_robustness.h: PSGD-ROB. Arguments, memory, failing collectives. Read by requirement_table.c. */
REQUIREMENT(.id = "PSGD-ROB-001", .level = LEVEL_MUST, .claims = CORE, .c_abi_only = true, .has_check = true,
            .sentence = "Bad arguments give an error code and a message that names the argument, and harm nothing.",
            .source = psgd_h, .rationale = "A library that crashes on a null pointer takes the training run with it.")
REQUIREMENT(.id = "PSGD-ROB-002", .level = LEVEL_MUST, .claims = CORE, .c_abi_only = true, .has_check = true,
            .sentence = "Nothing is written outside the bucket.", .source = psgd_h,
            .rationale = "What lies behind one bucket is the next one.")
REQUIREMENT(
        .id = "PSGD-ROB-003", .level = LEVEL_MUST, .claims = MULTIRANK, .c_abi_only = true, .has_check = true,
        .sentence =
            "A collective that fails is reported on that rank, and the state says that it is broken or is rolled back.",
        .source = psgd_h, .rationale = "The hook leaves G + E in the buffer, so that a retry adds E twice (erratum).")
