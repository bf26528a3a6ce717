"""Recordings: the gradients that a real training hands to the hook, and what the hook hands back.

DistributedDataParallel trains a network (networks.py) with powerSGD_hook, registered by register_comm_hook. The hook is
wrapped: each bucket is copied before it runs, its result when it is there. What it returns trains the network, so the
later gradients are those of a compressed training. Refused: a network that does not fit one bucket, a run that was not
compressed, parameters whose gradient after the step is not what the hook returned, ranks whose results differ.

DistributedDataParallel may reorder a bucket's parameters after the first iteration. A recording has one layout, that of
its last step; the tensors of earlier (plain) steps are put in that order, and `reordered` names those steps: a sum over
ranks depends in its last bit on where an element lies, so results can be held bit for bit at the other steps alone.
"""

import json
import os

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as torch_hook
from torch.nn.parallel import DistributedDataParallel

from . import GENERATOR, Refused, arrays, environment, networks, safetensors
from .rank import make_state

FORMAT = "psgd-recording/1"
STEPS, BATCH, SEED = 10, 32, 1
CONFIG = {  # the hook's, in the words of case files; where nothing speaks against it, the hook's defaults
    "variant": "layerwise",
    "matrix_approximation_rank": 2,
    "start_iter": 2,
    "min_compression_rate": 2.0,
    "use_error_feedback": True,
    "warm_start": True,
    "orthogonalization_epsilon": 0.0,
    "random_seed": 0,
    "compression_stats_logging_frequency": 10000,
    "batch_tensors_with_same_shape": False,
}
BUCKET_MB = 1  # more than any of the networks has


class Step:
    """One bucket: before and after are copies of the whole of it, order the parameters' numbers in it."""

    def __init__(self, bucket, numbers):
        self.order = [numbers[id(parameter)] for parameter in bucket.parameters()]
        self.sizes = [gradient.numel() for gradient in bucket.gradients()]
        self.before, self.after = bucket.buffer().clone(), None

    def finish(self, future):
        """Keeps what the hook returned and passes it on."""
        result = future.value()
        self.after = result.clone()
        return result

    def in_order(self, flat, order):
        """The bucket's values with its parameters in another order."""
        parts = dict(zip(self.order, flat.split(self.sizes)))
        return torch.cat([parts[number] for number in order])


def train(training, rank, world):
    """(steps, shapes by the parameter's number) of one rank."""
    images, labels = networks.shard(rank, world)
    torch.manual_seed(SEED)
    model = DistributedDataParallel(training.network(), bucket_cap_mb=BUCKET_MB)
    parameters = list(model.parameters())
    numbers = {id(parameter): number for number, parameter in enumerate(parameters)}
    steps = []

    def recording_hook(state, bucket):
        if not bucket.is_last() or bucket.index() != 0:
            raise Refused("the network does not fit one bucket")
        steps.append(Step(bucket, numbers))
        return torch_hook.powerSGD_hook(state, bucket).then(steps[-1].finish)

    state = make_state(torch_hook.PowerSGDState, CONFIG, None)
    model.register_comm_hook(state, recording_hook)
    optimiser = torch.optim.SGD(parameters, lr=training.rate, momentum=networks.MOMENTUM)
    for number in range(STEPS):
        batch = slice(number * BATCH, (number + 1) * BATCH)
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(model(images[batch]), labels[batch]).backward()
        check_gradients(steps, number, parameters)
        optimiser.step()
    before, after = state.compression_stats()[1:]
    if not 0 < after < before:
        raise Refused(f"the compressed path did not run: statistics {before}, {after}")
    return steps, [list(parameter.shape) for parameter in parameters]


def check_gradients(steps, number, parameters):
    """The optimiser gets the very values that the hook returned."""
    if len(steps) != number + 1:
        raise Refused(f"{len(steps)} buckets in {number + 1} steps")
    step = steps[-1]
    used = torch.cat([parameters[i].grad.reshape(-1) for i in step.order])
    if not torch.equal(used, step.after):
        raise Refused(f"step {number}: the parameters' gradients are not what the hook returned")


def gather(steps, order, world):
    """Every rank's buckets and results, in one order: {tensor name: tensor}. Refused where ranks differ."""
    own = [tuple(step.in_order(flat, order) for flat in (step.before, step.after)) for step in steps]
    gathered = [None] * world
    dist.all_gather_object(gathered, (own, [step.order for step in steps]))
    tensors = {}
    for number in range(STEPS):
        for k, (values, orders) in enumerate(gathered):
            if orders != gathered[0][1] or not torch.equal(values[number][1], gathered[0][0][number][1]):
                raise Refused(f"step {number}: rank {k} has another layout or another result than rank 0")
            tensors[f"in/t{number}/b0/k{k}"] = arrays.from_torch(values[number][0])
        tensors[f"out/t{number}/b0"] = arrays.from_torch(gathered[0][0][number][1])
    return tensors


def record(job, rank):
    training = networks.TRAININGS[job["name"]]
    steps, shapes = train(training, rank, job["world"])
    order = steps[-1].order
    if any(step.order != order for step in steps[CONFIG["start_iter"] :]):
        raise Refused("the bucket was reordered after its first compressed step")
    tensors = gather(steps, order, job["world"])
    if rank != 0:
        return
    metadata = {
        "format": FORMAT,
        "name": job["name"],
        "problem": f"rec:{job['name']}",
        "world": str(job["world"]),
        "steps": str(STEPS),
        "start_iter": str(CONFIG["start_iter"]),
        "dtype": "f32",
        "buckets": json.dumps([{"index": 0, "is_last": True, "shapes": [shapes[i] for i in order]}]),
        "config": json.dumps(CONFIG),
        "reordered": json.dumps([number for number, step in enumerate(steps) if step.order != order]),
        "model": training.model,
        "data": networks.DATA,
        "training": f"cross-entropy, {BATCH} images a rank and step, SGD of rate {training.rate}, "
        f"momentum {networks.MOMENTUM}, torch.manual_seed({SEED})",
        "producer": "PyTorch DistributedDataParallel with powerSGD_hook on scikit-learn's digits",
        "version": environment.torch_version(job["described"]),
        "made_by": GENERATOR,
    }
    safetensors.write(os.path.join(job["results"], f"rec-{job['name']}.safetensors"), tensors, metadata)
