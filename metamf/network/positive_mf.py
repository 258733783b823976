"""The paper's prior network with multiplicative steps (``nmf_steps``): factors without minus
signs."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

from metamf.network.meta_mf import FactorNetwork, MetaMF, MetaMFConfig, positive
from metamf.network.nmf_steps import fold_in_nmf_steps, nmf_objective, nmf_steps
from metamf.network.prior import PriorMean
from metamf.network.protocol import Adapted, StepRule
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import FromLowest, Standardization, Standardize

SMALLEST_PRIOR = 1e-6  # of softplus, which underflows to zero


class PositiveMF(FactorNetwork):
    """Meta-learned factorization into positive factors.

    lambda is the weight a of the Gamma prior, and the prior means are s softplus(f_U), s
    softplus(f_V) with a learned s. Standardised values begin at ``config.lowest``, and estimates
    are U V' above it.
    """

    def __init__(self, config: MetaMFConfig):
        super().__init__(config)
        # products begin at the mean, 0, where softplus(0) is log 2
        s = math.sqrt(max(-config.lowest, 1.0) / config.rank) / math.log(2)
        self.log_scale = nn.Parameter(torch.tensor(math.log(s)))

    def unit_rule(
        self,
        ratings: Ratings,
        trained: Standardization | None,
        trained_scale: RatingScale | None,
        standardize: Standardize = "auto",
    ) -> FromLowest:
        if standardize in ("columns", "rows"):
            raise ValueError(
                "this checkpoint measures all ratings from the lowest: use 'matrix' or 'auto'"
            )
        rule = super().unit_rule(ratings, trained, trained_scale, standardize)
        return FromLowest(rule, self.config.lowest)

    def prior_means(self, batch: RatingsBatch, columns: list[Tensor] | None = None) -> PriorMean:
        """The prior means, Eq. (5), made positive."""
        U0, V0, read = self.prior(batch, columns)
        s = positive(self.log_scale)
        U0, V0 = (s * softplus(factor).clamp_min(SMALLEST_PRIOR) for factor in (U0, V0))
        return PriorMean(U0, V0, read)

    def adapt(
        self, support: RatingsBatch, steps: int | None = None, step_rule: StepRule | None = None
    ) -> Adapted:
        U0, V0, columns = self.prior_means(support)
        T = self.config.steps if steps is None else steps
        lowest = self.config.lowest
        factors = nmf_steps(U0, V0, support, self.prior_precision, T, lowest)
        return Adapted(factors, "nmf", columns, lowest=lowest)

    def lowered(
        self, U: Tensor, V: Tensor, U0: Tensor, V0: Tensor, support: RatingsBatch
    ) -> Tensor:
        return nmf_objective(U, V, U0, V0, support, self.prior_precision, self.config.lowest)

    def fold_in(self, rows: RatingsBatch, adapted: Adapted) -> Tensor:
        U0 = self.prior_means(rows, adapted.columns).U0
        V_path = adapted.path[:, -rows.M :]
        return fold_in_nmf_steps(U0, V_path, rows, self.prior_precision, self.config.lowest)


def factor_network(config: MetaMFConfig = MetaMFConfig()) -> FactorNetwork:
    """A new network with the steps that ``config.steps_rule`` names."""
    return PositiveMF(config) if config.steps_rule == "nmf" else MetaMF(config)
