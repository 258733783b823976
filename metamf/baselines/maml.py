"""MAML: model-agnostic meta-learning of EML (the paper's Section 4.3; Finn et al. 2017).

    theta(s+1) = theta(s) - alpha * gradient of the support error at theta(s),      s = 0 .. 4,      for each matrix,

and theta(0), shared by all matrices, is trained for a low query error at theta(5). The gradient of that goes through
the inner gradients, which takes second derivatives of the network; ``first_order`` leaves them out.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from metamf.baselines.eml import EML, AdaptedEML, EMLConfig
from metamf.baselines.spec import META_LEARNED, MethodSpec
from metamf.baselines.stacked_eml import StackedEML, layered, stack
from metamf.ratings.batch import RatingsBatch


@dataclass(frozen=True)
class MAMLConfig(EMLConfig):
    """Settings of MAML beyond those of EML.

    Parameters
    ----------
    inner_steps : the number of gradient steps on a matrix; five in the paper
    inner_learning_rate : alpha, which the paper does not give
    first_order : whether the gradient through the inner gradients is left out
    """

    inner_steps: int = 5
    inner_learning_rate: float = 1e-2
    first_order: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.inner_steps < 0 or not self.inner_learning_rate > 0:
            raise ValueError(f"MAML needs inner_steps >= 0 and inner_learning_rate > 0, got {self}")


class MAML(EML):
    """The parameters are those of EML, from which the inner steps start."""

    config: MAMLConfig

    def __init__(self, config: MAMLConfig = MAMLConfig()):
        super().__init__(config)

    def adapt(self, support: RatingsBatch) -> AdaptedEML:
        network = StackedEML.of(support, self.dropout)
        second_order = torch.is_grad_enabled() and not self.config.first_order
        with torch.enable_grad():
            weights = stack(self, len(support))
            for _ in range(self.config.inner_steps):
                flat = [w if w.requires_grad else w.detach().requires_grad_() for layer in weights for w in layer]
                error = network.support_error(network(layered(flat)))
                gradients = torch.autograd.grad(error, flat, create_graph=second_order)
                weights = layered([w - self.config.inner_learning_rate * g for w, g in zip(flat, gradients)])
        return network(weights)


SPEC = MethodSpec(
    key="maml",
    label="MAML",
    kind=META_LEARNED,
    explanation="EML, with parameters meta-trained to be a good start for five gradient steps on the observed ratings.",
    method=MAML,
    default=MAMLConfig(),
)
