"""Reading and writing safetensors files: 8 bytes of header length, a JSON header, the tensors' bytes.

Standard library only, so that it runs where NumPy does not: a tensor is its type's name, its shape and its bytes. The
writer keeps the order of the tensors and sorts the metadata's keys: equal content gives equal bytes. The reader refuses
what the format does not allow (truncation, holes, overlaps, a shape that does not fit its bytes); the kit's own reader,
in C, is the one made for hostile files.
"""

import json
import os
from typing import NamedTuple

from . import Refused

ELEMENT_SIZE = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "U8": 1, "U32": 4, "I32": 4, "U64": 8, "I64": 8}


class Tensor(NamedTuple):
    element: str  # "F32", ... as in the header
    shape: tuple
    data: bytes


def _element_count(shape):
    count = 1
    for size in shape:
        count *= size
    return count


def serialize(tensors, metadata):
    """The bytes of a file with these tensors (name -> Tensor, in order) and metadata (str -> str)."""
    header = {"__metadata__": {key: metadata[key] for key in sorted(metadata)}}
    offset = 0
    for name, tensor in tensors.items():
        if len(tensor.data) != _element_count(tensor.shape) * ELEMENT_SIZE[tensor.element]:
            raise ValueError(f"tensor {name}: shape {tensor.shape} does not fit its {len(tensor.data)} bytes")
        header[name] = {
            "dtype": tensor.element,
            "shape": list(tensor.shape),
            "data_offsets": [offset, offset + len(tensor.data)],
        }
        offset += len(tensor.data)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(t.data for t in tensors.values())


def write(path, tensors, metadata):
    """Writes a file so that path is at any moment the old file or the whole new one."""
    temporary = f"{path}.{os.getpid()}.part"
    with open(temporary, "wb") as file:
        file.write(serialize(tensors, metadata))
    os.replace(temporary, path)


def _no_duplicates(pairs):
    names = dict(pairs)
    if len(names) != len(pairs):
        raise ValueError("duplicate names in the header")
    return names


def parse(content):
    """(tensors, metadata) of a file's bytes; ValueError says what is wrong."""
    length = int.from_bytes(content[:8], "little")
    if len(content) < 8 or length > len(content) - 8:
        raise ValueError("truncated: the header is longer than the file")
    header = json.loads(content[8 : 8 + length].decode(), object_pairs_hook=_no_duplicates)
    if not isinstance(header, dict):
        raise ValueError("the header is not an object")
    metadata = header.pop("__metadata__", {})
    tensors, end = {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, end_of_tensor = entry["data_offsets"]
        shape = tuple(entry["shape"])
        if begin != end or end_of_tensor - begin != _element_count(shape) * ELEMENT_SIZE[entry["dtype"]]:
            raise ValueError(f"tensor {name}: its bytes leave a hole, overlap, or do not fit its shape")
        end = end_of_tensor
        if end > len(content) - 8 - length:
            raise ValueError(f"truncated in tensor {name}")
        tensors[name] = Tensor(entry["dtype"], shape, content[8 + length + begin : 8 + length + end])
    if 8 + length + end != len(content):
        raise ValueError("bytes after the last tensor")
    return tensors, metadata


def read(path):
    try:
        with open(path, "rb") as file:
            return parse(file.read())
    except (ValueError, KeyError, TypeError) as error:
        raise Refused(f"{path}: not a safetensors file: {error}") from error
