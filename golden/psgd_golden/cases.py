"""A case file, and what follows from its configuration by the formulas: which tensors are compressed, where their
factors lie.

The layout is computed here independently of the hook, so that the generator can hold the hook's factors and statistics
against it: a run in which the compressed path did not happen as the formulas say is refused, never written.
"""

import json
import os
import re
from typing import NamedTuple

from . import Refused, safetensors

CASE_FORMAT = "psgd-case/1"
HALF_TYPES = ("f16", "bf16")
CLAIMS = (  # conformance/harness/claims.c
    *("core", "ef", "warm", "torch", "flat", "multirank", "subgroup", "checkpoint"),
    *("f64", "f16", "bf16", "determinism", "async", "alternating"),
)


class Factor(NamedTuple):
    tensor: int  # index within the bucket, in parameter order
    n: int
    m: int
    r: int


class Bucket(NamedTuple):
    index: int
    is_last: bool
    shapes: list


def numel(shape):
    count = 1
    for size in shape:
        count *= size
    return count


class Case:
    """One case file. The inputs stay raw; rank.py makes tensors of them."""

    def __init__(self, path):
        self.path = path
        self.tensors, self.metadata = safetensors.read(path)
        try:
            self._read_metadata()
        except (KeyError, ValueError, TypeError) as error:
            raise Refused(f"{path}: not a case file: {type(error).__name__} {error}") from error
        for step in range(self.steps):
            for b, bucket in enumerate(self.buckets):
                for k in range(self.size):
                    self._check_tensor(f"in/t{step}/b{b}/k{k}", sum(map(numel, bucket.shapes)))
                if self.gives_q and self.is_drawn(b, step):
                    for factor in self.factors(b):
                        self._check_tensor(f"q0/t{step}/b{b}/i{factor.tensor}", factor.m * factor.r)

    def _read_metadata(self):
        metadata = self.metadata
        if metadata["format"] != CASE_FORMAT:
            raise ValueError(f"format {metadata['format']!r}, expected {CASE_FORMAT!r}")
        self.id = metadata["id"]
        if not re.fullmatch(r"[A-Za-z0-9._+-]+", self.id):
            raise ValueError(f"id {self.id!r}")
        self.problem = metadata["problem"]
        self.claims = metadata["claims"].split()
        self.config = json.loads(metadata["config"])
        self.flattened = self.config["variant"] == "flattened"
        self.steps = int(metadata["steps"])
        self.dtype = metadata["dtype"]
        self.buckets = [
            Bucket(int(b["index"]), bool(b["is_last"]), [tuple(map(int, s)) for s in b["shapes"]])
            for b in json.loads(metadata["buckets"])
        ]
        world = int(metadata["world"])
        group = json.loads(metadata["group"]) if "group" in metadata else None
        self.group = [int(rank) for rank in group] if group is not None else list(range(world))
        self.size = len(self.group)
        self.world = max(world, max(self.group) + 1)  # processes needed in all
        self.checkpoint = int(metadata["checkpoint"]) if "checkpoint" in metadata else None  # save and load after it
        self.gives_q = self.dtype in HALF_TYPES  # the hook's own draws are not to be used: the file has q0

    def _check_tensor(self, name, count):
        tensor = self.tensors.get(name)
        if tensor is None or tensor.element != self.dtype.upper() or numel(tensor.shape) != count:
            raise Refused(f"{self.path}: tensor {name} is missing, or not {count} elements of {self.dtype}")

    def compressed(self, step):
        return step >= self.config["start_iter"]

    def factors(self, b):
        """The bucket's compressed tensors in the order in which the hook lays out and draws their factors: grouped by
        matricised shape, groups in the order in which their first member comes."""
        shapes = self.buckets[b].shapes
        rank = self.config["matrix_approximation_rank"]
        if self.flattened:
            side = flattened_side(sum(map(numel, shapes)))
            return [Factor(0, side, side, rank)]
        groups = {}
        for i, shape in enumerate(shapes):
            n, m = (shape[0] if shape else 1), numel(shape[1:])
            r = min(n, m, rank)
            if ((n + m) * r) * self.config["min_compression_rate"] < n * m:
                groups.setdefault((n, m), []).append(Factor(i, n, m, r))
        return [factor for group in groups.values() for factor in group]

    def counts(self, b):
        """What one compressed step of the bucket adds to the statistics: elements before, elements after."""
        length = sum(map(numel, self.buckets[b].shapes))
        factors = self.factors(b)
        if self.flattened:
            return length, 2 * factors[0].n * factors[0].r
        saved = sum(f.n * f.m - (f.n + f.m) * f.r for f in factors)
        return length, length - saved

    def stored(self, b):
        """Elements of the bucket's error: flattened, with the square's padding."""
        length = sum(map(numel, self.buckets[b].shapes))
        return flattened_side(length) ** 2 if self.flattened else length

    def is_drawn(self, b, step):
        """Is a fresh Q drawn for bucket b at this step?"""
        first = self.config["start_iter"]
        return self.compressed(step) and (step == first or not self.config["warm_start"])


def flattened_side(length):
    side = 0
    while side * side < length:
        side += 1
    return side


def find(folder, ids=None):
    """The case files of a folder, by name; ids: these only, each must be there. Results and others are passed over."""
    cases = []
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise Refused(f"{folder}: {error.strerror}") from error
    for name in names:
        if name.endswith(".safetensors") and not re.search(r"\.result(\.k\d+)?\.safetensors$", name):
            if safetensors.read(os.path.join(folder, name))[1].get("format") == CASE_FORMAT:
                cases.append(Case(os.path.join(folder, name)))
    if ids is not None:
        missing = sorted(set(ids) - {case.id for case in cases})
        if missing:
            raise Refused(f"{folder}: no case file for {', '.join(missing)}")
        cases = [case for case in cases if case.id in set(ids)]
    if not cases:
        raise Refused(f"{folder}: no case files; psgd-conform export {folder} makes them")
    return cases
