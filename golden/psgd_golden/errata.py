"""What PyTorch's hook does that a port need not do: the list of golden/README.md, observed by running the hook of the
PyTorch at hand, so that the list can be held against any version. Two ranks; what rank 0 sees is written.

Each fact is a question and a function that answers it in a word or two. Neither says which answer is right.
"""

import contextlib
import json
import os
import pickle

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as torch_hook

from .cases import Bucket
from .rank import GradBucket, matrices_as_batches

N, M = 12, 9
FILE = "errata.json"


def state(**options):
    values = {"process_group": None, "matrix_approximation_rank": 1, "start_powerSGD_iter": 2, **options}
    return torch_hook.PowerSGDState(**values)


def bucket_of(*tensors):
    buffer = torch.cat([t.reshape(-1) for t in tensors])
    return GradBucket(Bucket(0, True, [tuple(t.shape) for t in tensors]), buffer)


def step(s, *tensors, hook=torch_hook.powerSGD_hook):
    """The hook's result for a bucket of these tensors, 1-D; a state that was not used before is let past its start."""
    s.iter = max(s.iter, s.start_powerSGD_iter)
    return hook(s, bucket_of(*tensors)).wait()


def gauss(*shape, seed=1, dtype=torch.float32):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator).to(dtype)


def raised(function):
    try:
        function()
        return "accepted"
    except Exception as error:
        return said(error)


def said(error):
    """Its type and first line, without those of the callbacks that it came through."""
    lines = str(error).rpartition("running the callback: ")[2].strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else f"{type(error).__name__} without a message"


def finite(tensor):
    if tensor.isnan().all():
        return "all NaN"
    return "finite" if tensor.isfinite().all() else "partly not finite"


def then_gauss(first, **options):
    """What comes of `first` and, in the next step, of ordinary gradients."""
    s = state(**options)
    return f"{finite(step(s, first))}, next step {finite(step(s, gauss(*first.shape)))}"


def one_row():
    matrix = torch.zeros(N, M)
    matrix[3] = gauss(M)
    return matrix


def dependent():
    column = gauss(N, 1)
    return column @ gauss(1, M, seed=2)


def flattened(s, *tensors):
    with matrices_as_batches():
        return step(s, *tensors, hook=torch_hook.batched_powerSGD_hook)


def flattened_zeros():
    return finite(flattened(state(orthogonalization_epsilon=0.1), torch.zeros(N, M)))


def flattened_above_side():
    s = state(matrix_approximation_rank=4)
    return f"{raised(lambda: flattened(s, gauss(3, 3)))}; elements counted {s.total_numel_before_compression}"


def flattened_neighbour():
    """Of a shared storage: what follows the bucket."""
    storage = torch.ones(20)
    bucket = GradBucket(Bucket(0, True, [(7,)]), storage[:7])
    s = state()
    s.iter = 2
    with matrices_as_batches():
        torch_hook.batched_powerSGD_hook(s, bucket).wait()
    return "untouched" if bool((storage[7:] == 1).all()) else "overwritten"


def raises_and_counts(tensor):
    s = state()
    return f"{raised(lambda: step(s, gauss(N, M), tensor))}; elements counted {s.total_numel_before_compression}"


def passes_without_columns():
    s = state(use_error_feedback=False)
    matrix = gauss(N, M)
    return "passes through" if torch.equal(step(s, matrix, torch.zeros(4, 0)), step(state(), matrix)) else "differs"


def swapped_layout():
    s = state()
    step(s, gauss(N, M), gauss(M, N))
    return raised(lambda: step(s, gauss(M, N), gauss(N, M)))


def other_layout():
    s = state()
    step(s, gauss(N, M))
    return raised(lambda: step(s, gauss(N, M + 3)))


def flipped_bit():
    s = state()
    step(s, gauss(N, M))
    content = bytearray(pickle.dumps(s))
    values = s.error_dict[0].numpy().tobytes()
    content[content.index(values) + 5] ^= 4
    return raised(lambda: pickle.loads(bytes(content)))


@contextlib.contextmanager
def broken_collective():
    def fails(*_arguments, **_options):
        raise RuntimeError("no network")

    original, dist.all_reduce = dist.all_reduce, fails
    try:
        yield
    finally:
        dist.all_reduce = original


def after_a_failed_collective():
    s = state()
    step(s, gauss(N, M))
    error, bucket = s.error_dict[0].clone(), bucket_of(gauss(N, M, seed=3))
    before = bucket.buffer().clone()
    with broken_collective():
        raised(lambda: torch_hook.powerSGD_hook(s, bucket))
    if torch.equal(bucket.buffer(), before + error):
        return "gradient plus error"
    return "the gradient" if torch.equal(bucket.buffer(), before) else "something else"


def overflow(iteration):
    """Of an uncompressed tensor whose mean over the ranks is representable."""
    s = state(use_error_feedback=False, start_powerSGD_iter=2)
    s.iter = iteration
    return finite(torch_hook.powerSGD_hook(s, bucket_of(torch.full((4,), 3e38))).wait())


def half(dtype, rank):
    """One compressed step; of its error: is it the rounded difference, in the bucket's type?"""
    group = dist.new_group()  # of its own: a collective that fails spoils its group for the next
    s = state(process_group=group, matrix_approximation_rank=rank, min_compression_rate=0.5)
    gradient = gauss(N, M, dtype=dtype)
    out = step(s, gradient)
    if s.error_dict[0].dtype != dtype or not torch.equal(s.error_dict[0], gradient.reshape(-1) - out):
        return "runs; the error is something else than the rounded difference"
    return "runs; the error is the rounded difference"


def own_generator():
    torch.manual_seed(5)
    expected = torch.randn(3)
    torch.manual_seed(5)
    step(state(), gauss(N, M))
    return "untouched" if torch.equal(torch.randn(3), expected) else "moved on"


def norms(rank, scale):
    """How far the columns that the hook orthogonalises are from orthonormal."""
    matrix = (gauss(N, rank, dtype=torch.float64) * scale).float().unsqueeze(0)
    torch_hook._orthogonalize(matrix)
    found = matrix[0].double()
    gap = (torch.eye(rank).double() - found.T @ found).abs().max().item()
    if gap != gap or not found.any():
        return "NaN" if gap != gap else "zeros"
    return "orthonormal" if gap < 1e-6 else f"off by {gap:.0e}"


def flattened_unadapted():
    return raised(lambda: step(state(), gauss(N, M), hook=torch_hook.batched_powerSGD_hook))


def refused_options(**options):
    return raised(lambda: state(**options))


NONE = {"use_error_feedback": False, "warm_start": False}
NAN = float("nan")
FACTS = (
    ("flattened variant as it stands", flattened_unadapted),
    ("flattened, adapted, r above the side", flattened_above_side),
    ("flattened, zeros, r = 1, epsilon 0.1", flattened_zeros),
    ("flattened, rate 1000", lambda: finite(flattened(state(min_compression_rate=1000), gauss(N, M)))),
    ("flattened, memory behind the bucket", flattened_neighbour),
    ("zero matrix, r = 1", lambda: then_gauss(torch.zeros(N, M))),
    ("zero matrix, r = 1, no memories", lambda: then_gauss(torch.zeros(N, M), **NONE)),
    ("zero matrix, r = 1, epsilon 1e-8", lambda: then_gauss(torch.zeros(N, M), orthogonalization_epsilon=1e-8)),
    ("zero matrix, r = 3", lambda: then_gauss(torch.zeros(N, M), matrix_approximation_rank=3, min_compression_rate=1)),
    ("one row not zero, r = 2", lambda: then_gauss(one_row(), matrix_approximation_rank=2)),
    ("matrix of rank 1, r = 2", lambda: then_gauss(dependent(), matrix_approximation_rank=2)),
    ("tensor of no rows", lambda: raises_and_counts(torch.zeros(0, 5))),
    ("tensor of no rows, 1-D", lambda: raises_and_counts(torch.zeros(0))),
    ("tensor without dimensions", lambda: raises_and_counts(torch.tensor(1.0))),
    ("tensor of no columns", passes_without_columns),
    ("start 1 with error feedback", lambda: refused_options(start_powerSGD_iter=1, warm_start=False)),
    ("start 1 with warm start", lambda: refused_options(start_powerSGD_iter=1, use_error_feedback=False)),
    ("start 1 with neither", lambda: refused_options(start_powerSGD_iter=1, **NONE)),
    ("r = 0", lambda: refused_options(matrix_approximation_rank=0)),
    ("rate NaN", lambda: refused_options(min_compression_rate=NAN)),
    ("epsilon NaN", lambda: refused_options(orthogonalization_epsilon=NAN)),
    ("statistics every 0", lambda: state(compression_stats_logging_frequency=0).compression_stats_logging_frequency),
    ("rate before anything is counted", lambda: state().compression_stats()[0]),
    ("layout changed to one of the same sizes", swapped_layout),
    ("layout changed otherwise", other_layout),
    ("pickle with a bit of the error flipped", flipped_bit),
    ("buffer after a failed collective", after_a_failed_collective),
    ("two ranks with 3e38, plain step", lambda: overflow(0)),
    ("two ranks with 3e38, uncompressed tensor", lambda: overflow(2)),
    ("caller's generator", own_generator),
    ("Gram-Schmidt at 1e19", lambda: norms(2, 1e19)),
    ("Gram-Schmidt at 1e-22", lambda: norms(2, 1e-22)),
    ("Gram-Schmidt at 1e-25", lambda: norms(2, 1e-25)),
    ("QR at 1e35", lambda: norms(3, 1e35)),
    ("QR at 1e-35", lambda: norms(3, 1e-35)),
    ("f16, r = 1", lambda: half(torch.float16, 1)),
    ("f16, r = 3", lambda: half(torch.float16, 3)),
    ("bf16, r = 1", lambda: half(torch.bfloat16, 1)),
    ("bf16, r = 3", lambda: half(torch.bfloat16, 3)),
)


def observe(job, rank):
    observed = []
    for fact, answer in FACTS:
        try:
            observed.append((fact, str(answer())))
        except Exception as error:
            observed.append((fact, said(error)))
    if rank == 0:
        with open(os.path.join(job["results"], FILE), "w", encoding="utf-8") as file:
            json.dump(observed, file)
