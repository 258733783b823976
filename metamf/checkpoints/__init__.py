"""Checkpoints: safetensors files that say what they hold, and the bundled ones by name.

What needs torch is imported when it is asked for: names and descriptions do without.
"""

from typing import TYPE_CHECKING

from metamf.checkpoints.bundled import describe, find_checkpoint, list_pretrained, open_checkpoint
from metamf.checkpoints.header import CheckpointError, read_header
from metamf.checkpoints.info import CheckpointInfo

if TYPE_CHECKING:
    from metamf.checkpoints.checkpoint import load_checkpoint, save_checkpoint
    from metamf.checkpoints.files import read_safetensors, write_safetensors
else:
    from metamf.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "metamf.checkpoints.checkpoint": "load_checkpoint save_checkpoint",
            "metamf.checkpoints.files": "read_safetensors write_safetensors",
        },
    )

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
