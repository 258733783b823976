"""The bundled checkpoints by name; any checkpoint described by its header alone, or opened once for everybody."""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from metamf.checkpoints.header import read_header
from metamf.checkpoints.info import CheckpointInfo, read_info
from metamf.datasets.archives import ARCHIVES

if TYPE_CHECKING:
    import torch

    from metamf.checkpoints.protocol import PretrainedModel

_INSTALLED = Path(__file__).resolve().parents[1] / "pretrained"  # inside the package, in a wheel
PRETRAINED = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).resolve().parents[2] / "pretrained"
DATA_TITLES = {name: archive.title for name, archive in ARCHIVES.items()}
DATA_TITLES |= {"jester": "Jester", "universal": "Universal"}

_opening = threading.Lock()


def list_pretrained() -> list[str]:
    """The names of the bundled checkpoints."""
    return sorted(path.stem for path in PRETRAINED.glob("*.safetensors"))


def find_checkpoint(name: str | Path) -> Path:
    """The file of a bundled checkpoint, by name, or the file at a path.

    Raises
    ------
    FileNotFoundError
        If there is neither; the message lists the names.
    """
    if name in list_pretrained():
        return PRETRAINED / f"{name}.safetensors"
    if Path(name).is_file():
        return Path(name)
    raise FileNotFoundError(
        f"there is no checkpoint {str(name)!r}: give the path of a safetensors file, or one of the names "
        f"{', '.join(list_pretrained())}"
    )


def describe(name: str | Path) -> CheckpointInfo:
    """The description of a checkpoint, by name or by path: its header alone is read, once per version of the file.

    Raises
    ------
    FileNotFoundError
        If there is no such checkpoint.
    CheckpointError
        If the header does not describe a checkpoint of this package.
    """
    return _describe(*_version(name))


def takes_sweeps(name: str | Path) -> bool:
    """Whether a checkpoint adapts by exact sweeps, or else by the paper's MAP steps; its header says so."""
    return describe(name).round_name == "sweep"


def open_checkpoint(
    name: str | Path, device: str | torch.device = "cpu", dtype: torch.dtype | None = None
) -> tuple[PretrainedModel, CheckpointInfo]:
    """A checkpoint's model, to estimate with, and the checkpoint's description of itself.

    Everybody who opens the same version of the same file gets the same model: do not change it. One thread loads at a
    time, and the others wait for it instead of loading the file, too.

    Parameters
    ----------
    name : str or Path
        The name of a bundled checkpoint, or the path of a safetensors file.
    device : str or torch.device
        Device of the parameters.
    dtype : torch.dtype, optional
        Precision in which the model computes; that of the file (single) by default.

    Raises
    ------
    FileNotFoundError
        If there is no such checkpoint.
    CheckpointError
        If the file cannot be used as a checkpoint.
    """
    with _opening:
        return _open(*_version(name), str(device), dtype)


def checkpoint_title(name: str) -> str:
    """'MovieLens 1M' for 'ml-1m': the paper's checkpoints are named after the data that they learned from. That of any
    other file is its name without folder and suffix."""
    return DATA_TITLES.get(name, Path(name).name.removesuffix(".safetensors"))


def _version(name: str | Path) -> tuple[Path, int, int]:
    """The checkpoint's file, and time stamp and size, by which a new version of it is told from an old one."""
    path = find_checkpoint(name)
    status = path.stat()
    return path.absolute(), status.st_mtime_ns, status.st_size


@lru_cache(maxsize=64)
def _describe(path: Path, modified: int, size: int) -> CheckpointInfo:
    return read_info(path, read_header(path))


@lru_cache(maxsize=8)
def _open(
    path: Path, modified: int, size: int, device: str, dtype: torch.dtype | None
) -> tuple[PretrainedModel, CheckpointInfo]:
    from metamf.checkpoints.checkpoint import load_checkpoint  # imports torch, which names and descriptions do without
    from metamf.checkpoints.models import model_of

    network, info = load_checkpoint(path)
    return model_of(network.to(device, dtype), info), info
