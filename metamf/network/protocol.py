"""The protocol of the networks: units, adaptation, folding in, intervals.

Everything above the networks knows one as a ``Network``, never by its class. There are three: the
paper's (``MetaMF``) takes T gradient steps, ``PositiveMF`` takes multiplicative ones, and
``Universal`` makes T exact sweeps and gives an interval for each cell, too.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
import torch
from torch import Tensor, nn

from metamf.learning.episodes import EpisodeBatch
from metamf.learning.objectives import squared_errors
from metamf.network.map_steps import Factors
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings, is_grid
from metamf.ratings.scale import RatingScale
from metamf.ratings.threads import run_on_few_cores
from metamf.ratings.units import ScaleUnits, Standardization, Standardize, UnitRule, unit_rule

StepRule = Literal["auto", "paper", "safe"]


@dataclass(frozen=True, eq=False)
class Adapted:
    """What a network found of one matrix, or of the matrices of a batch laid end to end; in
    standardised units."""

    factors: Factors  # after the last round, and their path
    # exact sweeps; gradient steps of fixed or bounded size; positive
    rule: Literal["exact", "paper", "safe", "nmf"]
    # L tensors (M, C), the column terms of each layer, with which new rows are folded in
    columns: list[Tensor]
    # whether a new row may take safe steps where the others took the paper's
    falls_back: bool = False
    lowest: float = 0.0  # the value to which the products of positive factors are added

    @property
    def U(self) -> Tensor:
        """(N, K) factors of the rows."""
        return self.factors.U

    @property
    def V(self) -> Tensor:
        """(M, K) factors of the columns."""
        return self.factors.V

    @property
    def path(self) -> Tensor:
        """(T + 1, N + M, K) U on top of V after every round; index 0 is the prior mean."""
        return self.factors.path

    @property
    def step_rule(self) -> StepRule:
        """The step rule to reuse on other matrices, as ``Network.adapt`` takes it."""
        return self.rule if self.rule in ("paper", "safe") else "auto"

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """Returns the estimates u_n . v_m (n,) at the positions ``row``, ``col`` (n,) of the batch,
        Eq. (8)."""
        products = torch.linalg.vecdot(self.U.index_select(0, row), self.V.index_select(0, col))
        return products + self.lowest if self.lowest else products

    def variance(self, row: Tensor, col: Tensor) -> Tensor:
        """Predictive variances (n,) of ratings at positions of the batch; of networks with
        intervals only."""
        raise NotImplementedError(f"{self.rule!r} rounds give no variances")

    def variance_matrix(
        self, rows: slice | Tensor = slice(None), cols: slice | Tensor = slice(None)
    ) -> Tensor:
        """(n, m) the same at all cells of one matrix, or at those of some rows and columns."""
        raise NotImplementedError(f"{self.rule!r} rounds give no variances")

    @torch.inference_mode()
    def deviation_at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Predictive standard deviations at cells of one matrix, of positions that broadcast."""
        size = math.prod(np.broadcast_shapes(np.shape(rows), np.shape(cols)))
        if is_grid(rows, cols):
            sides = rows[:, 0], cols[0]
            variance = self.variance_matrix
        else:
            sides = tuple(each.ravel() for each in np.broadcast_arrays(rows, cols))
            variance = self.variance
        at = [torch.tensor(positions, device=self.U.device) for positions in sides]
        found = run_on_few_cores(lambda: _root(variance(*at)), size)
        return found.reshape(np.broadcast_shapes(np.shape(rows), np.shape(cols)))


def _root(variance: Tensor) -> np.ndarray:
    return variance.sqrt().cpu().numpy().astype(np.float64)


class Network(nn.Module, ABC):
    """A meta-learned network, ready to adapt to a matrix; values are in standardised units
    throughout."""

    config: Any  # its settings, a dataclass; ``config.steps`` is T
    # number of observed entries up to which it is opened in double precision
    double_up_to: ClassVar[int] = 0

    @property
    def dtype(self) -> torch.dtype:
        """Precision of the parameters, and of the batches that the network reads."""
        return next(self.parameters()).dtype

    @property
    def device(self) -> torch.device:
        """Where the parameters are, and the batches that the network reads."""
        return next(self.parameters()).device

    def single(self) -> Self:
        """The same network in single precision; itself if it is already."""
        return self if self.dtype == torch.float32 else deepcopy(self).float()

    def objective(self, episodes: EpisodeBatch) -> tuple[Tensor, Tensor]:
        """That of meta-training and of tuning, as ``metamf.learning.objectives`` has them: by
        default Eq. (9)."""
        return squared_errors(self, episodes)

    @property
    def gradient_steps(self) -> tuple[float, float] | None:
        """eta and lambda of Eqs. (6) and (7), in standardised units; None for a network that takes
        other steps."""
        return None

    @property
    def scale_units(self) -> ScaleUnits | None:
        """The units in which a matrix with a known rating scale is standardised, of a network that
        was trained on matrices in units of their own."""
        return None

    def unit_rule(
        self,
        ratings: Ratings,
        trained: Standardization | None,
        trained_scale: RatingScale | None,
        standardize: Standardize = "auto",
    ) -> UnitRule:
        """The rule that standardises a matrix; parameters as for
        ``metamf.ratings.units.unit_rule``.

        ValueError for a value of ``standardize`` that the network cannot read.
        """
        return unit_rule(ratings, trained, trained_scale, self.scale_units, standardize)

    @abstractmethod
    def adapt(
        self, support: RatingsBatch, steps: int | None = None, step_rule: StepRule | None = None
    ) -> Adapted:
        """Adapts the factors of every matrix of a batch by ``steps`` rounds (default T).

        ``step_rule`` is for gradient steps alone (``MetaMF``); None: as in training.
        """

    @abstractmethod
    def fold_in(self, rows: RatingsBatch, adapted: Adapted) -> Tensor:
        """(n, K) factors of new rows (a batch of one n x M matrix) of a matrix that was adapted to.

        Columns stay as they are, and a row of the matrix itself gets the factors that it has there.
        """

    def descends(self, adapted: Adapted, support: RatingsBatch) -> bool:
        """Whether the rounds ended no higher than the prior mean's objective; False: the step size
        was too large."""
        return True

    def half_widths(
        self,
        adapted: Adapted,
        support: RatingsBatch,
        levels: Sequence[float],
        scale_weighs_in: bool,
    ) -> np.ndarray | None:
        """Half-widths (len(levels), D) of the intervals of the D matrices ``support``, to which the
        network was adapted, in predictive standard deviations of each cell; None for a network
        without intervals.

        ``scale_weighs_in`` : whether the matrices were standardised with the help of their rating
        scale. ValueError if the network gives none of a level.
        """
        return None

    def half_width(
        self, adapted: Adapted, support: RatingsBatch, level: float, scale_weighs_in: bool
    ) -> float | None:
        """The same of one level and one matrix."""
        found = self.half_widths(adapted, support, [level], scale_weighs_in)
        return None if found is None else found.item()
