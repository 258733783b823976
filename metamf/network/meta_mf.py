"""The paper's model, Algorithm 1: the prior network, then T MAP steps; and which steps suit a
matrix."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from metamf.network.map_steps import fold_in_steps, map_steps, objective
from metamf.network.prior import PriorMean, PriorNetwork
from metamf.network.protocol import Adapted, Network, StepRule
from metamf.ratings.batch import RatingsBatch

# A row or column overshoots if its squared error rises, on the way from its prior mean, by more
# than this share of the variance per entry.
OVERSHOOT = 0.01
# Tolerance so that ``fold_in`` accepts every row that ``adapt`` accepted: rounding differs.
ROUNDING = 1e-3


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
    # P, of a matrix's rows, and Q, of its columns: beyond the paper; 0 reads none
    row_features: int = 0
    col_features: int = 0
    # Eqs. (6) and (7); "nmf": multiplicative steps of positive factors, beyond the paper
    steps_rule: str = "gradient"
    # for "nmf": the lowest value, in standardised units, to which U V' is added
    lowest: float = 0.0
    # whether the curvature of each row and column bounds its step size, in training, too
    safe_steps: bool = False

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


class FactorNetwork(Network):
    """The prior network, Eqs. (4) and (5), and lambda, which stays positive since its logarithm is
    the parameter."""

    config: MetaMFConfig

    def __init__(self, config: MetaMFConfig):
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

    @property
    def prior_precision(self) -> Tensor:
        """lambda, positive."""
        return positive(self.log_prior_precision)

    def prior_means(self, batch: RatingsBatch, columns: list[Tensor] | None = None) -> PriorMean:
        """The prior means, Eq. (5), where the steps begin. ``columns`` as for ``PriorNetwork``."""
        return self.prior(batch, columns)

    @abstractmethod
    def lowered(
        self, U: Tensor, V: Tensor, U0: Tensor, V0: Tensor, support: RatingsBatch
    ) -> Tensor:
        """The objective of the steps at U and V, given the prior means."""

    def descends(self, adapted: Adapted, support: RatingsBatch) -> bool:
        sizes = [support.N, support.M]
        U0, V0 = adapted.path[0].split(sizes)
        U, V = adapted.path[-1].split(sizes)
        before = self.lowered(U0, V0, U0, V0, support)
        after = self.lowered(U, V, U0, V0, support)
        return bool(torch.isfinite(after) and after <= before)


class MetaMF(FactorNetwork):
    """The paper's model, Algorithm 1: T MAP steps, Eqs. (6) and (7), from the prior means, Eq. (5).

    The paper's fixed step size overshoots for rows and columns with hundreds of ratings. Under
    ``step_rule='auto'`` the whole matrix takes one rule: the paper's steps, or safe ones if the
    objective rises or a row or a column overshoots. (Safe steps for the overshooting rows alone
    were measured, too: they leave the columns as the overshooting row has moved them, and are less
    accurate in these rows and in the others.) A network that was trained with safe steps always
    takes them. A new row takes the matrix's steps, or safe ones if it alone overshoots, so
    ``fold_in`` gives a row of the matrix what ``adapt`` gave it.
    """

    def __init__(self, config: MetaMFConfig = MetaMFConfig()):
        super().__init__(config)
        log_step_size = torch.tensor(math.log(config.step_size))
        self.log_step_size = nn.Parameter(log_step_size, requires_grad=config.learn_step_size)

    @property
    def step_size(self) -> Tensor:
        """eta, positive."""
        return positive(self.log_step_size)

    @property
    def gradient_steps(self) -> tuple[float, float]:
        return self.step_size.item(), self.prior_precision.item()

    def adapt(
        self, support: RatingsBatch, steps: int | None = None, step_rule: StepRule | None = None
    ) -> Adapted:
        """Algorithm 1: the factors of every matrix of a batch, and their path.

        Parameters
        ----------
        support : the observed entries, in standardised units
        steps : the number of MAP steps; None for T
        step_rule : 'paper' for the fixed step size, 'safe' if the curvature of each row and column
            bounds it (``map_steps``), 'auto' for the paper's unless they overshoot; None: as in
            training
        """
        config = self.config
        if step_rule is None:
            step_rule = "safe" if config.safe_steps else "paper"
        falls_back = step_rule == "auto" and not config.safe_steps
        U0, V0, columns = self.prior_means(support)
        T = config.steps if steps is None else steps
        start = (U0, V0, support, self.step_size, self.prior_precision, T)
        if step_rule == "paper" or falls_back:
            paper = Adapted(map_steps(*start), "paper", columns, falls_back)
            if not falls_back:
                return paper
            if self.descends(paper, support) and not _overshoots(paper, support):
                return paper
        return Adapted(map_steps(*start, safe=True), "safe", columns, falls_back)

    def lowered(
        self, U: Tensor, V: Tensor, U0: Tensor, V0: Tensor, support: RatingsBatch
    ) -> Tensor:
        return objective(U, V, U0, V0, support, self.prior_precision)

    def fold_in(self, rows: RatingsBatch, adapted: Adapted) -> Tensor:
        U0 = self.prior_means(rows, adapted.columns).U0
        V_path = adapted.path[:, -rows.M :]

        def steps(safe: bool) -> Tensor:
            return fold_in_steps(U0, V_path, rows, self.step_size, self.prior_precision, safe)

        safe = adapted.rule == "safe"
        U = steps(safe)
        if safe or not adapted.falls_back:
            return U
        before = rows.by_row.sum(_squares(U0, adapted.V, rows))
        after = rows.by_row.sum(_squares(U, adapted.V, rows))
        over = overshoots(before, after, rows.row_count, 1 + ROUNDING)
        return torch.where(over, steps(True), U) if over.any() else U


def _overshoots(adapted: Adapted, batch: RatingsBatch) -> bool:
    """Whether a row or a column of the batch overshoots, given the final factors of the other
    side."""
    U0, V0 = adapted.path[0].split([batch.N, batch.M])
    after = _squares(adapted.U, adapted.V, batch)
    before = batch.by_row.sum(_squares(U0, adapted.V, batch))
    if overshoots(before, batch.by_row.sum(after), batch.row_count).any():
        return True
    before = batch.by_col.sum(_squares(adapted.U, V0, batch))
    return bool(overshoots(before, batch.by_col.sum(after), batch.col_count).any())


def overshoots(before: Tensor, after: Tensor, count: Tensor, tolerance: float = 1.0) -> Tensor:
    """(n, 1) whether the steps have moved each row, or each column, too far for its ratings.

    By the squared errors ``before``, at the prior mean, and ``after`` the steps (n, 1), not finite
    after a divergence, and by the ``count`` of observed entries (n, 1); ``tolerance`` is a factor
    on the limit.
    """
    return ~(after <= tolerance * (before + OVERSHOOT * count))


def _squares(U: Tensor, V: Tensor, batch: RatingsBatch) -> Tensor:
    """(nnz, 1) the squared errors on the observed entries."""
    residual = torch.linalg.vecdot(U[batch.row], V[batch.col]) - batch.x
    return residual.square().unsqueeze(1)


def positive(log: Tensor) -> Tensor:
    """exp, which alone underflows to zero."""
    return log.exp().clamp_min(torch.finfo(log.dtype).tiny)
