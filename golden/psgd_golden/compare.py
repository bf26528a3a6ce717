"""What differs between two folders of golden data, made from the same inputs with two set-ups (generate.py --compare).

Values are compared piece by piece: a tensor of a bucket at a step, a factor, a draw. A piece is
    identical     bit for bit;
    rounding      ||new - old|| <= LIMIT * u * scale * condition, u the type's epsilon;
    undetermined  u * condition > SKIP: rounding alone may change all of it. Only that NaN and infinities lie in the same
                  places is asked for, and how large the difference is in u * scale is said;
    beyond        everything else. Where metadata, statuses or statistics differ, that is beyond rounding too.

Scale and condition are those of the kit's table of tolerances (conformance/SPEC.md), from the old file: S, the root mean
square over ranks of ||M_k||, and gamma + kappa of the projection, summed over the steps up to this one, since each step
starts from what the one before left. Only the sum is made here, not the kit's model run with noise: a case that is beyond
here deserves a look, and the last word is psgd-conform's, run --golden on either folder.

Needs NumPy.
"""

import json
import os

import numpy as np

from . import Refused, arrays_numpy, cases, manifest, safetensors

LIMIT = {"out": 10, "error": 10, "p": 20, "q": 20, "q0": 4, "draw": 4, "recording": 10}
SKIP = 0.01
PLACES = -1.0  # for a ratio: NaN or infinities, or the shape, differ
CLASSES = ("identical", "rounding", "undetermined", "beyond")
OF_THE_SET_UP = {"version", "made_by", "producer"}  # metadata that may differ


class Tally:
    """Per kind of result: how many pieces of each class, and the largest ratio."""

    def __init__(self):
        self.counts, self.largest, self.beyond, self.undetermined = {}, {}, [], {}

    def add(self, kind, what, where, ratio=0.0):
        self.counts.setdefault(kind, dict.fromkeys(CLASSES, 0))[what] += 1
        if what == "rounding" and ratio > self.largest.get(kind, (0.0, ""))[0]:
            self.largest[kind] = (ratio, where)
        if what == "beyond":
            far = f"differs by {ratio:.3g} of {LIMIT[kind]}" if ratio != PLACES else "has NaN or infinities elsewhere"
            self.beyond.append(f"{where}: {kind} {far}")
        if what == "undetermined":
            of_file = self.undetermined.setdefault(where.split(":")[0], {})
            of_file[kind] = max(of_file.get(kind, 0.0), ratio)

    def differs(self, where, what):
        self.beyond.append(f"{where}: {what}")


def judge(tally, kind, old, new, unit, condition, where):
    """old, new: arrays of one piece, in double; unit: u * scale; condition: (u, condition)."""
    if old.shape == new.shape and np.array_equal(old, new, equal_nan=True):
        tally.add(kind, "identical", where)
        return
    places = old.shape == new.shape and all(
        np.array_equal(test(old), test(new)) for test in (np.isnan, np.isposinf, np.isneginf)
    )
    if not places:
        tally.add(kind, "beyond", where, PLACES)
        return
    known = np.isfinite(old)
    difference = np.linalg.norm(new[known] - old[known])
    ratio = difference / unit if unit > 0 else np.inf
    if not condition[0] * condition[1] <= SKIP:
        tally.add(kind, "undetermined", where, ratio)
        return
    ratio /= condition[1]
    tally.add(kind, "rounding" if ratio <= LIMIT[kind] else "beyond", where, ratio)


class Conditions:
    """[tensor of a bucket] -> the sum of gamma + kappa over its compressed steps so far; infinite past a singular one."""

    def __init__(self):
        self.sums = {}

    def step(self, key, mean, basis):
        """mean: Mb, n x m; basis: what Q is made of, m x r. Returns the sum."""
        self.sums[key] = self.sums.get(key, 0.0) + gamma_plus_kappa(mean, basis)
        return self.sums[key]

    def carried(self, key):
        return self.sums.get(key, 0.0)


def gamma_plus_kappa(mean, basis):
    if not (np.isfinite(mean).all() and np.isfinite(basis).all()):
        return np.inf
    q, triangle = np.linalg.qr(basis)
    size = np.linalg.norm(mean, 2)
    left, values, right = np.linalg.svd(mean @ q, full_matrices=False)
    if not values[-1] > 0 or not np.abs(np.diag(triangle)).min() > 0:
        return np.inf
    inverse = (right.T / values) @ left.T
    beside = mean - left @ (left.T @ mean)
    gamma = 1 + np.linalg.norm(inverse @ mean, 2) + np.linalg.norm(beside, 2) / values[-1]
    return gamma + size / values[-1]


class Pair:
    """A golden case of both folders."""

    def __init__(self, old_path, new_path):
        self.case = cases.Case(old_path)
        self.old, self.new = self.case, cases.Case(new_path)
        self.u = arrays_numpy.EPSILON[self.case.dtype]

    def array(self, which, name):
        tensor = which.tensors.get(name)
        return None if tensor is None else arrays_numpy.to_double(tensor)

    def per_rank(self, which, kind, step, b):
        shared = self.array(which, f"{kind}/t{step}/b{b}")
        if shared is not None:
            return [shared] * self.case.size
        return [self.array(which, f"{kind}/t{step}/b{b}/k{k}") for k in range(self.case.size)]

    def compare(self, tally):
        case, where = self.case, self.case.id
        for key in sorted(set(self.old.metadata) | set(self.new.metadata)):
            if key not in OF_THE_SET_UP and self.old.metadata.get(key) != self.new.metadata.get(key):
                tally.differs(where, f"{key}: {self.old.metadata.get(key)} before, {self.new.metadata.get(key)} now")
        names = set(self.old.tensors), set(self.new.tensors)
        if names[0] != names[1]:
            tally.differs(where, f"only one file has {', '.join(sorted(names[0] ^ names[1]))}")
            return
        if any(self.old.tensors[n] != self.new.tensors[n] for n in names[0] if n.startswith("in/")):
            tally.differs(where, "the inputs are not the same")
            return
        done = min(s["steps_done"] for s in json.loads(self.old.metadata["status"]))
        for b in range(len(case.buckets)):
            conditions, before = Conditions(), None
            for step in range(done):
                before = self._step(tally, step, b, conditions, before)

    def _step(self, tally, step, b, conditions, error_before):
        """Returns the errors that this step left, by rank."""
        case, where = self.case, f"{self.case.id}: step {step}, bucket {b}"
        length = sum(map(cases.numel, case.buckets[b].shapes))
        factors = {f.tensor: f for f in case.factors(b)} if case.compressed(step) else {}
        square = case.flattened and case.compressed(step)
        padded = factors[0].n ** 2 if square else length
        local = [np.zeros(padded) for _ in range(case.size)]
        for k, m in enumerate(local):
            m[:length] = self.array(self.old, f"in/t{step}/b{b}/k{k}")
            if error_before is not None and error_before[k] is not None:
                m += error_before[k]
        out = [self.per_rank(which, "out", step, b)[0] for which in (self.old, self.new)]
        errors = [self.per_rank(which, "error", step, b) for which in (self.old, self.new)]
        shapes = [(padded,)] if square else case.buckets[b].shapes
        offset = 0
        for i, shape in enumerate(shapes):
            part = slice(offset, offset + cases.numel(shape))
            offset = part.stop
            here = f"{where}, tensor {i}"
            scale = np.sqrt(np.mean([m[part] @ m[part] for m in local]))
            unit = self.u * scale if np.isfinite(scale) else 0.0
            condition = 1.0 + conditions.carried((b, i))
            if i in factors:
                condition = self._factors(tally, step, b, factors[i], local, part, conditions, unit, here)
            judge(tally, "out", out[0][part], out[1][part], unit, (self.u, condition), here)
            for k in range(case.size):
                if errors[0][k] is not None:
                    pair = [e[k][part] for e in errors]
                    judge(tally, "error", *pair, unit, (self.u, condition), f"{here}, rank {k}")
        return errors[0] if case.config["use_error_feedback"] and case.compressed(step) else None

    def _factors(self, tally, step, b, f, local, part, conditions, unit, where):
        """Compares q0, P and Q of a compressed tensor; returns the condition of its output."""
        names = {kind: f"{kind}/t{step}/b{b}/i{f.tensor}" for kind in ("q0", "p", "q")}
        old, new = ({k: self.array(which, n) for k, n in names.items()} for which in (self.old, self.new))
        if old["q0"] is not None:
            size = np.abs(old["q0"]).max(initial=0.0)
            judge(tally, "q0", old["q0"], new["q0"], self.u * size, (self.u, 1.0), where)
        basis = old["q0"] if old["q0"] is not None else self.array(self.old, f"q/t{step - 1}/b{b}/i{f.tensor}")
        with np.errstate(invalid="ignore", over="ignore"):
            mean = np.mean([m[part] for m in local], axis=0).reshape(f.n, f.m)
        key = (b, f.tensor)
        if not self.case.config["warm_start"] and not self.case.config["use_error_feedback"]:
            conditions.sums.pop(key, None)  # nothing is carried from step to step
        condition = conditions.step(key, mean, basis)
        judge(tally, "p", old["p"], new["p"], self.u, (self.u, condition), where)
        judge(tally, "q", old["q"], new["q"], unit, (self.u, condition), where)
        return condition


def compare_draws(tally, name, old, new):
    if old["seeds"] != new["seeds"]:
        tally.differs(name, "RandomState's seeds differ")
    for key in old:
        if key != "seeds":
            u = arrays_numpy.EPSILON[old[key].element.lower()]
            a, b = arrays_numpy.to_double(old[key]), arrays_numpy.to_double(new[key])
            for i, (x, y) in enumerate(zip(a, b)):  # each number by itself
                judge(tally, "draw", np.array([x]), np.array([y]), u * abs(x), (u, 1.0), f"{name}: {key}[{i}]")


def compare_recordings(tally, name, old, new):
    """Trainings drift apart: each step starts from the rounding of those before, and what a network makes of that is not
    known here. So only the first step's gradients are held to rounding."""
    for key in sorted(old):
        if key.startswith("in/t0/"):
            u = arrays_numpy.EPSILON[old[key].element.lower()]
            a, b = arrays_numpy.to_double(old[key]), arrays_numpy.to_double(new[key])
            judge(tally, "recording", a, b, u * np.linalg.norm(a), (u, 1.0), f"{name}: {key}")
        elif key not in new or new[key].shape != old[key].shape:
            tally.differs(name, f"{key} has another shape or is missing")


def compare(old_folder, new_folder):
    """(tally, names of the files that both have, names of those that one has)"""
    names = set(manifest.data_files(old_folder)), set(manifest.data_files(new_folder))
    both, tally = sorted(names[0] & names[1]), Tally()
    if not both:
        raise Refused(f"{old_folder} and {new_folder} have no file in common")
    for name in both:
        paths = [os.path.join(folder, name) for folder in (old_folder, new_folder)]
        (old, metadata), (new, _) = map(safetensors.read, paths)
        kind = metadata.get("format")
        if kind == cases.CASE_FORMAT:
            Pair(*paths).compare(tally)
        elif name.startswith("draws-"):
            compare_draws(tally, name, old, new)
        else:
            compare_recordings(tally, name, old, new)
    return tally, both, sorted(names[0] ^ names[1])


def main(old_folder, new_folder):
    tally, both, alone = compare(old_folder, new_folder)
    print(f"{len(both)} files in both folders" + (f"; in one only: {', '.join(alone)}" if alone else ""))
    print("".join(f"{word:>13}" for word in ("", *CLASSES)) + "  largest ratio within rounding")
    for kind in LIMIT:
        if kind in tally.counts:
            ratio, where = tally.largest.get(kind, (0.0, ""))
            numbers = "".join(f"{tally.counts[kind][c]:13}" for c in CLASSES)
            print(f"{kind:>13}{numbers}" + (f"  {ratio:.3g} of {LIMIT[kind]}, {where}" if where else ""))
    for where, kinds in sorted(tally.undetermined.items()):
        print(f"undetermined: {where}: in u * scale {', '.join(f'{k} {kinds[k]:.2g}' for k in LIMIT if k in kinds)}")
    for line in tally.beyond:
        print(f"BEYOND ROUNDING: {line}")
    print("no difference beyond rounding" if not tally.beyond else f"{len(tally.beyond)} differences beyond rounding")
    return 1 if tally.beyond else 0
