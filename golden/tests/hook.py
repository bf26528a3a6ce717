#!/usr/bin/python3
"""generate.py --hook on a port that is right, and on those that raise, die, refuse a case or are not there.

    hook.py DIR      exit status 0, 1, 77 (no PyTorch here)
"""

import json
import os
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, TESTS)
import regenerate

import generate
from psgd_golden import cases, manifest, processes, safetensors


def command(folder, function, *options):
    """Through the command: exit status and standard error."""
    words = [sys.executable, os.path.join(TESTS, "..", "generate.py"), "--hook", function, *options, folder]
    done = subprocess.run(words, cwd=TESTS, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, check=False)
    return done.returncode, done.stderr


def read_result(folder):
    """The result file's tensors, statuses and metadata."""
    name = next(n for n in os.listdir(folder) if n.endswith(".result.safetensors"))
    tensors, metadata = safetensors.read(os.path.join(folder, name))
    return tensors, json.loads(metadata["status"]), metadata


def run_ranks(folder, function, timeout=60):
    """The same in memory, without the start of PyTorch that looks at the set-up: the outcome."""
    with tempfile.TemporaryDirectory(prefix="psgd-golden-") as ranks:
        (outcome,) = generate.run_sets(cases.find(folder), ranks, timeout, hook=f"faulty_hooks:{function}")
        return outcome


def write_strangers(folder):
    """What else may lie in a folder of cases: its list, and a file that is no case."""
    with open(os.path.join(folder, "psgd-export.json"), "w", encoding="utf-8") as file:
        file.write("{}")
    safetensors.write(os.path.join(folder, "weights.safetensors"), {}, {"format": "pt"})


def choose(folder, names, set_up):
    """Layerwise cases, as the hooks are; of a set-up that is not at hand none of half types, which it may lack."""

    def suits(name):
        metadata = safetensors.read(os.path.join(folder, name))[1]
        is_case = metadata.get("format") == cases.CASE_FORMAT
        layerwise = is_case and json.loads(metadata["config"])["variant"] == "layerwise"
        return layerwise and (set_up is not None or metadata["dtype"] not in cases.HALF_TYPES)

    return regenerate.choose(folder, [name for name in names if suits(name)])


def main(folder):
    try:
        described = processes.describe_environment()
    except processes.NoTorch as error:
        regenerate.skip(error)
    folder = os.path.abspath(folder)
    listed = manifest.read(folder)
    set_up, _ = manifest.set_up_at_hand(listed, described)
    names = choose(folder, manifest.files_of(listed, set_up) if set_up else list(listed["files"]), set_up)
    name = names[-1]
    golden = cases.Case(os.path.join(folder, name))
    with tempfile.TemporaryDirectory(prefix="psgd-golden-") as scratch:
        regenerate.strip(golden.path, os.path.join(scratch, name))

        write_strangers(scratch)
        code, errors = command(scratch, "faulty_hooks:same", "--claims", " ".join(golden.claims))
        assert code == 0, errors
        tensors, statuses, metadata = read_result(scratch)
        assert metadata["format"] == "psgd-result/1" and metadata["id"] == golden.id
        assert [s["status"] for s in statuses] == ["ok"] * golden.size
        expected = {n for n in golden.tensors if n.split("/")[0] in ("p", "q")}
        for step in range(golden.steps):
            for b in range(len(golden.buckets)):
                expected |= {f"out/t{step}/b{b}/k{k}" for k in range(golden.size)}
        assert expected <= set(tensors), sorted(expected - set(tensors))
        assert not any(n.startswith("q0/") for n in tensors)
        if set_up is not None:
            for n in tensors:
                whole = golden.tensors.get(n) or golden.tensors[n.rpartition("/")[0]]
                assert tensors[n] == whole, f"{n}: other bytes than the golden file's"

    name = names[0]
    golden = cases.Case(os.path.join(folder, name))
    os.chdir(TESTS)  # where the rank processes look for faulty_hooks
    with tempfile.TemporaryDirectory(prefix="psgd-golden-") as scratch:
        regenerate.strip(golden.path, os.path.join(scratch, name))

        code, errors = command(scratch, "faulty_hooks:raises", "--claims", ",".join(golden.claims))
        assert code == 1 and "the hook failed in 1 case:" in errors and "RuntimeError: no step 3" in errors, errors
        code, errors = command(scratch, "faulty_hooks:raises", "--claims", " ".join(golden.claims), "--failures-ok")
        assert code == 0 and "the hook failed in 1 case:" in errors, errors
        tensors, statuses, _ = read_result(scratch)
        assert [(s["status"], s["steps_done"]) for s in statuses] == [("error", 3)] * golden.size
        assert statuses[0]["message"] == "RuntimeError: no step 3"
        assert max(int(n.split("/")[1][1:]) for n in tensors) == 2

        outcome = run_ranks(scratch, "dies")
        died = ("error", "no result: rank 0 ended with status 9")
        assert [(s["status"], s["message"]) for s in outcome.statuses] == [died] * golden.size, outcome.statuses
        assert not outcome.merged(share_equal_outputs=False)

        outcome = run_ranks(scratch, "refuses")
        refused = ("unsupported", "NotImplementedError: not this")
        assert [(s["status"], s["message"]) for s in outcome.statuses] == [refused] * golden.size, outcome.statuses
        assert outcome.failed() is None and outcome.unsupported()

        code, errors = command(scratch, "faulty_hooks:nothing")
        assert code == 2 and "the port cannot be imported (faulty_hooks:nothing): AttributeError" in errors, errors
        code, errors = command(scratch, "faulty_hooks")
        assert code == 2 and "'faulty_hooks' is not of the form MODULE:NAME" in errors, errors
        code, errors = command(scratch, "faulty_hooks:same", "--claims", "core,cor")
        assert code == 2 and "unknown claim 'cor'" in errors, errors
    print(f"a right hook on {names[-1]}, a raising and a dying one on {names[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
