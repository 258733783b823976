"""The paper's model, Algorithm 1: the prior network, then T MAP steps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

from metamf.network.map_steps import Factors, fast_map_steps, fast_safe_steps, fold_in_steps, objective
from metamf.network.nmf_steps import fold_in_nmf_steps, nmf_objective, nmf_steps
from metamf.network.prior import PriorMean, PriorNetwork
from metamf.ratings.batch import RatingsBatch

SMALLEST_PRIOR = 1e-6  # of softplus, which underflows to zero


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
    steps_rule: str = "gradient"  # Eqs. (6) and (7); "nmf": multiplicative steps of positive factors, beyond the paper
    lowest: float = 0.0  # for "nmf": the lowest value, in standardised units, to which U V' is added
    safe_steps: bool = False  # whether the curvature of each row and column bounds its step size, in training, too

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
        if self.steps_rule not in ("gradient", "nmf"):
            raise ValueError(f"steps_rule must be 'gradient' or 'nmf', got {self.steps_rule!r}")


class Adapted(NamedTuple):
    """Factors adapted to a batch of matrices, in standardised units."""

    factors: Factors  # after the last step, and their path
    columns: list[Tensor]  # L tensors (M, C), the column terms of each layer, with which new rows are folded in
    lowest: float | None = None  # the value to which the products of positive factors are added

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """Returns the estimates u_n . v_m (n,) at the positions ``row``, ``col`` (n,) of the batch, Eq. (8)."""
        U, V, _ = self.factors
        products = torch.linalg.vecdot(U.index_select(0, row), V.index_select(0, col))
        return products if self.lowest is None else products + self.lowest


class MetaMF(nn.Module):
    """Meta-learned matrix factorization. ``adapt`` is Algorithm 1; values are in standardised units throughout.

    lambda and eta stay positive, since their logarithms are the parameters. With ``steps_rule="nmf"`` lambda is the
    weight a of the Gamma prior, and the prior means are s softplus(f_U), s softplus(f_V) with a learned s.
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
        self.log_prior_precision = nn.Parameter(torch.tensor(math.log(config.prior_precision)))
        if config.steps_rule == "nmf":  # so that products begin at the mean, 0, where softplus(0) is log 2
            s = math.sqrt(max(-config.lowest, 1.0) / config.rank) / math.log(2)
            self.log_scale = nn.Parameter(torch.tensor(math.log(s)))
        else:
            log_step_size = torch.tensor(math.log(config.step_size))
            self.log_step_size = nn.Parameter(log_step_size, requires_grad=config.learn_step_size)

    @property
    def prior_precision(self) -> Tensor:
        """lambda, positive."""
        return _positive(self.log_prior_precision)

    @property
    def step_size(self) -> Tensor:
        """eta, positive."""
        return _positive(self.log_step_size)

    def adapt(self, support: RatingsBatch, steps: int | None = None, safe: bool | None = None) -> Adapted:
        """Algorithm 1: the factors of every matrix of a batch, and their path.

        Parameters
        ----------
        support : the observed entries, in standardised units
        steps : the number of MAP steps; None for T
        safe : whether the curvature of each row and column bounds its step size (``map_steps``); None: ``safe_steps``
        """
        U0, V0, columns = self.prior_means(support)
        T, lam = self.config.steps if steps is None else steps, self.prior_precision
        if self.config.steps_rule == "nmf":
            return Adapted(nmf_steps(U0, V0, support, lam, T, self.config.lowest), columns, self.config.lowest)
        eta = self.step_size
        if self.config.safe_steps if safe is None else safe:
            return Adapted(fast_safe_steps(U0, V0, support, eta, lam, T), columns)
        return Adapted(fast_map_steps(U0, V0, support, eta, lam, T), columns)

    def prior_means(self, batch: RatingsBatch, columns: list[Tensor] | None = None) -> PriorMean:
        """The prior means, Eq. (5), where the steps begin; positive for "nmf". ``columns`` as for ``PriorNetwork``."""
        U0, V0, read = self.prior(batch, columns)
        if self.config.steps_rule == "nmf":
            s = _positive(self.log_scale)
            U0, V0 = (s * softplus(factor).clamp_min(SMALLEST_PRIOR) for factor in (U0, V0))
        return PriorMean(U0, V0, read)

    def descends(self, adapted: Adapted, support: RatingsBatch) -> bool:
        """Whether the objective after the steps is no higher than at the prior mean.

        If it is higher, the step size is too large for the matrix, and the steps diverge.
        """
        start, end = ((w[: support.N], w[support.N :]) for w in (adapted.factors.path[0], adapted.factors.path[-1]))
        lowered = (
            objective if self.config.steps_rule == "gradient" else partial(nmf_objective, lowest=self.config.lowest)
        )
        value = [lowered(*factors, *start, support, self.prior_precision) for factors in (start, end)]
        return bool(torch.isfinite(value[1]) and value[1] <= value[0])

    def fold_in(self, rows: RatingsBatch, adapted: Adapted, safe: bool = False) -> Tensor:
        """Returns the factors (n, K) of new rows of a matrix that was adapted to, whose columns stay as they are.

        Parameters
        ----------
        rows : one matrix, n x M, in standardised units; a row of the matrix itself gets the factors that it has there
        adapted : the result of ``adapt`` for the matrix
        safe : as for ``adapt``
        """
        U0, _, _ = self.prior_means(rows, adapted.columns)
        V_path = adapted.factors.path[:, -rows.M :]
        if self.config.steps_rule == "nmf":
            return fold_in_nmf_steps(U0, V_path, rows, self.prior_precision, self.config.lowest)
        return fold_in_steps(U0, V_path, rows, self.step_size, self.prior_precision, safe)


def _positive(log: Tensor) -> Tensor:
    return log.exp().clamp_min(torch.finfo(log.dtype).tiny)  # exp alone underflows to zero
