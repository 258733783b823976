"""FT: a meta-trained EML, finetuned on the support entries of each matrix (the paper's Section 4.3)."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from metamf.baselines.eml import EML, AdaptedEML, EMLConfig
from metamf.baselines.stacked import FitConfig, minimise
from metamf.baselines.stacked_eml import StackedEML, layered, stack
from metamf.ratings.batch import RatingsBatch


@dataclass(frozen=True)
class FTConfig(EMLConfig):
    """``steps`` full-batch updates of Adam on all parameters, without dropout. The paper gives neither number."""

    steps: int = 10
    learning_rate: float = 1e-3

    def __post_init__(self):
        super().__post_init__()
        if self.steps < 0 or not self.learning_rate > 0:
            raise ValueError(f"FT needs steps >= 0 and learning_rate > 0, got {self}")


class FT(EML):
    """Parameters and meta-training are those of EML: while ``training``, ``adapt`` is EML's own.

    A copy of the parameters is finetuned for each matrix, all matrices at once; the method itself never changes.
    """

    grid = tuple(FTConfig(steps=s, learning_rate=r) for s in (1, 10, 100) for r in (1e-4, 1e-3, 1e-2))

    def __init__(self, config: FTConfig = FTConfig()):
        super().__init__(config)

    def adapt(self, support: RatingsBatch) -> AdaptedEML:
        if self.training or self.config.steps == 0:
            return super().adapt(support)
        network = StackedEML.of(support, self.dropout)
        flat = [w.detach().clone() for layer in stack(self, len(support)) for w in layer]
        weights = layered(flat)
        fit = FitConfig(weight_decay=0.0, learning_rate=self.config.learning_rate, steps=self.config.steps)
        minimise(lambda: network.support_error(network(weights)), flat, fit)
        with torch.no_grad():
            return network(weights)
