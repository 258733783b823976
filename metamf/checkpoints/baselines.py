"""The meta-trained baselines that are bundled: EML and MAML, and FT, which starts from EML's parameters.

``pretrained/baselines/<method>-<data>.safetensors`` holds the parameters and, in its header, where they come from.
Written by ``python -m benchmarks.paper.bundle``. They read a matrix in the units in which the bundled checkpoint that
learned from the same data reads it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from torch import nn

from metamf.baselines import METHODS
from metamf.baselines.predicting import predictor
from metamf.checkpoints.bundled import PRETRAINED, describe
from metamf.checkpoints.files import CheckpointError, read_safetensors
from metamf.ratings.matrix import Ratings
from metamf.ratings.whole_units import unit_rule

BASELINES_FOLDER = PRETRAINED / "baselines"

_loading = threading.Lock()


def data_sets_with_parameters(method: str) -> list[str]:
    """The names of the data sets that bundled parameters of ``method`` were meta-trained on."""
    source = METHODS[method].parameters_of or method
    return sorted(path.stem.removeprefix(f"{source}-") for path in BASELINES_FOLDER.glob(f"{source}-*.safetensors"))


def data_set_for(method: str, near: str | None = None, among: Collection[str] | None = None) -> str | None:
    """The data set whose bundled parameters ``method`` answers with: ``near``, if there are such parameters, or else
    ML-1M, or else the first; one of ``among``, if that is given. None if there is no such data set."""
    names = data_sets_with_parameters(method)
    wanted = (near, "ml-1m", *names)
    return next((name for name in wanted if name in names and (among is None or name in among)), None)


def trained_predictor(method: str, data: str, given: Ratings) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Adapts ``method``, as it was meta-trained on ``data``, to the observed ratings of one matrix.

    Parameters
    ----------
    method : str
        The key of a meta-learned method of ``METHODS``.
    data : str
        One of ``data_sets_with_parameters(method)``; it names the checkpoint in whose units the ratings are read, too.
    given : Ratings
        The observed ratings, in rating units.

    Returns
    -------
    callable
        As ``metamf.baselines.predicting.predictor`` returns.

    Raises
    ------
    FileNotFoundError, CheckpointError
        If the parameters or the checkpoint do not exist or cannot be used.
    """
    info = describe(data)
    return predictor(load_trained(method, data), given, unit_rule(given, info.standardization, info.scale).of(given))


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
    path = BASELINES_FOLDER / f"{METHODS[method].parameters_of or method}-{data}.safetensors"
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
