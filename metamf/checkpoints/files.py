"""Checkpoints as safetensors files: parameters, and everything that is needed to use them as JSON
in the header.

Nothing is ever unpickled: ``torch.load`` is not used.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import torch
from safetensors.torch import save
from torch import Tensor

from metamf.checkpoints.info import (
    HEADER_VERSION,
    CheckpointError,
    CheckpointInfo,
    opened,
    read_info,
    undescribed,
)
from metamf.files import write_atomically
from metamf.learning.tuning import Tuning, TuningOutcome, TuningProgress, tune
from metamf.network.meta_mf import MetaMFConfig
from metamf.network.positive_mf import factor_network
from metamf.network.protocol import Network
from metamf.network.universal.network import Universal, UniversalConfig
from metamf.ratings.matrix import Ratings
from metamf.ratings.units import Standardize, UnitRule

#: What makes the network of each ``kind`` of a header, and its configuration.
NETWORKS: dict[str, tuple[Callable[[Any], Network], type]] = {
    "metamf": (factor_network, MetaMFConfig),
    "universal": (Universal, UniversalConfig),
}

# The largest sizes that a header may request, so that a hostile file cannot exhaust your memory:
# far above every size that was ever trained, and small enough to be built in a second.
LARGEST_SIZES = {
    "channels": 4096,
    "layers": 64,
    "hidden": 4096,
    "prior_layers": 64,
    "rank": 4096,
    "steps": 10_000,
    "effect_sweeps": 1000,
    "row_features": 4096,
    "col_features": 4096,
}
# Settings that older files do not have, which mean the defaults, and one that all older files have.
LATER_SETTINGS = {"row_features", "col_features", "steps_rule", "lowest", "safe_steps"}
FORMER_SETTING = ("components", True)


def write_safetensors(path: str | Path, tensors: dict[str, Tensor], header: dict[str, Any]) -> Path:
    """Writes tensors and a header of JSON values atomically (``metamf.files``); creates the folder
    if need be."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, save(tensors, {key: json.dumps(value) for key, value in header.items()}))
    return path


def read_safetensors(path: str | Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Tensors and header of a file written by ``write_safetensors``; CheckpointError for any other
    file."""
    with opened(path, "pt") as (file, header):
        return {key: file.get_tensor(key) for key in file.keys()}, header  # noqa: SIM118  a file, not a dict


class Checkpoint(NamedTuple):
    """A network, in evaluation mode, and what its file says of it."""

    network: Network
    info: CheckpointInfo

    def units(self, ratings: Ratings, standardize: Standardize = "auto") -> UnitRule:
        """The rule that standardises a matrix; ValueError for a ``standardize`` that the network
        cannot read."""
        return self.network.unit_rule(
            ratings, self.info.standardization, self.info.scale, standardize
        )

    def tuned(
        self,
        ratings: Ratings,
        settings: Tuning,
        progress: Callable[[TuningProgress], object] | None = None,
        rounds: Sequence[int] = (),
    ) -> tuple[Checkpoint, TuningOutcome]:
        """A copy tuned to one matrix, in standardised units, by hiding and the network's own
        objective."""
        objective = type(self.network).objective
        network, outcome = tune(self.network, ratings, objective, settings, progress, rounds)
        return Checkpoint(network, self.info.tuned(ratings, settings, outcome)), outcome

    def save(self, path: str | Path) -> Path:
        """Writes the checkpoint in single precision, atomically."""
        return save_checkpoint(path, self.network.single(), self.info)


def save_checkpoint(path: str | Path, network: Network, info: CheckpointInfo) -> Path:
    """Writes a checkpoint atomically; the header's ``kind`` is that of ``network``."""
    kind = next(kind for kind, (_, config) in NETWORKS.items() if type(network.config) is config)
    header = asdict(info) | {
        "format": HEADER_VERSION,
        "kind": kind,
        "config": asdict(network.config),
    }
    tensors = {
        name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()
    }
    return write_safetensors(path, tensors, header)


def load_checkpoint(path: str | Path) -> Checkpoint:
    """A new copy of a file's network, and its description.

    To estimate with a checkpoint use ``metamf.checkpoints.bundled.open_checkpoint``, which caches
    what it has opened.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    CheckpointError
        If it is not a safetensors file, has another format version, or its keys, shapes, dtypes or
        values do not fit.
    """
    tensors, header = read_safetensors(path)
    info = read_info(path, header)
    build, config_class = NETWORKS[info.kind]
    try:
        config = _config(header["config"], config_class)
        with torch.device("meta"):  # allocates nothing before the shapes are known to fit
            network = build(config)
    except (KeyError, TypeError, ValueError) as error:
        raise undescribed(path, error) from error
    _check_tensors(path, tensors, network.state_dict())
    network.load_state_dict(tensors, assign=True)
    return Checkpoint(network.requires_grad_(False).eval(), info)


def _config(values: Any, config_class: type) -> Any:
    """The configuration; ValueError or TypeError for a value that has the wrong type, is not finite
    or too large."""
    if not isinstance(values, dict):
        raise TypeError(f"config = {values!r} is not of type dict")
    values = {key: value for key, value in values.items() if (key, value) != FORMER_SETTING}
    defaults = asdict(config_class())
    if unknown := (values.keys() ^ defaults.keys()) - (LATER_SETTINGS & defaults.keys()):
        key = min(unknown)
        raise ValueError(f"configuration: {key!r} is {'unknown' if key in values else 'missing'}")
    for key, value in values.items():
        kind = type(defaults[key])
        fits = type(value) is kind or (kind is float and type(value) is int)
        if not fits or not (kind is str or math.isfinite(value)):
            raise TypeError(f"configuration: {key} = {value!r} is not a finite {kind.__name__}")
        if key in LARGEST_SIZES and value > LARGEST_SIZES[key]:
            raise ValueError(
                f"configuration: {key} = {value} is above the limit of {LARGEST_SIZES[key]}"
            )
    return config_class(**values)


def _check_tensors(path: str | Path, found: dict[str, Tensor], wanted: dict[str, Tensor]) -> None:
    if unknown := sorted(found.keys() ^ wanted.keys()):
        raise CheckpointError(
            f"{path}: {unknown[0]!r} is {'missing' if unknown[0] in wanted else 'unknown'}"
        )
    for name, tensor in wanted.items():
        if found[name].shape != tensor.shape or found[name].dtype != tensor.dtype:
            raise CheckpointError(
                f"{path}: {name!r} is {found[name].dtype} {tuple(found[name].shape)}, "
                f"the configuration asks for {tensor.dtype} {tuple(tensor.shape)}"
            )
        if not torch.isfinite(found[name]).all():
            raise CheckpointError(f"{path}: {name!r} holds values that are not finite")
