/* requirements_files.h: PSGD-FIL. Results in files. Read by requirement_table.c. */
REQUIREMENT(.id = "PSGD-FIL-001", .level = LEVEL_MUST, .claims = CORE, .files_only = true, .has_check = true,
            .sentence = "Each exported case whose claims are tested has a result that can be read and is whole: every "
                        "rank's status, and an output of every step that the rank did.",
            .source = "FILES.md", .rationale = "A case without a result is not a case passed.")
REQUIREMENT(.id = "PSGD-FIL-002", .level = LEVEL_MUST, .claims = CORE, .files_only = true, .has_check = true,
            .sentence = "A result is of the case and the rank that its file's name says and is there once, and no "
                        "other cases or results are in the folder.",
            .source = "FILES.md",
            .rationale = "What was copied, renamed or left over from an earlier run shows nothing of this one.")
REQUIREMENT(.id = "PSGD-FIL-003", .level = LEVEL_MUST, .claims = CORE, .files_only = true, .has_check = true,
            .sentence = "All results in a folder name the same producer, version and claims.", .source = "FILES.md",
            .rationale = "A verdict is on one port: the best results of two are the results of neither.")
REQUIREMENT(.id = "PSGD-FIL-004", .level = LEVEL_MUST, .claims = CORE, .files_only = true, .has_check = true,
            .sentence = "A case file that is there is the one that was exported, to the bit.", .source = "FILES.md",
            .rationale = "A port that was given other gradients cannot be judged by these.")
REQUIREMENT(.id = "PSGD-FIL-010", .level = LEVEL_MUST, .claims = CORE, .files_only = true, .has_check = true,
            .sentence = "The command of --exec ends by itself, with status 0, within its time.", .source = "FILES.md",
            .rationale = "What a program leaves that failed is what it had when it failed.")
