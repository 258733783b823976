"""Messages between this program and a process that it has started: Python objects, one after the other.

They are pickled, which the rest of the project does without, since a table of a million ratings has to come back whole.
What is unpickled comes from a process of our own that runs our own code, as the same user, and never from a file.
Tensors go as arrays of numpy: torch's own way takes ten times as long.
"""

from __future__ import annotations

import io
import pickle
import struct
import sys
from typing import Any, BinaryIO

_LENGTH = struct.Struct("<Q")  # in front of each message: the number of its bytes


def send(stream: BinaryIO, message: Any) -> None:
    """Writes a message; OSError where nobody reads any more."""
    packed = packed_message(message)
    stream.write(_LENGTH.pack(len(packed)))
    stream.write(packed)
    stream.flush()


def packed_message(message: Any) -> bytes:
    """The bytes of a message; an error of its own kind where it holds what cannot be sent."""
    packed = io.BytesIO()
    _Packer(packed, protocol=5).dump(message)
    return packed.getvalue()


def receive(stream: BinaryIO) -> bytes:
    """The bytes of the next message; EOFError where there is none any more."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    packed = stream.read(*_LENGTH.unpack(head))
    if len(packed) < _LENGTH.unpack(head)[0]:
        raise EOFError
    return packed


def unpacked_message(packed: bytes) -> Any:
    """The message in its bytes."""
    return pickle.loads(packed)


class _Packer(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        torch = sys.modules.get("torch")  # where it is not imported, there is no tensor
        if torch is None or type(value) is not torch.Tensor:
            return NotImplemented
        try:
            return _tensor, (value.numpy(),)
        except (RuntimeError, TypeError):  # it has a gradient, or is elsewhere than in this computer's memory
            return NotImplemented


def _tensor(values: Any) -> Any:
    import torch

    return torch.from_numpy(values)
