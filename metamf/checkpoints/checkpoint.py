"""Checkpoints: safetensors in, safetensors out; the configuration travels in the header.

A file holds the parameters and, as JSON strings in its header, everything that is needed to use them and to know where
they come from. Nothing is ever unpickled: ``torch.load`` is not used.
"""

from __future__ import annotations

import math
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import torch

from metamf.checkpoints.files import CheckpointError, read_safetensors, write_safetensors
from metamf.checkpoints.info import HEADER_VERSION, CheckpointInfo, read_info, undescribed
from metamf.model.meta_mf import MetaMF, MetaMFConfig
from metamf.universal.network import Universal, UniversalConfig

Network = MetaMF | Universal
NETWORKS = {"metamf": (MetaMF, MetaMFConfig), "universal": (Universal, UniversalConfig)}

# The largest sizes that a header may ask for, so that whoever wrote it cannot occupy the machine of whoever loads it:
# far above every size that was ever trained, and small enough to be built in a second.
LARGEST_SIZES = {
    "channels": 4096,
    "layers": 64,
    "hidden": 4096,
    "prior_layers": 64,
    "rank": 4096,
    "steps": 10_000,
    "effect_sweeps": 1000,
}


def save_checkpoint(path: str | Path, network: Network, info: CheckpointInfo) -> Path:
    """Writes the checkpoint whole or not at all; the header's ``kind`` is that of ``network``."""
    kind = next(kind for kind, (method, _) in NETWORKS.items() if type(network) is method)
    header = asdict(info) | {"format": HEADER_VERSION, "kind": kind, "config": asdict(network.config)}
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}
    return write_safetensors(path, tensors, header)


def load_checkpoint(path: str | Path) -> tuple[Network, CheckpointInfo]:
    """The network, in evaluation mode, and what the file says of it: a new copy at each call.

    To estimate with a checkpoint use ``metamf.checkpoints.bundled.open_checkpoint``, which keeps what it has opened.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    CheckpointError
        If it is not a safetensors file, is of another format version, or its keys, shapes, dtypes or values do not fit.
    """
    tensors, header = read_safetensors(path)
    info = read_info(path, header)
    method, config_class = NETWORKS[info.kind]
    try:
        config = _config(header["config"], config_class)
        with torch.device("meta"):  # nothing is allocated before the shapes are known to fit
            network = method(config)
    except (KeyError, TypeError, ValueError) as error:
        raise undescribed(path, error) from error
    _check_tensors(path, tensors, network.state_dict())
    network.load_state_dict(tensors, assign=True)
    return network.requires_grad_(False).eval(), info


def _config(values: dict[str, Any], config_class: type) -> MetaMFConfig | UniversalConfig:
    """The configuration; ValueError or TypeError for a value that is of another type, not finite, or far too large."""
    if not isinstance(values, dict):
        raise TypeError(f"config = {values!r} is not of type dict")
    unknown = values.keys() ^ {f.name for f in fields(config_class)}
    if unknown:
        key = min(unknown)
        raise ValueError(f"configuration: {key!r} is {'unknown' if key in values else 'missing'}")
    for key, default in asdict(config_class()).items():
        value = values[key]
        fits = type(value) is type(default) or (type(default) is float and type(value) is int)
        if not fits or not math.isfinite(value):
            raise TypeError(f"configuration: {key} = {value!r} is not a finite {type(default).__name__}")
        if value > LARGEST_SIZES.get(key, math.inf):
            raise ValueError(f"configuration: {key} = {value} is above the limit of {LARGEST_SIZES[key]}")
    return config_class(**values)


def _check_tensors(path: str | Path, found: dict[str, torch.Tensor], wanted: dict[str, torch.Tensor]) -> None:
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
