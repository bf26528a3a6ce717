"""Recordings: the gradients that a real training hands to the hook.

digits-cnn: a small convolutional network on scikit-learn's digits, three ranks with different thirds of the data,
DistributedDataParallel with powerSGD_hook. The hook is wrapped to copy each bucket before it runs; what it returns
trains the network, so the later gradients are those of a compressed training.

DistributedDataParallel may reorder a bucket's parameters after the first iteration. A recording has one layout, that of
its last step; the tensors of earlier (plain) steps are put in that order.
"""

import json
import os

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as torch_hook
from torch.nn.parallel import DistributedDataParallel

from . import GENERATOR, Refused, arrays, environment, safetensors

FORMAT = "psgd-recording/1"
START, STEPS, BATCH, RATE = 2, 10, 32, 0.1


def network():
    """2146 parameters. At rank 2 and rate 2 all matrices but the first layer's (6 x 9) are compressed."""
    torch.manual_seed(1)
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 6, 3),
        torch.nn.ReLU(),
        torch.nn.Conv2d(6, 12, 3),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(48, 24),
        torch.nn.ReLU(),
        torch.nn.Linear(24, 10),
    )


def shard(rank, world):
    """Every world-th digit from rank on: images [count, 1, 8, 8], labels [count]."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16
    return images[rank::world], torch.tensor(digits.target)[rank::world]


def train(rank, world):
    """The steps' gradients: [step] -> [(parameter's number, gradient)] in bucket order."""
    images, labels = shard(rank, world)
    model = DistributedDataParallel(network())
    numbers = {id(parameter): i for i, parameter in enumerate(model.parameters())}
    steps = []

    def recording_hook(state, bucket):
        if not bucket.is_last() or bucket.index() != 0:
            raise Refused("the network does not fit one bucket")
        order = [numbers[id(parameter)] for parameter in bucket.parameters()]
        steps.append([(i, gradient.clone()) for i, gradient in zip(order, bucket.gradients())])
        return torch_hook.powerSGD_hook(state, bucket)

    state = torch_hook.PowerSGDState(None, matrix_approximation_rank=2, start_powerSGD_iter=START)
    model.register_comm_hook(state, recording_hook)
    optimiser = torch.optim.SGD(model.parameters(), lr=RATE, momentum=0.9)
    for step in range(STEPS):
        batch = slice(step * BATCH, (step + 1) * BATCH)
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(model(images[batch]), labels[batch]).backward()
        optimiser.step()
    before, after = state.compression_stats()[1:]
    if len(steps) != STEPS or not 0 < after < before:
        raise Refused(f"the compressed path did not run: {len(steps)} buckets, statistics {before}, {after}")
    return steps


def record(job, rank):
    steps = train(rank, job["world"])
    layout = [i for i, _ in steps[-1]]
    shapes = [list(gradient.shape) for _, gradient in steps[-1]]
    flat = []
    for step in steps:
        by_number = dict(step)
        flat.append(torch.cat([by_number[i].reshape(-1) for i in layout]))
    gathered = [None] * job["world"]
    dist.all_gather_object(gathered, (flat, layout))
    if any(other[1] != layout for other in gathered):
        raise Refused("the ranks' buckets are laid out differently")
    if rank != 0:
        return
    tensors = {}
    for step in range(STEPS):
        for k, (gradients, _) in enumerate(gathered):
            tensors[f"in/t{step}/b0/k{k}"] = arrays.from_torch(gradients[step])
    metadata = {
        "format": FORMAT,
        "name": job["name"],
        "problem": f"rec:{job['name']}",
        "world": str(job["world"]),
        "steps": str(STEPS),
        "start_iter": str(START),
        "dtype": "f32",
        "buckets": json.dumps([{"index": 0, "is_last": True, "shapes": shapes}]),
        "producer": "PyTorch DistributedDataParallel on scikit-learn's digits",
        "version": environment.torch_version(job["described"]),
        "made_by": GENERATOR,
    }
    safetensors.write(os.path.join(job["results"], f"rec-{job['name']}.safetensors"), tensors, metadata)
