"""EML: exchangeable matrix layers alone, 1 -> 32 -> 32 -> 1 channels (the paper, Section 4.3; Hartford et al. 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from metamf.baselines.spec import META_LEARNED, MethodSpec
from metamf.model.exchangeable import ExchangeableLayer, Terms
from metamf.ratings.batch import RatingsBatch


@dataclass(frozen=True)
class EMLConfig:
    """Settings of EML; the defaults are the paper's, Section 4.3.

    Parameters
    ----------
    channels : the number of channels between the layers
    layers : the number of exchangeable layers
    dropout : the probability that an element after an activation is set to zero, in training
    """

    channels: int = 32
    layers: int = 3
    dropout: float = 0.1

    def __post_init__(self) -> None:
        for name in ("channels", "layers"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must lie in [0, 1), got {self.dropout}")


class EML(nn.Module):
    """The estimate of a cell is the last layer's output there; dropout follows every activation."""

    def __init__(self, config: EMLConfig = EMLConfig()):
        super().__init__()
        self.config = config
        sizes = [1] + [config.channels] * (config.layers - 1) + [1]
        self.layers = nn.ModuleList(ExchangeableLayer(n_in, n_out) for n_in, n_out in zip(sizes, sizes[1:]))
        self.dropout = nn.Dropout(config.dropout)

    def adapt(self, support: RatingsBatch) -> AdaptedEML:
        z = support.x.unsqueeze(1)  # (nnz, 1)
        for layer in self.layers[:-1]:
            z = self.dropout(torch.relu(layer(z, support).at_observed(support)))  # (nnz, C)
        return AdaptedEML(self.layers[-1](z, support), support)


class AdaptedEML(NamedTuple):
    """The last layer's output as its three terms, one channel each."""

    terms: Terms
    support: RatingsBatch

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """(n,) estimates at positions of the batch: row + column effect, and the entry's own term where observed."""
        effects = self.terms.row[row, 0] + self.terms.col[col, 0]
        observed, at = self.support.find(row, col)
        if not observed.any():
            return effects
        return effects + torch.where(observed, self.terms.entry[:, 0].index_select(0, at), 0)


SPEC = MethodSpec(
    key="eml",
    label="EML",
    kind=META_LEARNED,
    explanation="A network of exchangeable layers reads the observed ratings and gives the missing ones directly.",
    method=EML,
    default=EMLConfig(),
)
