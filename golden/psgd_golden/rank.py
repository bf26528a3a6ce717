"""One rank of a process set: runs cases through a hook and writes what it saw. Started by processes.py.

The hook's code runs as it is. What is shown to it: a bucket object with the methods that it uses, and a state of its
own class whose two factor dictionaries remember what was in them when the hook clears them (warm start off). Its raw
draws are seen by wrapping torch.randn while it runs. In half types, for which PyTorch has changed how it draws, the
wrapped torch.randn returns the Q of the case file instead.

Traps, all met: two buckets in flight at once deadlock under gloo, so each is waited for; a group that is destroyed
after the hook has run aborts the process, so each case has a new group and none is ever destroyed; the interpreter must
not tidy up at the end, hence os._exit in processes.py.
"""

import contextlib
import json
import os
import pickle
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as torch_hook

from . import Refused, arrays, environment, safetensors
from .cases import Case, numel
from .processes import resolve


class GradBucket:
    """Has the methods of dist.GradBucket that a hook may use."""

    def __init__(self, bucket, buffer):
        self._bucket, self._buffer, self._gradients, offset = bucket, buffer, [], 0
        for shape in bucket.shapes:
            self._gradients.append(buffer[offset : offset + numel(shape)].view(shape))
            offset += numel(shape)

    def index(self):
        return self._bucket.index

    def buffer(self):
        return self._buffer

    def gradients(self):
        return self._gradients

    def parameters(self):
        return self._gradients

    def is_last(self):
        return self._bucket.is_last

    def set_buffer(self, buffer):
        self._buffer = buffer


class Memory(dict):
    """A dictionary of factors that still shows what it held after it was cleared."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.cleared = {}

    def clear(self):
        self.cleared = dict(self)
        super().clear()

    def last(self, key):
        return self[key] if key in self else self.cleared.get(key)


class Draws(list):
    """Copies of what torch.randn returned. given: a flat tensor whose elements it returned, as long as they fit."""

    def __init__(self, given):
        super().__init__()
        self.given, self.taken = given, 0

    def all_given(self):
        return self.given is not None and self.taken == self.given.numel() == sum(d.numel() for d in self)

    def note(self, drawn):
        if self.given is not None and drawn.dtype == self.given.dtype:
            part = self.given[self.taken : self.taken + drawn.numel()]
            if part.numel() == drawn.numel():
                self.taken += part.numel()
                drawn = part.view(drawn.shape).clone()
        self.append(drawn.clone())
        return drawn


@contextlib.contextmanager
def watched_draws(given=None):
    """Yields the Draws that torch.randn makes meanwhile, or is given."""
    draws, original = Draws(given), torch.randn

    def randn(*arguments, **options):
        return draws.note(original(*arguments, **options))

    torch.randn = randn
    try:
        yield draws
    finally:
        torch.randn = original


@contextlib.contextmanager
def matrices_as_batches():
    """The flattened hook hands a 2-D matrix to a routine that (since PyTorch 1.12) asserts 3-D: give it a batch of one.
    Without this it cannot run at all; files made with it say so."""
    original = torch_hook._orthogonalize

    def orthogonalize(matrices, epsilon=0):
        return original(matrices.unsqueeze(0) if matrices.dim() == 2 else matrices, epsilon)

    torch_hook._orthogonalize = orthogonalize
    try:
        yield
    finally:
        torch_hook._orthogonalize = original


def make_state(state_class, config, group):
    state = state_class(
        process_group=group,
        matrix_approximation_rank=config["matrix_approximation_rank"],
        start_powerSGD_iter=config["start_iter"],
        min_compression_rate=config["min_compression_rate"],
        use_error_feedback=config["use_error_feedback"],
        warm_start=config["warm_start"],
        orthogonalization_epsilon=config["orthogonalization_epsilon"],
        random_seed=config["random_seed"],
        compression_stats_logging_frequency=config["compression_stats_logging_frequency"],
        batch_tensors_with_same_shape=config["batch_tensors_with_same_shape"],
    )
    for name in ("p_memory_dict", "q_memory_dict"):
        if isinstance(getattr(state, name, None), dict):
            setattr(state, name, Memory(getattr(state, name)))
    return state


def reloaded(state, group):
    """The state as it comes back from a checkpoint; the process group is the loader's."""
    loaded = pickle.loads(pickle.dumps(state))
    loaded.process_group = group
    return loaded


def split(flat, factors, side):
    """{tensor: matrix} from the factors' common memory; side "n" for P, "m" for Q."""
    matrices, offset = {}, 0
    for factor in factors:
        rows = getattr(factor, side)
        matrices[factor.tensor] = flat[offset : offset + rows * factor.r].view(rows, factor.r)
        offset += rows * factor.r
    if offset != flat.numel():
        raise Refused(f"factors have {flat.numel()} elements, by the formulas {offset}")
    return matrices


class Run:
    """A case on one rank: .tensors and .statistics hold whole steps only; .message says what the hook raised."""

    def __init__(self, case, k, group, hook, state_class):
        self.case, self.k, self.group, self.hook, self.state_class = case, k, group, hook, state_class
        self.tensors, self.statistics, self.steps_done = {}, [], 0
        self.status, self.message = "ok", ""
        self.q_given = case.gives_q  # until a draw shows that it was not taken

    def run(self):
        try:
            self.state = make_state(self.state_class, self.case.config, self.group)
            for step in range(self.case.steps):
                self._step(step)
                self.steps_done = step + 1
                if step == self.case.checkpoint:
                    self.state = reloaded(self.state, self.group)
        except Refused:
            raise
        except (Exception, SystemExit) as error:  # whatever a hook raises is its result
            lines = str(error).strip().splitlines()
            self.message = type(error).__name__ + (f": {lines[0]}" if lines else "")
            refuses = isinstance(error, NotImplementedError) and self.steps_done == 0
            self.status = "unsupported" if refuses else "error"

    def _step(self, step):
        seen = {}
        for b in range(len(self.case.buckets)):
            self._bucket(step, b, seen)
        self.tensors.update(seen)
        if self.case.compressed(step) and hasattr(self.state, "compression_stats"):
            rate, before, after = self.state.compression_stats()
            self.statistics.append(
                {
                    "step": step,
                    "compression_rate": rate,
                    "numel_before_compression": before,
                    "numel_after_compression": after,
                }
            )

    def _bucket(self, step, b, seen):
        bucket = self.case.buckets[b]
        buffer = arrays.to_torch(self.case.tensors[f"in/t{step}/b{b}/k{self.k}"]).view(-1)
        length = buffer.numel()
        with watched_draws(self._given(step, b)) as draws:
            result = self.hook(self.state, GradBucket(bucket, buffer))
            result = result.wait() if hasattr(result, "wait") else result
        if isinstance(result, (list, tuple)):
            result = result[0]
        if not isinstance(result, torch.Tensor):
            raise TypeError(f"the hook returned {type(result).__name__}, not a tensor or a future of one")
        if result.numel() != length or result.dtype != buffer.dtype:
            raise ValueError(f"the hook returned {result.numel()} elements of {result.dtype} for {length}")
        seen[f"out/t{step}/b{b}"] = arrays.from_torch(result.view(-1))
        if self.case.compressed(step):
            self._note_given(step, b, draws)
            self._factors(step, b, draws, seen)

    def _given(self, step, b):
        """What the case gives for the draws of this step and bucket, in the hook's order; None: the hook draws."""
        if not self.case.gives_q or not self.case.is_drawn(b, step):
            return None
        tensors = [self.case.tensors[f"q0/t{step}/b{b}/i{f.tensor}"] for f in self.case.factors(b)]
        empty = torch.empty(0, dtype=arrays.TORCH[self.case.dtype.upper()])
        return torch.cat([empty] + [arrays.to_torch(tensor).reshape(-1) for tensor in tensors])

    def _note_given(self, step, b, draws):
        if draws.given is not None and not draws.all_given():
            if self.hook_is_torchs():
                raise Refused(f"{self.case.id}: step {step}, bucket {b}: the hook did not draw what the case gives")
            self.q_given = False

    def _factors(self, step, b, draws, seen):
        index, factors = self.case.buckets[b].index, self.case.factors(b)
        error = getattr(self.state, "error_dict", {}).get(index)
        if error is not None and self.case.config["use_error_feedback"]:
            seen[f"error/t{step}/b{b}"] = arrays.from_torch(error.view(-1))
        for name, side, attribute in (("p", "n", "p_memory_dict"), ("q", "m", "q_memory_dict")):
            memory = getattr(self.state, attribute, None)
            flat = memory.last(index) if isinstance(memory, Memory) else None
            if flat is not None:
                self._show(f"{name}/t{step}/b{b}", flat.reshape(-1), factors, side, seen)
        if draws and self.hook_is_torchs():
            self._show(f"q0/t{step}/b{b}", torch.cat([d.reshape(-1) for d in draws]), factors, "m", seen)

    def _show(self, name, flat, factors, side, seen):
        try:
            matrices = split(flat, factors, side)
        except Refused:
            if self.hook_is_torchs():
                raise
            return  # a port may keep its factors in another way: they are not shown
        for i, matrix in matrices.items():
            seen[f"{name}/i{i}"] = arrays.from_torch(matrix)

    def hook_is_torchs(self):
        return self.hook in (torch_hook.powerSGD_hook, torch_hook.batched_powerSGD_hook)

    def write(self, folder):
        outcome = {"rank": self.k, "status": self.status, "message": self.message, "steps_done": self.steps_done}
        metadata = {
            "status": json.dumps(outcome),
            "statistics": json.dumps(self.statistics),
            "q": "given" if self.q_given else "own",
        }
        safetensors.write(os.path.join(folder, f"{self.case.id}.k{self.k}"), self.tensors, metadata)


def run_cases(job, world_rank):
    """The cases of a job in order, on this rank of the process set."""
    environment.switch_onednn_off()
    hooks = {flattened: resolve(name) for flattened, name in ((False, job["hook"]), (True, job["flattened"])) if name}
    state_class = resolve(job["state"]) if job["state"] else torch_hook.PowerSGDState
    for path in job["cases"]:
        case = Case(path)
        group = dist.new_group(case.group, timeout=timedelta(seconds=job["case_timeout"]))
        if world_rank not in case.group:
            continue
        own = torch_hook.batched_powerSGD_hook if case.flattened else torch_hook.powerSGD_hook
        adapted = case.flattened and not hooks
        run = Run(case, case.group.index(world_rank), group, hooks.get(case.flattened, own), state_class)
        with matrices_as_batches() if adapted else contextlib.nullcontext():
            run.run()
        run.write(job["results"])
