"""Checkpoints with a card next to them: what they learned from, how well they do, and how they were made.

The text of each kind of card is a file next to this one; the tables between its markers are written by
``benchmarks/report``.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from metamf.checkpoints.files import Network, save_checkpoint
from metamf.checkpoints.info import CheckpointInfo
from metamf.files import write_atomically


def save_with_card(
    out: Path, model: Network, card: Callable[[CheckpointInfo, Any], str], **fields: Any
) -> CheckpointInfo:
    """Writes a checkpoint and, under the same name with the suffix ``.md``, its card; ``fields``: its other fields."""
    info = CheckpointInfo(name=out.stem, **made_now() | fields)
    save_checkpoint(out, model, info)
    write_atomically(out.with_suffix(".md"), card(info, model).encode())
    return info


def made_now() -> dict[str, Any]:
    """The fields of ``CheckpointInfo`` on when and with which versions a checkpoint was made."""
    versions = {"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__}
    return {"versions": versions, "created": date.today().isoformat()}


def size_of(model: nn.Module) -> int:
    """The number of parameters."""
    return sum(parameter.numel() for parameter in model.parameters())


def text_of(name: str) -> str:
    """The text of a card's file, with fields to fill in."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def density_range(values: Sequence[float]) -> tuple[float, float]:
    """The lowest and the highest of ``values``, as a card has them."""
    return round(min(values), 4), round(max(values), 4)
