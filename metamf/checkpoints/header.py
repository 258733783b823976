"""The header of a safetensors file: what a file says of itself, read without its tensors and without torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open


class CheckpointError(ValueError):
    """The error for a file that cannot be used as a checkpoint; the message says why."""


def read_header(path: str | Path) -> dict[str, Any]:
    """The JSON values in the header of a safetensors file.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    CheckpointError
        If it is not a safetensors file, or its header holds something other than JSON values.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no checkpoint {path}")
    try:
        with safe_open(path, framework="np") as file:  # maps the file, and reads the header alone
            return decode_header(file.metadata())
    except (SafetensorError, ValueError, RecursionError, OSError) as error:
        raise unreadable(path, error) from error


def decode_header(metadata: dict[str, str] | None) -> dict[str, Any]:
    """JSON texts by key, as safetensors keeps them -> values by key."""
    return {key: json.loads(value) for key, value in (metadata or {}).items()}


def unreadable(path: Path, error: Exception) -> CheckpointError:
    """The error for a file that safetensors or the JSON parser refuses."""
    return CheckpointError(f"{path} is not a safetensors checkpoint ({error})")
