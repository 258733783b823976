"""The choice between the two kinds of pretrained model, by what a checkpoint holds."""

from __future__ import annotations

from metamf.checkpoints.extended_model import ExtendedModel
from metamf.checkpoints.info import CheckpointInfo
from metamf.checkpoints.paper_model import PaperModel
from metamf.checkpoints.protocol import PretrainedModel
from metamf.model.meta_mf import MetaMF
from metamf.universal.network import Universal


def model_of(network: MetaMF | Universal, info: CheckpointInfo) -> PretrainedModel:
    """A network that was read from a checkpoint, as everything above the checkpoints knows it."""
    return {"metamf": PaperModel, "universal": ExtendedModel}[info.kind](network, info)
