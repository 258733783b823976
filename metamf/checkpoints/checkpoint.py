"""Checkpoints: safetensors in, safetensors out; the configuration travels in the header.

A file holds the parameters and, as JSON strings in its header, everything that is needed to use them and to know where
they come from. Nothing is ever unpickled: ``torch.load`` is not used.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import torch

from metamf.checkpoints.files import CheckpointError, read_safetensors, write_safetensors
from metamf.model.meta_mf import MetaMF, MetaMFConfig
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization
from metamf.universal.network import Universal, UniversalConfig

Model = MetaMF | Universal
KINDS = {"metamf": (MetaMF, MetaMFConfig), "universal": (Universal, UniversalConfig)}

FORMAT = 1
# A header may ask for no more than this: whoever wrote it must not be able to occupy the machine of whoever loads it.
LARGEST = {
    "channels": 4096,
    "layers": 64,
    "hidden": 4096,
    "prior_layers": 64,
    "rank": 4096,
    "steps": 10_000,
    "effect_sweeps": 1000,
}


@dataclass(frozen=True)
class CheckpointInfo:
    """What a checkpoint says of itself.

    name, data : the checkpoint's name, and the data set(s) that it was meta-trained on
    standardization : mean and standard deviation of the meta-training ratings, in rating units; None: every matrix in
        the units of its own observed entries
    scale : the rating scale of that data; None: several
    split_seed : the split of users and items that it was meta-trained on
    recipe : preset, training configuration, command
    errors : measured errors, as ``metamf.learning.evaluation`` wrote them
    versions : of Python, torch, numpy and metamf
    created : date, ISO 8601
    """

    name: str
    data: str
    standardization: Standardization | None
    scale: RatingScale | None
    split_seed: int
    recipe: dict[str, Any] = field(default_factory=dict)
    errors: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    created: str = ""


def save_checkpoint(path: str | Path, model: Model, info: CheckpointInfo) -> Path:
    """Writes the checkpoint whole or not at all."""
    kind = next(kind for kind, (method, _) in KINDS.items() if type(model) is method)
    header = {"format": FORMAT, "kind": kind, "config": asdict(model.config), **asdict(info)}
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in model.state_dict().items()}
    return write_safetensors(path, tensors, header)


def load_checkpoint(path: str | Path) -> tuple[Model, CheckpointInfo]:
    """The model, in evaluation mode, and what the file says of it.

    Raises
    ------
    FileNotFoundError
        if there is no such file.
    CheckpointError
        if it is not safetensors, of another format version, or its keys, shapes, dtypes or values do not fit.
    """
    tensors, header = read_safetensors(path)
    if header.get("format") != FORMAT:
        raise CheckpointError(f"{path}: format version {header.get('format')!r}, this metamf reads version {FORMAT}")
    try:
        if header["kind"] not in KINDS:
            raise ValueError(f"kind {header['kind']!r} is none of {', '.join(KINDS)}")
        method, config_class = KINDS[header["kind"]]
        config, info = _config(header["config"], config_class), _info(header)
        with torch.device("meta"):  # nothing is allocated before the shapes are known to fit
            model = method(config)
    except (KeyError, TypeError, ValueError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else error
        raise CheckpointError(f"{path}: the header does not describe a MetaMF checkpoint ({reason})") from error
    _check_tensors(path, tensors, model.state_dict())
    model.load_state_dict(tensors, assign=True)
    return model.requires_grad_(False).eval(), info


def _config(values: dict[str, Any], config_class: type) -> MetaMFConfig | UniversalConfig:
    """The configuration; ValueError or TypeError for a value that is of another type, not finite, or far too large."""
    if not isinstance(values, dict):
        raise TypeError(f"config = {values!r} is no dict")
    unknown = values.keys() ^ {f.name for f in fields(config_class)}
    if unknown:
        key = min(unknown)
        raise ValueError(f"configuration: {key!r} is {'unknown' if key in values else 'missing'}")
    for key, default in asdict(config_class()).items():
        value = values[key]
        fits = type(value) is type(default) or (type(default) is float and type(value) is int)
        if not fits or not math.isfinite(value):
            raise TypeError(f"configuration: {key} = {value!r} is no finite {type(default).__name__}")
        if value > LARGEST.get(key, math.inf):
            raise ValueError(f"configuration: {key} = {value} is above the limit of {LARGEST[key]}")
    return config_class(**values)


def _info(header: dict[str, Any]) -> CheckpointInfo:
    values = {f.name: header[f.name] for f in fields(CheckpointInfo)}
    for key, kind in (
        ("name", str),
        ("data", str),
        ("split_seed", int),
        ("recipe", dict),
        ("errors", dict),
        ("versions", dict),
        ("created", str),
    ):
        if type(values[key]) is not kind:
            raise TypeError(f"{key} = {values[key]!r} is no {kind.__name__}")
    if values["standardization"] is None and values["scale"] is None:
        return CheckpointInfo(**values)
    units = Standardization(**values["standardization"])
    if not (math.isfinite(units.mean) and math.isfinite(units.std) and units.std > 0):
        raise ValueError(f"{units} is no standardization")
    return CheckpointInfo(**values | {"standardization": units, "scale": RatingScale(**values["scale"])})


def _check_tensors(path, found: dict[str, torch.Tensor], wanted: dict[str, torch.Tensor]) -> None:
    if found.keys() != wanted.keys():
        odd = sorted(found.keys() ^ wanted.keys())
        raise CheckpointError(f"{path}: {odd[0]!r} is {'missing' if odd[0] in wanted else 'unknown'}")
    for name, tensor in wanted.items():
        if found[name].shape != tensor.shape or found[name].dtype != tensor.dtype:
            raise CheckpointError(
                f"{path}: {name!r} is {found[name].dtype} {tuple(found[name].shape)}, "
                f"the configuration asks for {tensor.dtype} {tuple(tensor.shape)}"
            )
        if not torch.isfinite(found[name]).all():
            raise CheckpointError(f"{path}: {name!r} holds values that are not finite")
