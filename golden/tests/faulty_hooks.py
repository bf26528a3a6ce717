"""Hooks for the tests of --hook: what a port under test may do. The faulty ones are the usual mistakes of a port."""

import os

import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as torch_hook
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import powerSGD_hook

# ---- how a port may end ----


def same(state, bucket):
    """A port that is right; it returns a tensor, not a future."""
    return powerSGD_hook(state, bucket).wait()


def raises(state, bucket):
    if state.iter == 3:
        raise RuntimeError("no step 3\nand more")
    return powerSGD_hook(state, bucket)


def raises_alone(state, bucket):
    """On the last rank only: the others wait for it in vain."""
    if state.iter == 3 and dist.get_rank(state.process_group) == dist.get_world_size(state.process_group) - 1:
        raise RuntimeError("not I")
    return powerSGD_hook(state, bucket)


def dies(state, bucket):
    if state.iter == 3:
        os._exit(9)
    return powerSGD_hook(state, bucket)


def hangs(state, bucket):
    while state.iter == 3:
        pass
    return powerSGD_hook(state, bucket)


def returns_nothing(state, bucket):
    powerSGD_hook(state, bucket).wait()


def refuses(state, bucket):
    raise NotImplementedError("not this")


def one_rank_only(state, bucket):
    """Has no more than one rank, and says so."""
    if dist.get_world_size(state.process_group) > 1:
        raise NotImplementedError("one rank only")
    return powerSGD_hook(state, bucket)


# ---- faults ----


def forgets_error(state, bucket):
    """Error feedback that starts from nothing at every step."""
    state.error_dict.clear()
    return powerSGD_hook(state, bucket)


def sums(state, bucket):
    """The sum over the ranks for their mean, in plain steps."""
    plain = state.iter < state.start_powerSGD_iter
    result = powerSGD_hook(state, bucket).wait()
    return result * dist.get_world_size(state.process_group) if plain else result


def other_seed(state, bucket):
    """A first Q that is not the hook's."""
    if state.iter == state.start_powerSGD_iter and bucket.index() not in state.q_memory_dict:
        state.rng.seed(state.rng.randint(1_000_000))
    return powerSGD_hook(state, bucket)


def cold_start(state, bucket):
    """Warm start that never is."""
    state.q_memory_dict.pop(bucket.index(), None)
    state.p_memory_dict.pop(bucket.index(), None)
    return powerSGD_hook(state, bucket)


def left_out_orthogonalisation(state, bucket):
    """P as it was summed."""
    original = torch_hook._orthogonalize
    torch_hook._orthogonalize = lambda matrices, epsilon=0: None
    try:
        return powerSGD_hook(state, bucket).wait()
    finally:
        torch_hook._orthogonalize = original


def moves_elements(state, bucket):
    """Right but for two elements that have changed places, from the third compressed step on."""
    result = powerSGD_hook(state, bucket).wait()
    if state.iter > state.start_powerSGD_iter + 1 and result.numel() > 1:
        result = result.clone()
        result[:2] = torch.flip(result[:2], [0])
    return result
