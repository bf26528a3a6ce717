"""Raw draws of NumPy's and PyTorch's generators, for tests of the seeded Q.

draws-<seed>-<dtype>.safetensors holds `seeds`, the first numbers of RandomState(seed).randint(1e9), and d/0, d/1, ...:
torch.randn of the sizes below, drawn one after the other from one generator that was seeded with seeds[0]. Below 16
elements the generator keeps a cached partner from call to call; from 16 on it fills blocks and neither uses nor drops
the cached one: odd counts stand before and after blocks.
"""

import os

import numpy
import torch

from . import GENERATOR, arrays, environment, safetensors

FORMAT = "psgd-draws/1"
SEEDS = (0, 1, 42, 4294967295)
SEED_COUNT = 256
SIZES = (1, 2, 3, 15, 16, 1, 17, 5, 31, 32, 33, 7, 48, 100, 9, 1000, 11, 8, 1, 257, 13)


def draw(job, _rank):
    version = environment.torch_version(job["described"])
    for seed in SEEDS:
        seeds = [int(n) for n in _seeds(seed)]
        for name, dtype in (("f32", torch.float32), ("f64", torch.float64)):
            torch.manual_seed(seeds[0])
            tensors = {"seeds": arrays.from_uint32(seeds)}
            for j, size in enumerate(SIZES):
                tensors[f"d/{j}"] = arrays.from_torch(torch.randn(size, dtype=dtype))
            metadata = {
                "format": FORMAT,
                "seed": str(seed),
                "torch_seed": str(seeds[0]),
                "dtype": name,
                "problem": f"draws of seed {seed}, {name}",
                "producer": "NumPy RandomState.randint, PyTorch randn",
                "version": version,
                "made_by": GENERATOR,
            }
            safetensors.write(os.path.join(job["results"], f"draws-{seed}-{name}.safetensors"), tensors, metadata)


def _seeds(seed):
    state = numpy.random.RandomState(seed)
    return [state.randint(1_000_000_000) for _ in range(SEED_COUNT)]
