"""safetensors files with a header of JSON values, read and written whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from metamf.checkpoints.header import CheckpointError, decode_header, unreadable
from metamf.files import write_atomically

__all__ = ["CheckpointError", "read_safetensors", "write_safetensors"]


def write_safetensors(path: str | Path, tensors: dict[str, torch.Tensor], header: dict[str, Any]) -> Path:
    """Writes tensors, and a header of JSON values, all at once (``metamf.files``); the folder is made if need be."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, save(tensors, {key: json.dumps(value) for key, value in header.items()}))
    return path


def read_safetensors(path: str | Path) -> tuple[dict[str, torch.Tensor], dict[str, Any]]:
    """Tensors and header of a file that ``write_safetensors`` wrote; CheckpointError if it is anything else."""
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no checkpoint {path}")
    try:
        with safe_open(path, framework="pt") as file:
            header = decode_header(file.metadata())
            return {key: file.get_tensor(key) for key in file.keys()}, header  # noqa: SIM118  a file, not a dict
    except (SafetensorError, ValueError, RecursionError, OSError) as error:
        raise unreadable(path, error) from error
