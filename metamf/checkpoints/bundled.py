"""The bundled checkpoints, by name."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import torch

from metamf import datasets
from metamf.checkpoints.checkpoint import CheckpointInfo, Model, load_checkpoint

PRETRAINED = Path(__file__).resolve().parents[2] / "pretrained"
TITLES = {name: archive.title for name, archive in datasets.ARCHIVES.items()} | {"universal": "Universal"}


def list_pretrained() -> list[str]:
    """The names of the bundled checkpoints."""
    return sorted(path.stem for path in PRETRAINED.glob("*.safetensors"))


def find_checkpoint(name: str | Path) -> Path:
    """The file of a bundled checkpoint, by name, or the file at a path.

    Raises FileNotFoundError, which lists the names, if there is neither.
    """
    if name in list_pretrained():
        return PRETRAINED / f"{name}.safetensors"
    if Path(name).is_file():
        return Path(name)
    raise FileNotFoundError(
        f"there is no checkpoint {str(name)!r}: give the path of a safetensors file, or one of the names "
        f"{', '.join(list_pretrained())}"
    )


@lru_cache(maxsize=8)
def _load(path: Path, modified: int, device: str, dtype=torch.float32) -> tuple[Model, CheckpointInfo]:
    """One read-only model for all imputers of a file; ``modified``, its time stamp, tells a new file from an old."""
    model, info = load_checkpoint(path)
    return model.to(device, dtype), info


def checkpoint_title(name: str) -> str:
    """'MovieLens 1M' for 'ml-1m': the paper's checkpoints are named after the data that they learned from."""
    return TITLES.get(name, name)
