"""Checkpoints: safetensors files that say what they hold, and the bundled ones by name."""

from metamf.checkpoints.bundled import find_checkpoint, list_pretrained
from metamf.checkpoints.checkpoint import CheckpointInfo, load_checkpoint, save_checkpoint
from metamf.checkpoints.files import CheckpointError, read_safetensors, write_safetensors

__all__ = [
    "CheckpointError",
    "CheckpointInfo",
    "find_checkpoint",
    "list_pretrained",
    "load_checkpoint",
    "read_safetensors",
    "save_checkpoint",
    "write_safetensors",
]
