"""A trained model as two files beside each other: a checkpoint, and a card that says what it is."""

from __future__ import annotations

import platform
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import torch

from metamf.checkpoints.files import Network, save_checkpoint
from metamf.checkpoints.info import CheckpointInfo
from metamf.files import write_atomically


def made_now() -> dict[str, Any]:
    """The fields of ``CheckpointInfo`` on when and with which versions a checkpoint was made."""
    versions = {"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__}
    return {"versions": versions, "created": date.today().isoformat()}


def save_with_card(out: Path, model: Network, info: CheckpointInfo, card: str) -> None:
    """Writes the checkpoint, and the card under the same name with the suffix ``.md``."""
    save_checkpoint(out, model, info)
    write_atomically(out.with_suffix(".md"), card.encode())
