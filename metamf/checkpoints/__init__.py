"""Checkpoints: safetensors files that describe themselves, and the bundled ones by name.

What needs torch is imported on first use; names and descriptions do without it.
"""

from typing import TYPE_CHECKING

from metamf.checkpoints.bundled import describe, find_checkpoint, list_pretrained, open_checkpoint
from metamf.checkpoints.info import CheckpointError, CheckpointInfo, read_header

if TYPE_CHECKING:
    from metamf.checkpoints.files import load_checkpoint, read_safetensors, save_checkpoint, write_safetensors
else:
    from metamf.lazy import lazy_names

    __getattr__, __dir__ = lazy_names(
        __name__,
        {"metamf.checkpoints.files": "load_checkpoint read_safetensors save_checkpoint write_safetensors"},
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
