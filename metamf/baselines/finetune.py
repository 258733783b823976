"""FT: a meta-trained EML, finetuned on the support entries of each matrix (the paper's Section 4.3)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from metamf.baselines.eml import EML, AdaptedEML, EMLConfig
from metamf.baselines.spec import META_LEARNED, MethodSpec
from metamf.baselines.stacked import FitConfig, minimise
from metamf.baselines.stacked_eml import StackedEML, layered, stack
from metamf.ratings.batch import RatingsBatch


@dataclass(frozen=True)
class FTConfig(EMLConfig):
    """Settings of FT beyond those of EML. The paper gives neither number; the defaults were chosen by hand;
    ``SPEC.grid`` is what they are chosen from on meta-validation blocks.

    Parameters
    ----------
    steps : the number of full-batch updates of Adam on all parameters, without dropout
    learning_rate : the learning rate of Adam
    """

    steps: int = 10
    learning_rate: float = 1e-3

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.steps < 0 or not self.learning_rate > 0:
            raise ValueError(f"FT needs steps >= 0 and learning_rate > 0, got {self}")


class FT(EML):
    """Parameters and meta-training are those of EML: while ``training``, ``adapt`` is EML's own.

    A copy of the parameters is finetuned for each matrix, all matrices at once; the method itself never changes.
    """

    config: FTConfig

    def __init__(self, config: FTConfig = FTConfig()):
        super().__init__(config)

    def adapt(self, support: RatingsBatch) -> AdaptedEML:
        if self.training or self.config.steps == 0:
            return super().adapt(support)
        network = StackedEML.of(support, self.dropout)
        flat = [w.detach().clone() for layer in stack(self, len(support)) for w in layer]
        weights = layered(flat)
        fit = FitConfig(weight_decay=0.0, learning_rate=self.config.learning_rate, steps=self.config.steps)

        def loss() -> Tensor:
            return network.support_error(network(weights))

        minimise(loss, flat, fit)
        with torch.no_grad():
            return network(weights)


SPEC = MethodSpec(
    key="ft",
    label="FT",
    kind=META_LEARNED,
    explanation="EML, with all of its parameters trained further on the observed ratings of the matrix at hand.",
    method=FT,
    default=FTConfig(),
    grid=tuple(FTConfig(steps=s, learning_rate=r) for s in (1, 10, 100) for r in (1e-4, 1e-3, 1e-2)),
    parameters_of="eml",
)
