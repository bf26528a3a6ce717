#!/usr/bin/python3
"""Holds the golden files against laws of PowerSGD, in double, with NumPy alone: a check of the generator (was everything
recorded under its right name, step, rank and tensor?) that shares no code with the kit's judge.

    laws.py DIR        exit status 0, 1 (a law is broken), 77 (NumPy cannot be imported)

Limits are ratios as in the kit's table of tolerances: error / (u S), u the type's epsilon, S the root mean square over
ranks of ||M_k||. Where a NaN or an infinity is among the values it is the hook's answer, and only the exact law of the
error is held (a NaN equals a NaN there).
"""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from psgd_golden import SKIP, cases, safetensors

try:
    import numpy as np

    from psgd_golden import arrays_numpy
except ImportError as error:
    print(f"skipped: NumPy cannot be imported by {sys.executable}: {error}")
    sys.exit(SKIP)

LIMIT = {"mean": 4, "projection": 10, "conservation": 10, "orthonormal": 10, "average": 10, "padding": 10}
largest = {}  # law: (ratio, where)
counts = {"error": 0}


class Broken(Exception):
    pass


def judge(law, value, scale, where):
    """value <= limit * scale, written so that NaN fails."""
    ratio = value / scale if scale > 0 else (0.0 if value == 0 else np.inf)
    counts[law] = counts.get(law, 0) + 1
    if law not in largest or not ratio <= largest[law][0]:
        largest[law] = (ratio, where)
    if not ratio <= LIMIT[law]:
        raise Broken(f"{where}: {law}: ratio {ratio:.3g}, limit {LIMIT[law]}")


class GoldenCase(cases.Case):
    def array(self, name):
        tensor = self.tensors.get(name)
        return None if tensor is None else arrays_numpy.to_array(tensor)

    def rounded(self, values):
        """A sum or difference of two values, in the case's type: to nearest, ties to even."""
        if self.dtype != "bf16":
            return values
        words = values.view(np.uint32)
        near = ((words + 0x7FFF + ((words >> 16) & 1)) & 0xFFFF0000).astype(np.uint32)
        return np.where(np.isfinite(values), near.view(np.float32), values)

    def per_rank(self, kind, step, b):
        """[rank] -> array; one array stands for all ranks where they are identical. None: not there."""
        shared = self.array(f"{kind}/t{step}/b{b}")
        if shared is not None:
            return [shared] * self.size
        arrays = [self.array(f"{kind}/t{step}/b{b}/k{k}") for k in range(self.size)]
        return None if arrays[0] is None else arrays


def pieces(bucket):
    offset = 0
    for i, shape in enumerate(bucket.shapes):
        length = cases.numel(shape)
        yield i, slice(offset, offset + length)
        offset += length


def check_step(case, step, b, error_before):
    """The laws of one step of one bucket; returns its error."""
    where = f"{case.id} step {step} bucket {b}"
    out = case.per_rank("out", step, b)
    gradients = [case.array(f"in/t{step}/b{b}/k{k}") for k in range(case.size)]
    if out is None:
        raise Broken(f"{where}: no output")
    length = len(gradients[0])
    padded = case.factors(b)[0].n ** 2 if case.flattened and case.compressed(step) else length
    local = [np.concatenate([g, np.zeros(padded - length, g.dtype)]) for g in gradients]
    if error_before:
        local = [case.rounded(g + e) for g, e in zip(local, error_before)]
    error = case.per_rank("error", step, b)
    if error:
        for k in range(case.size):
            counts["error"] += 1
            difference = case.rounded(local[k][:length] - out[k])
            if not np.array_equal(difference, error[k][:length], equal_nan=True):
                raise Broken(f"{where} rank {k}: the error is not M_k - out")
    if all(np.isfinite(a).all() for a in local + out):
        unit = arrays_numpy.EPSILON[case.dtype]
        local = [m.astype(np.float64) for m in local]
        check_values(case, step, b, local, out[0].astype(np.float64), error, unit, where)
    return error


def check_values(case, step, b, local, out, error, unit, where):
    mean, length = np.mean(local, axis=0), len(out)
    scale = unit * np.sqrt(np.mean([m @ m for m in local]))
    if error:
        mean_error = np.mean(np.array(error, np.float64), axis=0)[:length]
        judge("conservation", np.linalg.norm(out + mean_error - mean[:length]), scale, where)
    factors = {f.tensor: f for f in case.factors(b)} if case.compressed(step) else {}
    flattened = case.flattened and case.compressed(step)
    for i, part in [(0, slice(0, len(mean)))] if flattened else pieces(case.buckets[b]):
        here = f"{where} tensor {i}"
        local_i = [m[part] for m in local]
        scale = unit * np.sqrt(np.mean([m @ m for m in local_i]))
        if i not in factors:
            judge("mean", np.linalg.norm(out[part] - mean[part]), scale, here)
            continue
        f = factors[i]
        p, q = (case.array(f"{kind}/t{step}/b{b}/i{i}").astype(np.float64) for kind in ("p", "q"))
        matrix = mean[part].reshape(f.n, f.m)
        size = max(1.0, np.linalg.norm(p, 2)) ** 2
        projected = (p @ (p.T @ matrix)).reshape(-1)
        judge("projection", np.linalg.norm(out[part] - projected[: len(out[part])]), scale * size, here)
        if flattened and error:  # the result is cut back to its length; what is left out of the padding is kept
            kept = np.mean(np.array(error, np.float64), axis=0)[length:]
            judge("padding", np.linalg.norm(kept - (mean - projected)[length:]), scale * size, here)
        judge("average", np.linalg.norm(q - matrix.T @ p), scale * size, here)
        if f.r >= 3:
            judge("orthonormal", np.linalg.norm(np.eye(f.r) - p.T @ p), unit * f.r, here)


def main(folder):
    names = [n for n in sorted(os.listdir(folder)) if n.endswith(".safetensors")]
    checked = 0
    for name in names:
        path = os.path.join(folder, name)
        if safetensors.read(path)[1].get("format") != cases.CASE_FORMAT:
            continue
        case = GoldenCase(path)
        done = min(status["steps_done"] for status in json.loads(case.metadata["status"]))
        for b in range(len(case.buckets)):
            error = None
            for step in range(done):
                error = check_step(case, step, b, error)
        checked += 1
    for law, (ratio, where) in sorted(largest.items()):
        print(f"{law:14}{counts[law]:7} checks, largest ratio {ratio:.3g} of {LIMIT[law]} in {where}")
    print(f"{'error':14}{counts['error']:7} checks, bit for bit")
    print(f"{checked} golden files")
    return 0 if checked and counts["error"] else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except Broken as broken:
        print(broken, file=sys.stderr)
        sys.exit(1)
