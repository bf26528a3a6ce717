/* requirements_checkpoint.h: PSGD-CKP. Saving and loading. Read by requirement_table.c. */
REQUIREMENT(.id = "PSGD-CKP-001", .level = LEVEL_MUST, .claims = CHECKPOINT, .has_check = true,
            .sentence =
                "A run that is saved, loaded and continued equals the uninterrupted one, bit for bit under the claim "
                "determinism.",
            .source = "powerSGD_hook.py, PowerSGDState.__getstate__()",
            .rationale = "A checkpoint that forgets the error or the counter trains on, slightly wrong.")
REQUIREMENT(
        .id = "PSGD-CKP-002", .level = LEVEL_MUST, .claims = CHECKPOINT, .c_abi_only = true, .has_check = true,
        .sentence =
            "A checkpoint that is truncated, corrupt, foreign, of another version, configuration or rank is refused "
            "clearly, and the live state is untouched; the process group comes from the loader.",
        .source = psgd_h, .rationale = "The hook's pickle takes a flipped bit silently (erratum).")
