"""The meta-trained baselines that are bundled: EML and MAML, and FT, which starts from EML's parameters.

``pretrained/baselines/<method>-<data>.safetensors`` holds the parameters and, in its header, where they come from.
Written by ``python -m benchmarks.paper.bundle``. The units are those of the meta-training data, standardised.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path

import torch
from torch import nn

from metamf.baselines import METHODS
from metamf.checkpoints.bundled import PRETRAINED
from metamf.checkpoints.files import CheckpointError, read_safetensors

FOLDER = PRETRAINED / "baselines"

_loading = threading.Lock()


def trained_on(method: str) -> list[str]:
    """The names of the data sets that bundled parameters of ``method`` were meta-trained on."""
    source = METHODS[method].parameters_of or method
    return sorted(path.stem.removeprefix(f"{source}-") for path in FOLDER.glob(f"{source}-*.safetensors"))


def load_trained(method: str, data: str) -> nn.Module:
    """``method`` with its default settings and the parameters that were meta-trained on ``data``, in evaluation mode.

    Everybody who asks for the same parameters gets the same module: do not change it.

    Raises
    ------
    FileNotFoundError
        If there are no such parameters.
    CheckpointError
        If the file is not a safetensors file, or holds other parameters.
    """
    path = FOLDER / f"{METHODS[method].parameters_of or method}-{data}.safetensors"
    with _loading:
        return _load(method, path, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=16)
def _load(method: str, path: Path, modified: int) -> nn.Module:
    spec = METHODS[method]
    tensors, _ = read_safetensors(path)
    with torch.device("meta"):  # parameters that are drawn and thrown away would move torch's random state
        module = spec.build()
    try:
        module.load_state_dict(tensors, assign=True)
    except RuntimeError as error:
        raise CheckpointError(f"{path} does not hold the parameters of {spec.label} ({error})") from error
    return module.requires_grad_(False)
