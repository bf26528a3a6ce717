"""Tensors of files as NumPy arrays, where no PyTorch is needed."""

import numpy as np

EPSILON = {"f32": 2.0**-23, "f64": 2.0**-52, "f16": 2.0**-10, "bf16": 2.0**-7}
TYPES = {"F32": np.float32, "F64": np.float64, "F16": np.float16, "U32": np.uint32}


def to_array(tensor):
    """In the tensor's type; bf16, which NumPy lacks, as f32 of the same values."""
    if tensor.element == "BF16":
        words = np.frombuffer(tensor.data, dtype=np.uint16).astype(np.uint32) << 16
        return words.view(np.float32).reshape(tensor.shape)
    return np.frombuffer(tensor.data, dtype=TYPES[tensor.element]).reshape(tensor.shape)


def to_double(tensor):
    return to_array(tensor).astype(np.float64)
