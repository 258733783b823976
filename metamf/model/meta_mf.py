"""The paper's model, Algorithm 1: the prior network, then T MAP steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn

from metamf.model.map_steps import Factors, fast_map_steps, fold_in_steps, map_steps, objective
from metamf.model.prior import PriorNetwork
from metamf.ratings.batch import RatingsBatch


@dataclass(frozen=True)
class MetaMFConfig:
    """The settings of the model; the defaults are the paper's, Section 4.2.

    Raises ValueError if a setting is out of range.
    """

    channels: int = 32  # C, of the exchangeable layers
    layers: int = 3  # L, exchangeable layers
    hidden: int = 32  # units of the hidden layers of f_U and f_V
    prior_layers: int = 4  # linear layers of f_U, and of f_V
    rank: int = 32  # K
    steps: int = 10  # T
    step_size: float = 0.01  # eta; where training starts if it is learned
    learn_step_size: bool = False
    prior_precision: float = 1.0  # lambda where training starts
    dropout: float = 0.1  # probability that a value becomes zero in training
    row_features: int = 0  # P, of a matrix's rows, and Q, of its columns: beyond the paper; 0 reads none
    col_features: int = 0

    def __post_init__(self) -> None:
        for name in ("channels", "layers", "hidden", "prior_layers", "rank"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be at least 1, got {getattr(self, name)}")
        for name in ("steps", "row_features", "col_features"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)}")
        for name in ("step_size", "prior_precision"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must lie in [0, 1), got {self.dropout}")


class Adapted(NamedTuple):
    """Factors adapted to a batch of matrices, in standardised units."""

    factors: Factors  # after the last step, and their path
    columns: list[Tensor]  # L tensors (M, C), the column terms of each layer, with which new rows are folded in

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """Returns the estimates u_n . v_m (n,) at the positions ``row``, ``col`` (n,) of the batch, Eq. (8)."""
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
            config.channels,
            config.layers,
            config.hidden,
            config.prior_layers,
            config.rank,
            config.dropout,
            config.row_features,
            config.col_features,
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
        steps : the number of MAP steps; None for T
        safe : whether the curvature of each row and column bounds its step size (``map_steps``)
        """
        U0, V0, columns = self.prior(support)
        T = self.config.steps if steps is None else steps
        eta, lam = self.step_size, self.prior_precision
        if safe:
            return Adapted(map_steps(U0, V0, support, eta, lam, T, safe=True), columns)
        return Adapted(fast_map_steps(U0, V0, support, eta, lam, T), columns)

    def descends(self, adapted: Adapted, support: RatingsBatch) -> bool:
        """Whether the objective after the steps is no higher than at the prior mean.

        If it is higher, the step size is too large for the matrix, and the steps diverge.
        """
        start, end = ((w[: support.N], w[support.N :]) for w in (adapted.factors.path[0], adapted.factors.path[-1]))
        value = [objective(*factors, *start, support, self.prior_precision) for factors in (start, end)]
        return bool(torch.isfinite(value[1]) and value[1] <= value[0])

    def fold_in(self, rows: RatingsBatch, adapted: Adapted, safe: bool = False) -> Tensor:
        """Returns the factors (n, K) of new rows of a matrix that was adapted to, whose columns stay as they are.

        Parameters
        ----------
        rows : one matrix, n x M, in standardised units; a row of the matrix itself gets the factors that it has there
        adapted : the result of ``adapt`` for the matrix
        safe : as for ``adapt``
        """
        U0, _, _ = self.prior(rows, adapted.columns)
        V_path = adapted.factors.path[:, -rows.M :]
        return fold_in_steps(U0, V_path, rows, self.step_size, self.prior_precision, safe)


def _positive(log: Tensor) -> Tensor:
    return log.exp().clamp_min(torch.finfo(log.dtype).tiny)  # exp alone underflows to zero
