"""Small checkpoints, and files made from them, for the tests of checkpoints."""

from dataclasses import asdict, replace

import pytest
import torch

from metamf.checkpoints.files import read_safetensors, save_checkpoint, write_safetensors
from metamf.checkpoints.info import CheckpointInfo, TrainingDomain
from metamf.network.meta_mf import MetaMF, MetaMFConfig
from metamf.network.universal.network import Universal, UniversalConfig
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization

SMALL = MetaMFConfig(
    channels=4, layers=2, hidden=5, prior_layers=2, rank=3, steps=4, learn_step_size=True
)
INFO = CheckpointInfo(
    name="small",
    data="made up",
    standardization=Standardization(3.5, 1.1),
    scale=RatingScale(1, 5, 0.5),
    split_seed=7,
    recipe={"preset": "by hand", "training": {"epochs": 3}},
    errors={"ratio": 0.875},
    versions={"torch": "2"},
    created="2026-01-31",
    learned_from=TrainingDomain((30, 30), (5, 30), (0.1, 0.25), (RatingScale(1, 5, 0.5),)),
)
SMALL_UNIVERSAL = UniversalConfig(channels=4, layers=2, hidden=5, rank=3, steps=2, effect_sweeps=2)


@pytest.fixture
def model() -> MetaMF:
    torch.manual_seed(0)
    return MetaMF(SMALL).eval()


@pytest.fixture
def path(model, tmp_path):
    return save_checkpoint(tmp_path / "small.safetensors", model, INFO)


@pytest.fixture
def universal_path(tmp_path):
    torch.manual_seed(0)
    info = replace(INFO, standardization=None, scale=None)
    return save_checkpoint(tmp_path / "universal.safetensors", Universal(SMALL_UNIVERSAL), info)


def rewritten(path, tensors=None, **header):
    """The file with some tensors and header values replaced; None takes one out."""
    parts = []
    for old, new in zip(read_safetensors(path), (tensors or {}, header)):
        parts.append({k: v for k, v in (old | new).items() if new.get(k, 0) is not None})
    return write_safetensors(path, *parts)


def configured(**values):
    return {"config": asdict(SMALL) | values}
