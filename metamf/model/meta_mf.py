"""The paper's model, Algorithm 1: prior network, then T MAP steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from metamf.model.map_steps import Factors, fold_in_steps, map_steps, objective, safe_map_steps
from metamf.model.prior import PriorNetwork
from metamf.ratings.batch import RatingsBatch


@dataclass(frozen=True)
class MetaMFConfig:
    """The settings of the model; the defaults are the paper's, Section 4.2.

    Attributes
    ----------
    channels : C, of the exchangeable layers
    layers : L, the number of exchangeable layers
    hidden : units of the layers of f_U and f_V
    prior_layers : the number of linear layers of f_U and of f_V
    rank : K
    steps : T, MAP steps
    step_size : eta; where training starts if ``learn_step_size``
    learn_step_size : whether eta is learned
    prior_precision : lambda where training starts
    dropout : the probability that a value becomes zero, in training

    Raises
    ------
    ValueError
        if a setting lies outside of its range.
    """

    channels: int = 32
    layers: int = 3
    hidden: int = 32
    prior_layers: int = 4
    rank: int = 32
    steps: int = 10
    step_size: float = 0.01
    learn_step_size: bool = False
    prior_precision: float = 1.0
    dropout: float = 0.1

    def __post_init__(self):
        for name in ("channels", "layers", "hidden", "prior_layers", "rank"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        if self.steps < 0:
            raise ValueError(f"steps must not be negative, got {self.steps}")
        for name in ("step_size", "prior_precision"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must lie in [0, 1), got {self.dropout}")


class Adapted(NamedTuple):
    """Factors adapted to a batch of matrices, in standardised units.

    Attributes
    ----------
    factors : after the last step, and their path
    columns : L tensors (M, C), the column terms of each layer, with which new rows are folded in
    """

    factors: Factors
    columns: list[Tensor]

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """Estimates u_n . v_m (n,) at the positions ``row``, ``col`` (n,) of the batch, Eq. (8)."""
        U, V, _ = self.factors
        return torch.linalg.vecdot(U.index_select(0, row), V.index_select(0, col))


class MetaMF(nn.Module):
    """Meta-learned matrix factorization. ``adapt`` is Algorithm 1; values are in standardised units throughout.

    lambda and eta stay positive, since their logarithms are the parameters.
    """

    def __init__(self, config: MetaMFConfig = MetaMFConfig()):
        super().__init__()
        self.config = config
        self.prior = PriorNetwork(
            config.channels, config.layers, config.hidden, config.prior_layers, config.rank, config.dropout
        )
        log_precision, log_step_size = math.log(config.prior_precision), math.log(config.step_size)
        self.log_prior_precision = nn.Parameter(torch.tensor(log_precision))
        self.log_step_size = nn.Parameter(torch.tensor(log_step_size), requires_grad=config.learn_step_size)

    @property
    def prior_precision(self) -> Tensor:
        """lambda, positive."""
        return _positive(self.log_prior_precision)

    @property
    def step_size(self) -> Tensor:
        """eta, positive."""
        return _positive(self.log_step_size)

    def adapt(self, support: RatingsBatch, steps: int | None = None, safe: bool = False) -> Adapted:
        """Algorithm 1: the factors of every matrix of a batch, and their path.

        Parameters
        ----------
        support : the observed entries, in standardised units
        steps : MAP steps; None for T
        safe : whether each row's and column's step size is bounded by its curvature (``safe_map_steps``)
        """
        U0, V0, columns = self.prior(support)
        T = self.config.steps if steps is None else steps
        run = safe_map_steps if safe else map_steps
        return Adapted(run(U0, V0, support, self.step_size, self.prior_precision, T), columns)

    def descends(self, adapted: Adapted, support: RatingsBatch) -> bool:
        """Whether the steps ended at an objective no higher than that of the prior mean.

        If they did not, the step size is too large for the matrix, and the steps diverge.
        """
        start, end = ((w[: support.N], w[support.N :]) for w in (adapted.factors.path[0], adapted.factors.path[-1]))
        value = [objective(*factors, *start, support, self.prior_precision) for factors in (start, end)]
        return bool(torch.isfinite(value[1]) and value[1] <= value[0])

    def fold_in(self, rows: RatingsBatch, adapted: Adapted, safe: bool = False) -> Tensor:
        """Factors (n, K) of new rows of a matrix that was adapted to, whose columns stay as they are.

        Parameters
        ----------
        rows : one matrix, n x M, in standardised units; a row of the matrix itself gets the factors that it has there
        adapted : the result of ``adapt`` for the matrix
        safe : whether steps are bounded by curvature, as for ``adapt``
        """
        U0, _, _ = self.prior(rows, adapted.columns)
        V_path = adapted.factors.path[:, -rows.M :]
        return fold_in_steps(U0, V_path, rows, self.step_size, self.prior_precision, safe)


def _positive(log: Tensor) -> Tensor:
    return log.exp().clamp_min(torch.finfo(log.dtype).tiny)  # exp alone underflows to zero
