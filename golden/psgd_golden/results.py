"""From what the ranks saw to files: golden files (case and results in one) and result files (beside the case).

A golden file is refused unless the run was what the case says it is: every compressed step has factors of the sizes
that the formulas give, the same on every rank, and the statistics count them.
"""

import json
import math
import os
import re

from . import GENERATOR, Refused, environment, safetensors

RESULT_FORMAT = "psgd-result/1"
NO_RESULT = "no result"
ORDER = ("q0", "out", "error", "p", "q")


class Outcome:
    """What all ranks of a case left: their tensors, statuses, and rank 0's statistics."""

    def __init__(self, case, folder):
        self.case, self.ranks, self.statuses, self.statistics = case, [], [], []
        self.died = False  # is there a rank that left nothing?
        self.q = "given"  # if on every rank
        for k in range(case.size):
            path = os.path.join(folder, f"{case.id}.k{k}")
            if os.path.exists(path):
                tensors, metadata = safetensors.read(path)
                self.statuses.append(json.loads(metadata["status"]))
                self.q = metadata["q"] if self.q == "given" else "own"
                if k == 0:
                    self.statistics = json.loads(metadata["statistics"])
            else:
                tensors, self.q = {}, "own"
                self.died = True
                self.statuses.append({"rank": k, "status": "error", "message": NO_RESULT, "steps_done": 0})
            self.ranks.append(tensors)

    def note_death(self, reason):
        """Why the processes of this case ended without results."""
        for status in self.statuses:
            if status["message"] == NO_RESULT:
                status["message"] = f"{NO_RESULT}: {reason.splitlines()[0].rstrip(':')}"

    def failed(self):
        """Of a rank that raised or died: which, and its message; rather one that did not only wait for another in vain.
        None: no rank did."""
        failed = [s for s in self.statuses if s["status"] == "error"]
        if not failed:
            return None
        first = min(failed, key=lambda s: "Timed out waiting" in s["message"])
        return f"rank {first['rank']}: {first['message']}"

    def unsupported(self):
        return all(s["status"] == "unsupported" for s in self.statuses)

    def merged(self, share_equal_outputs):
        """All ranks' tensors by their names in files, step by step."""
        tensors = {}
        for k, own in enumerate(self.ranks):
            for name, tensor in own.items():
                kind = name.split("/")[0]
                if kind in ("out", "error"):
                    tensors[f"{name}/k{k}"] = tensor
                elif k == 0:
                    tensors[name] = tensor
        if share_equal_outputs:
            for name in [n for n in self.ranks[0] if n.startswith("out/")]:
                if all(own.get(name) == self.ranks[0][name] for own in self.ranks):
                    for k in range(len(self.ranks)):
                        del tensors[f"{name}/k{k}"]
                    tensors[name] = self.ranks[0][name]
        return {name: tensors[name] for name in sorted(tensors, key=_place)}

    def verify(self):
        """Refuses a run of PyTorch's hook that did not do what the case's configuration calls for."""
        case = self.case
        before = after = 0
        steps = min(s["steps_done"] for s in self.statuses)
        for step in range(steps):
            for b in range(len(case.buckets)):
                factors = case.factors(b) if case.compressed(step) else []
                self._verify_factors(step, b, {f.tensor: f for f in factors})
                self._verify_error(step, b)
                if case.compressed(step):
                    counted = case.counts(b)
                    before, after = before + counted[0], after + counted[1]
            if case.compressed(step):
                shown = [s for s in self.statistics if s["step"] == step]
                numbers = [(s["numel_before_compression"], s["numel_after_compression"]) for s in shown]
                if numbers != [(before, after)]:
                    self._refuse(f"step {step}: statistics {numbers}, by the formulas {(before, after)}")

    def _verify_factors(self, step, b, factors):
        case = self.case
        for kind, rows in (("p", "n"), ("q", "m"), ("q0", "m")):
            expected = factors if kind != "q0" or case.is_drawn(b, step) else {}
            prefix = f"{kind}/t{step}/b{b}/i"
            for own in self.ranks:
                found = {int(name[len(prefix) :]) for name in own if name.startswith(prefix)}
                if found != set(expected):
                    self._refuse(f"step {step}, bucket {b}: {kind} of tensors {sorted(found)}, not {sorted(expected)}")
                for i, factor in expected.items():
                    tensor = own[f"{prefix}{i}"]
                    if tensor.shape != (getattr(factor, rows), factor.r):
                        self._refuse(f"{prefix}{i} has shape {tensor.shape}")
                    if tensor != self.ranks[0][f"{prefix}{i}"]:
                        self._refuse(f"{prefix}{i} is not the same on every rank")

    def _verify_error(self, step, b):
        case = self.case
        kept = case.config["use_error_feedback"] and case.compressed(step)
        for own in self.ranks:
            error = own.get(f"error/t{step}/b{b}")
            if (error is not None) != kept or (kept and error.shape != (case.stored(b),)):
                self._refuse(f"step {step}, bucket {b}: error is {error and error.shape}, expected {case.stored(b)}")

    def _refuse(self, reason):
        raise Refused(f"{self.case.id} ({self.case.problem}): {reason}")


def _place(name):
    kind, step, rest = re.fullmatch(r"([a-z0-9]+)/t(\d+)/(.*)", name).groups()
    return int(step), ORDER.index(kind), [int(number) for number in re.findall(r"\d+", rest)]


def producer(case):
    hook = "batched_powerSGD_hook" if case.flattened else "powerSGD_hook"
    adapted = ["_orthogonalize handed a batch of one, else it asserts"] if case.flattened else []
    adapted += ["torch.randn returning the case's Q"] if case.gives_q else []
    return f"PyTorch {hook}" + (f" ({'; '.join(adapted)})" if adapted else "")


def write_golden(outcome, folder, described):
    case = outcome.case
    outcome.verify()
    tensors = {name: tensor for name, tensor in case.tensors.items() if name.startswith("in/")}
    tensors.update(outcome.merged(share_equal_outputs=True))
    metadata = {
        **case.metadata,  # its claims stay those that the case takes
        "producer": producer(case),
        "version": environment.torch_version(described),
        "made_by": GENERATOR,
        "q": outcome.q,
        "status": json.dumps(outcome.statuses),
        "statistics": json.dumps(_finite(outcome.statistics)),
    }
    safetensors.write(os.path.join(folder, f"{case.id}.safetensors"), tensors, metadata)


def write_result(outcome, folder, hook, version, claims):
    case = outcome.case
    metadata = {
        "format": RESULT_FORMAT,
        "id": case.id,
        "problem": case.problem,
        "producer": hook,
        "version": version,
        "claims": claims,
        "q": outcome.q,
        "status": json.dumps(outcome.statuses),
        "statistics": json.dumps(_finite(outcome.statistics)),
    }
    path = os.path.join(folder, f"{case.id}.result.safetensors")
    tensors = outcome.merged(share_equal_outputs=False)
    drawn = [name for name in tensors if name.startswith("q0/")]  # by PyTorch's hook; no part of a result
    safetensors.write(path, {name: t for name, t in tensors.items() if name not in drawn}, metadata)


def _finite(statistics):
    """JSON has no NaN: a rate that is none is left out."""
    return [{key: value for key, value in s.items() if math.isfinite(value)} for s in statistics]
