"""Hooks for tests/hook.py: what a port under test may do."""

import os

from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import powerSGD_hook


def same(state, bucket):
    """A port that is right; it returns a tensor, not a future."""
    return powerSGD_hook(state, bucket).wait()


def raises(state, bucket):
    if state.iter == 3:
        raise RuntimeError("no step 3\nand more")
    return powerSGD_hook(state, bucket)


def dies(state, bucket):
    if state.iter == 3:
        os._exit(9)
    return powerSGD_hook(state, bucket)
