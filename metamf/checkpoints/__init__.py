"""Checkpoints: safetensors files that say what they hold, and the bundled ones by name.

What needs torch is imported when it is asked for: names and descriptions do without.
"""

from importlib import import_module

from metamf.checkpoints.bundled import describe, find_checkpoint, list_pretrained, open_checkpoint
from metamf.checkpoints.header import CheckpointError, read_header
from metamf.checkpoints.info import CheckpointInfo

_LATE = {
    "load_checkpoint": "checkpoint",
    "save_checkpoint": "checkpoint",
    "read_safetensors": "files",
    "write_safetensors": "files",
}

__all__ = [
    "CheckpointError",
    "CheckpointInfo",
    "describe",
    "find_checkpoint",
    "list_pretrained",
    "load_checkpoint",
    "open_checkpoint",
    "read_header",
    "read_safetensors",
    "save_checkpoint",
    "write_safetensors",
]


def __getattr__(name: str):
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
