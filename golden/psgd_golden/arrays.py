"""Between PyTorch's tensors and those of files. Only for processes that run PyTorch."""

import numpy
import torch

from . import safetensors

TORCH = {"F32": torch.float32, "F64": torch.float64, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64}
ELEMENT = {dtype: element for element, dtype in TORCH.items()}


def to_torch(tensor):
    """A new tensor with memory of its own."""
    dtype = TORCH[tensor.element]
    if not tensor.data:
        return torch.empty(tensor.shape, dtype=dtype)
    return torch.frombuffer(bytearray(tensor.data), dtype=dtype).reshape(tensor.shape).clone()


def from_torch(tensor):
    tensor = tensor.detach().contiguous()
    if tensor.dtype == torch.bfloat16:  # NumPy has no such type
        return safetensors.Tensor("BF16", tuple(tensor.shape), tensor.view(torch.int16).numpy().tobytes())
    return safetensors.Tensor(ELEMENT[tensor.dtype], tuple(tensor.shape), tensor.numpy().tobytes())


def from_uint32(numbers):
    data = numpy.asarray(numbers, dtype="<u4")
    return safetensors.Tensor("U32", data.shape, data.tobytes())
