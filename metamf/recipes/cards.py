"""Checkpoints with a card next to them: what they learned from, how well they do, and how they were
made.

The text of each kind of card is a file next to this one; the tables between its markers are written
by ``benchmarks/report``.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import torch

from metamf.checkpoints.files import Network, save_checkpoint
from metamf.checkpoints.info import CheckpointInfo
from metamf.checkpoints.paper_comparison import as_markdown, compared_with_paper
from metamf.files import write_atomically
from metamf.learning.training import MetaTraining


def save_with_card(
    out: str | Path, model: Network, card: Callable[[CheckpointInfo, Any], str], **fields: Any
) -> CheckpointInfo:
    """Writes a checkpoint and, under the same name with the suffix ``.md``, its card; ``fields``:
    its other fields."""
    out = Path(out)
    versions = {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }
    today = date.today().isoformat()
    info = CheckpointInfo(name=out.stem, versions=versions, created=today, **fields)
    save_checkpoint(out, model, info)
    write_atomically(out.with_suffix(".md"), card(info, model).encode())
    return info


def training_of(training: MetaTraining) -> dict[str, Any]:
    """What a recipe says of a training: its settings, and its best epoch and the one whose
    parameters are kept."""
    return {
        "training": asdict(training.config),
        "best_epoch": training.history[-1].best_epoch,
        "kept_epoch": training.kept_epoch,
    }


def card_of(file: str, info: CheckpointInfo, model: Network, **fields: Any) -> str:
    """The card that a file next to this one is the form of."""
    return text_of(file).format(
        info=info,
        parameters=sum(parameter.numel() for parameter in model.parameters()),
        comparison=as_markdown(compared_with_paper(model, info)),
        **fields,
    )


def text_of(name: str) -> str:
    """The text of a card's file, with fields to fill in."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def density_range(values: Sequence[float]) -> tuple[float, float]:
    """The lowest and the highest of ``values``, as a card has them."""
    return round(min(values), 4), round(max(values), 4)
