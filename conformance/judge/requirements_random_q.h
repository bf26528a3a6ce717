/* requirements_random_q.h: PSGD-RND. The Q that is drawn. Read by requirement_table.c. */
REQUIREMENT(.id = "PSGD-RND-001", .level = LEVEL_MUST, .claims = MULTIRANK, .has_check = true,
            .sentence =
                "The ranks use the same Q: with the Q handed in, the results are those of that Q on every rank.",
            .source = hook_step, .rationale = "Different Qs leave the ranks equal and the result wrong.")
REQUIREMENT(.id = "PSGD-RND-002", .level = LEVEL_MUST, .claims = TORCH, .has_check = true,
            .sentence =
                "Q comes from the hook's chain of seeds: NumPy's legacy generator once per initialised bucket, then "
                "PyTorch's CPU normals, tensor by tensor in group order.",
            .source = "powerSGD_hook.py, NumPy RandomState.randint, torch.randn on the CPU",
            .rationale = "A run can be reproduced across implementations only from the same Q.")
REQUIREMENT(.id = "PSGD-RND-003", .level = LEVEL_MUST, .claims = CORE, .c_abi_only = true, .has_check = true,
            .sentence = "The caller's own random state is left untouched.", .source = hook_step,
            .rationale = "A communication library must not change which data a program sees.")
REQUIREMENT(.id = "PSGD-RND-004", .level = LEVEL_SHOULD, .claims = CORE, .c_abi_only = true, .has_check = true,
            .sentence = "A fresh Q is standard normal.", .source = paper_step,
            .rationale = "Another distribution can favour directions.")
