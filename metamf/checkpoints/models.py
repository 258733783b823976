"""Pretrained models behind one interface: units, adaptation, folding in, intervals.

Everything above the checkpoints knows a model as a ``PretrainedModel``, never by its class. The paper's model takes T
gradient steps and gives estimates; the extended one makes T exact sweeps and gives an interval for each cell, too.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
import torch
from torch import Tensor

from metamf.checkpoints.files import Network, save_checkpoint
from metamf.checkpoints.info import CheckpointInfo
from metamf.learning.objectives import calibrated_errors, squared_errors
from metamf.learning.tuning import Objective, Tuning, TuningProgress, TuningReport, tune
from metamf.network.meta_mf import MetaMF
from metamf.network.prior import PriorNetwork
from metamf.network.universal.intervals import widths
from metamf.network.universal.network import Universal
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.segments import Segments
from metamf.ratings.threads import run_on_few_cores
from metamf.ratings.units import FromLowest, Standardize, UnitRule, unit_rule

StepRule = Literal["auto", "paper", "safe"]

# A row or column overshoots if its squared error rises, on the way from its prior mean, by more than this share of the
# variance per entry.
OVERSHOOT = 0.01
# A row that ``adapt`` has let pass must pass in ``fold_in``, too, where rounding differs.
ROUNDING = 1e-3


@dataclass(frozen=True, eq=False)
class AdaptedModel:
    """A model adapted to one matrix, or to the matrices of a batch laid end to end; in standardised units.

    ``rule`` tells exact sweeps from steps of the paper's fixed size and steps of a bounded size.
    """

    found: Any  # the network's own Adapted or AdaptedUniversal, with the context in which new rows are folded in
    rule: Literal["exact", "paper", "safe", "nmf"]
    step_rule: StepRule  # makes rounds of this kind again, for any matrix
    falls_back: bool = False  # whether a new row may take safe steps where the others took the paper's

    @property
    def U(self) -> Tensor:
        """(N, K) factors of the rows."""
        return self.found.factors.U

    @property
    def V(self) -> Tensor:
        """(M, K) factors of the columns."""
        return self.found.factors.V

    @property
    def path(self) -> Tensor:
        """(T + 1, N + M, K) U on top of V after every round; index 0 is the prior mean."""
        return self.found.factors.path

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        """(n,) estimates at positions of the batch."""
        return self.found.predict(row, col)

    @torch.inference_mode()
    def deviation_at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Predictive standard deviations at cells of one matrix, of positions that broadcast; of sweeps only."""
        rows, cols = np.broadcast_arrays(rows, cols)
        cells = [torch.tensor(positions.ravel(), device=self.U.device) for positions in (rows, cols)]
        return run_on_few_cores(lambda: _root(self.found.variance(*cells)), rows.size).reshape(rows.shape)

    @torch.inference_mode()
    def deviation_block(self, rows: slice, cols: slice) -> np.ndarray:
        """(n, m) the same at all cells of some rows and columns."""
        sides = (rows, self.U), (cols, self.V)
        cells = math.prod(len(range(*part.indices(len(factor)))) for part, factor in sides)
        return run_on_few_cores(lambda: _root(self.found.variance_matrix(rows, cols)), cells)


def _root(variance: Tensor) -> np.ndarray:
    return variance.sqrt().cpu().numpy().astype(np.float64)


@dataclass(frozen=True, eq=False)
class PretrainedModel(ABC):
    """A checkpoint's model, ready to adapt to a matrix."""

    network: Any  # MetaMF or Universal, in evaluation mode
    info: CheckpointInfo

    double_up_to: ClassVar[int] = 0  # number of observed entries up to which it is opened in double precision

    @property
    def dtype(self) -> torch.dtype:
        """Precision of the parameters, and of the batches that the model reads."""
        return next(self.network.parameters()).dtype

    @property
    def T(self) -> int:
        """The number of rounds that the network was trained with."""
        return self.network.config.steps

    def single(self) -> Self:
        """The same model in single precision; itself if it is already."""
        return self if self.dtype == torch.float32 else type(self)(deepcopy(self.network).float(), self.info)

    @property
    def step_size(self) -> float | None:
        """eta of Eqs. (6) and (7), in standardised units; None for a model without a step size."""
        return None

    @property
    def prior_precision(self) -> float | None:
        """lambda of Eqs. (6) and (7), in standardised units; None for a model without a step size."""
        return None

    @property
    def prior_network(self) -> PriorNetwork | None:
        """The exchangeable layers of Eqs. (4) and (5), from ratings to prior means; None where layers differ."""
        return None

    @abstractmethod
    def units(self, ratings: Ratings, standardize: Standardize = "auto") -> UnitRule:
        """The rule that standardises the matrix; ValueError for 'checkpoint' if the model has no units of its own."""

    @abstractmethod
    def adapt(self, batch: RatingsBatch, steps: int | None = None, step_rule: StepRule = "auto") -> AdaptedModel:
        """Adapts the factors of every matrix of the batch by ``steps`` rounds (default T)."""

    def tuned(
        self,
        ratings: Ratings,
        settings: Tuning,
        progress: Callable[[TuningProgress], object] | None = None,
        rounds: Sequence[int] = (),
    ) -> tuple[Self, TuningReport]:
        """A copy tuned to one matrix, in standardised units, by hiding and the model's own objective."""
        network, report = tune(self.network, ratings, self._objective, settings, progress, rounds)
        return type(self)(network, self.info.tuned(ratings, settings, report)), report

    @property
    def _objective(self) -> Objective:
        """The objective with which the network was meta-trained: of the paper's, Eq. (9)."""
        return squared_errors

    def save(self, path: str | Path, info: CheckpointInfo | None = None) -> Path:
        """Writes the model as a checkpoint, atomically; ``info`` replaces its own description."""
        return save_checkpoint(path, self.single().network, info or self.info)

    def descends(self, adapted: AdaptedModel, batch: RatingsBatch) -> bool:
        """Whether the rounds ended no higher than the prior mean's objective; False: the step size was too large."""
        return True

    @abstractmethod
    def fold_in(self, batch: RatingsBatch, adapted: AdaptedModel) -> Tensor:
        """(n, K) factors of new rows (a batch of one n x M matrix) of a matrix that was adapted to.

        Columns stay as they are, and a row of the matrix itself gets the factors that it has there.
        """

    def half_width(
        self, adapted: AdaptedModel, batch: RatingsBatch, level: float, scale_weighs_in: bool
    ) -> float | None:
        """Half-width of the intervals of ``level`` of the one matrix of ``batch``, to which the model was adapted, in
        predictive standard deviations of each cell; None for a model without intervals.

        ``scale_weighs_in`` : whether the matrix was standardised with the help of its rating scale. ValueError if the
        model gives none of this level.
        """
        return None


class PaperModel(PretrainedModel):
    """The paper's model, Algorithm 1: T MAP steps, Eqs. (6) and (7), from the prior means, Eq. (5).

    The paper's fixed step size overshoots for rows and columns with hundreds of ratings. Under ``step_rule='auto'`` the
    whole matrix takes one rule: the paper's steps, or safe ones if the objective rises or a row or a column overshoots.
    (Safe steps for the overshooting rows alone were measured, too: they leave the columns as the overshooting
    row has moved them, and are less accurate in these rows and in the others.) A network that was trained with safe
    steps always takes them. A new row takes the matrix's steps, or
    safe ones if it alone overshoots, so ``fold_in`` gives a row of the matrix what ``adapt`` gave it.
    """

    network: MetaMF

    @property
    def step_size(self) -> float:
        return float(self.network.step_size)

    @property
    def prior_precision(self) -> float:
        return float(self.network.prior_precision)

    @property
    def prior_network(self) -> PriorNetwork:
        return self.network.prior

    def units(self, ratings: Ratings, standardize: Standardize = "auto") -> UnitRule:
        return unit_rule(ratings, self.info.standardization, self.info.scale, None, standardize)

    def adapt(self, batch: RatingsBatch, steps: int | None = None, step_rule: StepRule = "auto") -> AdaptedModel:
        falls_back = step_rule == "auto" and not self.network.config.safe_steps
        if step_rule == "paper" or falls_back:
            paper = AdaptedModel(self.network.adapt(batch, steps, safe=False), "paper", "paper", falls_back)
            if not falls_back or (self.descends(paper, batch) and not self._overshoots(paper, batch)):
                return paper
        return AdaptedModel(self.network.adapt(batch, steps, safe=True), "safe", "safe", falls_back)

    def descends(self, adapted: AdaptedModel, batch: RatingsBatch) -> bool:
        return self.network.descends(adapted.found, batch)

    def fold_in(self, batch: RatingsBatch, adapted: AdaptedModel) -> Tensor:
        U = self.network.fold_in(batch, adapted.found, safe=adapted.rule == "safe")
        if adapted.rule == "safe" or not adapted.falls_back:
            return U
        U0, V = self.network.prior(batch, adapted.found.columns).U0, adapted.V
        before, after = (_squared_errors(factor, V, batch, batch.by_row) for factor in (U0, U))
        over = overshoots(before, after, batch.row_count, 1 + ROUNDING)
        return torch.where(over, self.network.fold_in(batch, adapted.found, safe=True), U) if over.any() else U

    def _overshoots(self, adapted: AdaptedModel, batch: RatingsBatch) -> bool:
        """Whether a row or a column of the batch overshoots, given the final factors of the other side."""
        U0, V0 = adapted.path[0].split([batch.N, batch.M])
        U, V = adapted.U, adapted.V
        before, after = (_squared_errors(u, V, batch, batch.by_row) for u in (U0, U))
        rows = overshoots(before, after, batch.row_count)
        before, after = (_squared_errors(U, v, batch, batch.by_col) for v in (V0, V))
        cols = overshoots(before, after, batch.col_count)
        return bool(rows.any() or cols.any())


def overshoots(before: Tensor, after: Tensor, count: Tensor, tolerance: float = 1.0) -> Tensor:
    """(n, 1) whether the steps have moved each row, or each column, too far for its ratings.

    By the squared errors ``before``, at the prior mean, and ``after`` the steps (n, 1), not finite after a divergence,
    and by the ``count`` of observed entries (n, 1); ``tolerance`` is a factor on the limit.
    """
    return ~(after <= tolerance * (before + OVERSHOOT * count))


def _squared_errors(U: Tensor, V: Tensor, batch: RatingsBatch, groups: Segments) -> Tensor:
    """(n, 1) the squared error of each row, or of each column, on its observed entries."""
    residual = torch.linalg.vecdot(U[batch.row], V[batch.col]) - batch.x  # (nnz,)
    return groups.sum(residual.square().unsqueeze(1))


class PositiveModel(PretrainedModel):
    """The paper's prior network with multiplicative steps (``metamf.network.nmf_steps``): factors without minus signs.

    Its standardised units count from the lowest rating, so that estimates are U V'; its network, which was trained on
    units around the mean, reads them shifted.
    """

    network: MetaMF

    @property
    def _lowest(self) -> float:
        return self.network.config.lowest

    def units(self, ratings: Ratings, standardize: Standardize = "auto") -> UnitRule:
        if standardize in ("columns", "rows"):
            raise ValueError(
                f"checkpoint {self.info.name!r} measures all ratings from the lowest: use 'matrix' or 'auto'"
            )
        rule = unit_rule(ratings, self.info.standardization, self.info.scale, None, standardize)
        return FromLowest(rule, self.info.scale)

    def adapt(self, batch: RatingsBatch, steps: int | None = None, step_rule: StepRule = "auto") -> AdaptedModel:
        found = self.network.adapt(batch.with_values(batch.x + self._lowest), steps)
        return AdaptedModel(found._replace(lowest=None), "nmf", "auto")

    def fold_in(self, batch: RatingsBatch, adapted: AdaptedModel) -> Tensor:
        return self.network.fold_in(batch.with_values(batch.x + self._lowest), adapted.found)

    def tuned(self, ratings: Ratings, *settings: Any) -> tuple[Self, TuningReport]:
        return super().tuned(ratings.with_values(ratings.values + self._lowest), *settings)


class ExtendedModel(PretrainedModel):
    """The extended model: T exact sweeps of variational Bayes, and an interval for each cell.

    Its sweeps have no step size, so the step rule makes no difference.
    """

    network: Universal
    double_up_to = 2**19  # double precision takes three times as long

    @property
    def _objective(self) -> Objective:
        return calibrated_errors

    def units(self, ratings: Ratings, standardize: Standardize = "auto") -> UnitRule:
        return unit_rule(ratings, None, None, self.network.scale_units, standardize)

    def adapt(self, batch: RatingsBatch, steps: int | None = None, step_rule: StepRule = "auto") -> AdaptedModel:
        return AdaptedModel(self.network.adapt(batch, steps), "exact", "auto")

    def fold_in(self, batch: RatingsBatch, adapted: AdaptedModel) -> Tensor:
        return self.network.fold_in(batch, adapted.found)[0]

    def half_width(self, adapted: AdaptedModel, batch: RatingsBatch, level: float, scale_weighs_in: bool) -> float:
        with torch.inference_mode():
            return widths(self.network, adapted.found, batch, [level], scale_weighs_in).item()


def model_of(network: Network, info: CheckpointInfo) -> PretrainedModel:
    """The model of a network that was read from a checkpoint."""
    if isinstance(network, Universal):
        return ExtendedModel(network, info)
    return (PositiveModel if network.config.steps_rule == "nmf" else PaperModel)(network, info)
