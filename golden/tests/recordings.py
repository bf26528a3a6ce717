#!/usr/bin/python3
"""Holds recordings of real training against golden files. Standard library only.

    recordings.py DIR      exit status 0, 1 (something differs, or nothing could be compared)

DistributedDataParallel got the recorded outputs from the hook; the golden case of the same configuration has those that
the hook gave when rank.py drove it on the recorded gradients. They must be the same bytes: so what the golden files say
is what a training gets. Where DistributedDataParallel reordered the bucket afterwards (`reordered`, plain steps only) an
element's sum over ranks may have been taken in another order: the outputs are equal to rounding there.
"""

import array
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from psgd_golden import cases, safetensors

FORMAT = "psgd-recording/1"
UNIT = 2.0**-23  # of f32, which recordings are


class Broken(Exception):
    pass


def files(folder):
    """(name, tensors, metadata) of every file of tensors."""
    for name in sorted(os.listdir(folder)):
        if name.endswith(".safetensors"):
            yield name, *safetensors.read(os.path.join(folder, name))


class Recording:
    def __init__(self, name, tensors, metadata):
        self.name, self.tensors = name, tensors
        self.problem = metadata["problem"]
        self.config, self.version = json.loads(metadata["config"]), metadata["version"]
        self.world, self.steps = int(metadata["world"]), int(metadata["steps"])
        self.start, self.reordered = int(metadata["start_iter"]), set(json.loads(metadata["reordered"]))
        (bucket,) = json.loads(metadata["buckets"])
        self.length = sum(cases.numel(shape) for shape in bucket["shapes"])

    def check(self):
        """Every array is there, in its size; plain steps hold the mean, compressed ones something else."""
        names = [f"in/t{t}/b0/k{k}" for t in range(self.steps) for k in range(self.world)]
        names += [f"out/t{t}/b0" for t in range(self.steps)]
        if sorted(names) != sorted(self.tensors):
            raise Broken(f"{self.name}: its tensors are not in/t/b/k and out/t/b of every step")
        for name, tensor in self.tensors.items():
            if tensor.element != "F32" or tensor.shape != (self.length,):
                raise Broken(f"{self.name}: {name} is {tensor.element} {tensor.shape}")
        if self.start != self.config["start_iter"] or not all(step < self.start for step in self.reordered):
            raise Broken(f"{self.name}: its start does not fit its configuration or its layout")
        for step in range(self.steps):
            if self.is_mean(step, self.tensors[f"out/t{step}/b0"]) != (step < self.start):
                raise Broken(f"{self.name}: step {step} {'is no mean' if step < self.start else 'was not compressed'}")

    def is_mean(self, step, out):
        """To rounding: a division, and world - 1 additions in any order."""
        local = [array.array("f", self.tensors[f"in/t{step}/b0/k{k}"].data) for k in range(self.world)]
        return all(
            abs(x - sum(values) / self.world) <= UNIT * sum(map(abs, values))
            for x, values in zip(array.array("f", out.data), zip(*local))
        )

    def is_of(self, metadata):
        """Is this a golden case on the whole recording, with the hook configured as it was in the training?"""
        return (
            metadata.get("format") == cases.CASE_FORMAT
            and metadata["problem"].endswith("/" + self.problem)
            and metadata["dtype"] == "f32"
            and int(metadata["steps"]) == self.steps
            and json.loads(metadata["config"]) == self.config
        )

    def compare(self, name, tensors, metadata):
        """Returns the number of compressed steps whose outputs were compared byte by byte."""
        if metadata["version"] != self.version:
            raise Broken(f"{name} is by {metadata['version']}, {self.name} by {self.version}")
        count = 0
        for step in range(self.steps):
            for tensor in [f"in/t{step}/b0/k{k}" for k in range(self.world)]:
                if tensors.get(tensor) != self.tensors[tensor]:
                    raise Broken(f"{name}: {tensor} is not the recording's")
            out = tensors.get(f"out/t{step}/b0")
            if out is None or not (out == self.tensors[f"out/t{step}/b0"] or step in self.reordered):
                raise Broken(f"{name}: out of step {step} is not what the training got")
            if step in self.reordered and not self.is_mean(step, out):
                raise Broken(f"{name}: out of step {step} is no mean")
            count += step >= self.start
        return count


def main(folder):
    everything = list(files(folder))
    recordings = [Recording(*file) for file in everything if file[2].get("format") == FORMAT]
    for recording in recordings:
        recording.check()
        steps = 0
        for name, tensors, metadata in everything:
            if recording.is_of(metadata):
                steps += recording.compare(name, tensors, metadata)
        if steps == 0:
            raise Broken(f"{recording.name}: no golden case has its configuration")
        print(f"{recording.name}: {steps} compressed steps as in the training, byte by byte")
    return 0 if recordings else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except Broken as broken:
        print(broken, file=sys.stderr)
        sys.exit(1)
