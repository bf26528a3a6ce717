#!/usr/bin/python3
"""PyTorch's own hook, judged by the kit as any Python port is, on problems that no golden file is of: it conforms. Then
faulty hooks, each found by the requirement that it breaks.

    fresh.py KIT      KIT: psgd-conform; exit status 0, 1, 77 (no PyTorch here)

The problems of fresh_problems.txt go through `run --exec`, random ones through `export` and `check`. The largest ratios
to the limits are printed.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.dirname(TESTS)
sys.path.insert(0, GOLDEN)
import generate
from psgd_golden import SKIP, cases, processes, results

HOOK = "torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook:powerSGD_hook"
CLAIMS = "core ef warm torch f64 multirank"
RANDOM, SEED = 40, 4242
LEAST = 60  # cases that PyTorch's hook must have been judged on

FAULTS = {
    "forgets_error": "PSGD-EF-004",
    "sums": "PSGD-ITR-001",
    "other_seed": "PSGD-RND-002",
    "cold_start": "PSGD-WRM-001",
    "left_out_orthogonalisation": "PSGD-AGG-002",
    "moves_elements": "PSGD-AGG-004",
}
FAULTY_PROBLEMS = ("W2/r2/f32/[24x40,17]/grad=decay:0.6/seed=1", "W2/r1/f32/[24x40,40x24]/grad=decay:0.8/seed=2")


def kit(*words):
    """Runs psgd-conform: exit status and what it said."""
    done = subprocess.run([sys.argv[1], *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def judge(*words):
    """Exit status, output and JSON report of a command that judges."""
    with tempfile.TemporaryDirectory(prefix="psgd-fresh-") as folder:
        path = os.path.join(folder, "report.json")
        code, said = kit(*words, "--report", f"json={path}")
        if not os.path.exists(path):
            return code, said, None
        with open(path, encoding="utf-8") as file:
            return code, said, json.load(file)


def export(folder, *words):
    code, said = kit("export", folder, "--claims", CLAIMS, *words)
    assert code == 0, said


def as_options(problems):
    return [word for problem in problems for word in ("--case", problem)]


def read_problems():
    with open(os.path.join(TESTS, "fresh_problems.txt"), encoding="utf-8") as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


def run_hook(folder, hook):
    """What generate.py --hook does, without its look at the set-up: that takes another start of PyTorch."""
    with tempfile.TemporaryDirectory(prefix="psgd-fresh-") as scratch:
        for outcome in generate.run_sets(cases.find(folder), scratch, 60, hook=hook):
            results.write_result(outcome, folder, hook, "of the test", CLAIMS)


def judge_exec():
    """PyTorch's hook on the listed problems, as the command of `run --exec`."""
    command = [sys.executable, os.path.join(GOLDEN, "generate.py"), "--hook", HOOK, "--claims", CLAIMS]
    return judge("run", "--exec", shlex.join(command), "--claims", CLAIMS, *as_options(read_problems()))


def judge_files():
    """PyTorch's hook on random problems, by export and check."""
    with tempfile.TemporaryDirectory(prefix="psgd-fresh-") as folder:
        export(folder, *as_options(read_problems()[:1]), "--fuzz", str(RANDOM), "--seed", str(SEED))
        run_hook(folder, HOOK)
        return judge("check", folder)


def expect_conforming(code, said, report):
    """The number of cases, none of which is golden."""
    assert code == 0 and report is not None, said
    assert sorted(report["tested"]) == sorted(CLAIMS.split()), report["tested"]
    assert report["counts"]["fail"] == report["counts"]["not run"] == report["counts"]["skip"] == 0, said
    with open(os.path.join(GOLDEN, "v1", "MANIFEST.json"), encoding="utf-8") as file:
        golden = {entry["problem"] for entry in json.load(file)["files"].values()}
    problems = {check["problem"] for check in report["checks"] if check["problem"] is not None}
    assert not problems & golden, problems & golden
    assert report["counts"]["cases"] <= len(problems), said
    return report["counts"]["cases"]


def print_ratios(reports):
    """Of each type and row of limits the largest."""
    for dtype in ("f32", "f64"):
        largest = {}
        for report in reports:
            for row, entry in report["rows_by_type"].get(dtype, {}).items():
                largest[row] = max(largest.get(row, (0, 0)), (entry["ratio"] or 0, entry["limit"]))
        shown = (f"{row} {ratio:.2g} of {limit:g}" for row, (ratio, limit) in sorted(largest.items()))
        print(f"largest ratios, {dtype}: {', '.join(shown)}")


def expect_found(folder, fault, requirement):
    run_hook(folder, f"faulty_hooks:{fault}")
    code, said, report = judge("check", folder)
    assert code == 1 and report is not None, said
    failed = {check["requirement"] for check in report["checks"] if check["state"] == "fail"}
    assert requirement in failed, f"{fault}: {sorted(failed)}, not {requirement}"
    print(f"{fault}: {' '.join(sorted(failed))}")


def main():
    try:
        processes.describe_environment()
    except processes.NoTorch as error:
        print(f"skipped: {error}")
        return SKIP
    judged = [judge_exec(), judge_files()]
    count = sum(expect_conforming(*one) for one in judged)
    assert count >= LEAST, count
    print(f"PyTorch's hook conforms to {CLAIMS} on {count} cases")
    print_ratios([report for _, _, report in judged])

    os.chdir(TESTS)  # where the rank processes look for faulty_hooks
    with tempfile.TemporaryDirectory(prefix="psgd-fresh-") as folder:
        export(folder, *as_options(FAULTY_PROBLEMS))
        for fault, requirement in FAULTS.items():
            expect_found(folder, fault, requirement)
    return 0


if __name__ == "__main__":
    sys.exit(main())
