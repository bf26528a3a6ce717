#!/usr/bin/python3
"""Makes a few golden files anew, from the inputs that are in them, and compares bytes.

    regenerate.py DIR      exit status 0, 1 (bytes differ), 77 (no PyTorch here, or another set-up than any file's)

Of the files of the set-up that is at hand: of each variant and its two smallest world sizes the smallest file with a
compressed tensor, and all raw draws. Those of other set-ups are counted and named. Starting PyTorch is what takes time, so this calls the
generator's functions rather than its command.
"""

import json
import os
import sys
import tempfile

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, GOLDEN)
import generate
from psgd_golden import SKIP, Refused, cases, manifest, processes, results, safetensors

WORLD_SIZES = 2
TIMEOUT = 120


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


def choose(folder, names):
    """Of these files: of each variant and world size the smallest golden one in which the fifth step compressed something;
    of each variant those of the smallest worlds, the layerwise ones first."""
    chosen = {False: {}, True: {}}
    for name in sorted(names, key=lambda n: os.path.getsize(os.path.join(folder, n))):
        tensors, metadata = safetensors.read(os.path.join(folder, name))
        if metadata.get("format") == cases.CASE_FORMAT and any(tensor.startswith("p/t4/") for tensor in tensors):
            flattened = json.loads(metadata["config"])["variant"] == "flattened"
            chosen[flattened].setdefault(int(metadata["world"]), name)
    return [of[world] for of in chosen.values() for world in sorted(of)[:WORLD_SIZES]]


def strip(source, target):
    """The case that a golden file was made from: inputs without results."""
    tensors, metadata = safetensors.read(source)
    given = ("in/", "q0/") if metadata["q"] == "given" else ("in/",)
    inputs = {name: tensor for name, tensor in tensors.items() if name.startswith(given)}
    for key in ("producer", "version", "made_by", "q", "status", "statistics"):
        del metadata[key]
    safetensors.write(target, inputs, metadata)


def differing(folder, again, names):
    result = []
    for name in names:
        with open(os.path.join(folder, name), "rb") as old, open(os.path.join(again, name), "rb") as new:
            if old.read() != new.read():
                result.append(name)
    return result


def main(folder):
    try:
        described = processes.describe_environment()
    except processes.NoTorch as error:
        skip(error)
    listed = manifest.read(folder)
    set_up, why = manifest.set_up_at_hand(listed, described)
    if set_up is None:
        skip(why)
    of_set_up = manifest.files_of(listed, set_up)
    draws = [name for name in of_set_up if name.startswith("draws-")]
    names = choose(folder, of_set_up)
    if not names:
        print("no golden file in the manifest")
        return 1
    with tempfile.TemporaryDirectory(prefix="psgd-golden-") as scratch:
        inputs, ranks, again = (os.path.join(scratch, name) for name in ("cases", "ranks", "again"))
        for path in (inputs, ranks, again):
            os.mkdir(path)
        for name in names:
            strip(os.path.join(folder, name), os.path.join(inputs, name))
        for outcome in generate.run_sets(cases.find(inputs), ranks, TIMEOUT):
            results.write_golden(outcome, again, described)
        if draws:
            ok, reason = processes.start("draws", 1, TIMEOUT, results=again, described=described)
            if not ok:
                raise Refused(reason)
        names += draws
        wrong = differing(folder, again, names)
    for name in wrong:
        print(f"{name}: other bytes than before")
    print(f"{len(names)} files of {set_up} made anew: {', '.join(names)}")
    for other in listed["set_ups"]:
        if other != set_up:
            print(f"{len(manifest.files_of(listed, other))} files of {other} not: it is not the set-up at hand")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
