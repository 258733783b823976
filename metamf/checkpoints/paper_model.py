"""The paper's model as everything above the checkpoints knows it: which steps a matrix and a new row take."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, NoReturn

import torch
from torch import Tensor

from metamf.checkpoints.checkpoint import save_checkpoint
from metamf.checkpoints.info import CheckpointInfo
from metamf.checkpoints.protocol import StepRule
from metamf.checkpoints.tuned import tuned_info
from metamf.learning.objectives import squared_errors
from metamf.learning.tuning import Tuning, TuningProgress, TuningReport, tune
from metamf.model.meta_mf import Adapted, MetaMF
from metamf.model.prior import PriorNetwork
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.segments import Segments
from metamf.ratings.sided_units import sided_rule
from metamf.ratings.units import Standardize, UnitRule
from metamf.ratings.whole_units import unit_rule

# A row or column overshoots if its squared error rises, on the way from its prior mean, by more than this share of the
# variance per entry. Chosen by hand; ``benchmarks.accuracy.overshoot`` measures how often that is so, and what a
# smaller or a larger share would do (docs/choices.md, "Constants").
OVERSHOOT = 0.01
# A row that ``fit`` has let pass must pass in ``transform``, too, where rounding differs.
ROUNDING = 1e-3


@dataclass(frozen=True, eq=False)
class AdaptedPaperModel:
    """Result of ``PaperModel.adapt``: see ``metamf.checkpoints.protocol.AdaptedModel``.

    Parameters
    ----------
    found : Adapted
        The factors, and the context for new rows.
    rule : {'paper', 'safe'}
        The steps that were taken.
    falls_back : bool
        Whether a new row may take safe steps where the others took the paper's.
    """

    found: Adapted
    rule: Literal["paper", "safe"]
    falls_back: bool

    @property
    def U(self) -> Tensor:
        return self.found.factors.U

    @property
    def V(self) -> Tensor:
        return self.found.factors.V

    @property
    def path(self) -> Tensor:
        return self.found.factors.path

    @property
    def step_rule(self) -> Literal["paper", "safe"]:
        return self.rule

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        return self.found.predict(row, col)


@dataclass(frozen=True, eq=False)
class PaperModel:
    """The paper's model, Algorithm 1: T MAP steps, Eqs. (6) and (7), from the prior means, Eq. (5).

    The paper's fixed step size overshoots for rows and columns with hundreds of ratings. Under ``step_rule='auto'`` one
    matrix takes one rule: the paper's steps, unless the objective rises or a row or a column overshoots; then safe
    steps, for all of it. (Safe steps for the overshooting rows alone were measured, too: they leave the columns as the
    overshooting row has moved them, and are less accurate in these rows and in the others.) A new row takes the
    matrix's steps, or safe ones if it alone overshoots: so a row of the matrix gets in ``fold_in`` what it got in
    ``adapt``.

    Parameters
    ----------
    network : MetaMF
        The network, in evaluation mode.
    info : CheckpointInfo
        Its checkpoint's description of it.
    """

    network: MetaMF
    info: CheckpointInfo

    double_up_to: ClassVar[int] = 0

    @property
    def dtype(self) -> torch.dtype:
        return self.network.log_step_size.dtype

    def single(self) -> PaperModel:
        return self if self.dtype == torch.float32 else PaperModel(deepcopy(self.network).float(), self.info)

    @property
    def rounds(self) -> int:
        return self.network.config.steps

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
        return sided_rule(standardize) or unit_rule(
            ratings, self.info.standardization, self.info.scale, None, standardize
        )

    def adapt(self, batch: RatingsBatch, steps: int | None = None, step_rule: StepRule = "auto") -> AdaptedPaperModel:
        falls_back = step_rule == "auto"
        if step_rule != "safe":
            paper = AdaptedPaperModel(self.network.adapt(batch, steps), "paper", falls_back)
            if not falls_back or (self.descends(paper, batch) and not self._overshoots(paper, batch)):
                return paper
        return AdaptedPaperModel(self.network.adapt(batch, steps, safe=True), "safe", falls_back)

    def tuned(
        self, ratings: Ratings, settings: Tuning, progress: Callable[[TuningProgress], object] | None = None
    ) -> tuple[PaperModel, TuningReport]:
        network, report = tune(self.network, ratings, squared_errors, settings, progress)
        return PaperModel(network, tuned_info(self.info, ratings, settings, report)), report

    def save(self, path: str | Path, info: CheckpointInfo | None = None) -> Path:
        return save_checkpoint(path, self.single().network, info or self.info)

    def descends(self, adapted: AdaptedPaperModel, batch: RatingsBatch) -> bool:
        return self.network.descends(adapted.found, batch)

    def fold_in(self, batch: RatingsBatch, adapted: AdaptedPaperModel) -> Tensor:
        U = self.network.fold_in(batch, adapted.found, safe=adapted.rule == "safe")
        if adapted.rule == "safe" or not adapted.falls_back:
            return U
        U0, V = self.network.prior(batch, adapted.found.columns).U0, adapted.V
        before, after = (_squared_errors(factor, V, batch, batch.by_row) for factor in (U0, U))
        over = overshoots(before, after, batch.row_count, 1 + ROUNDING)
        return torch.where(over, self.network.fold_in(batch, adapted.found, safe=True), U) if over.any() else U

    def intervals(
        self, adapted: AdaptedPaperModel, batch: RatingsBatch, level: float, scale_weighs_in: bool
    ) -> NoReturn:
        raise ValueError(f"checkpoint {self.info.name!r} gives no intervals: use checkpoint='universal'")

    def _overshoots(self, adapted: AdaptedPaperModel, batch: RatingsBatch) -> bool:
        """Whether a row or a column of the batch does, given the other side as it ended."""
        U0, V0 = adapted.path[0].split([batch.N, batch.M])
        U, V = adapted.U, adapted.V
        before, after = (_squared_errors(u, V, batch, batch.by_row) for u in (U0, U))
        rows = overshoots(before, after, batch.row_count)
        before, after = (_squared_errors(U, v, batch, batch.by_col) for v in (V0, V))
        cols = overshoots(before, after, batch.col_count)
        return bool(rows.any() or cols.any())


def overshoots(before: Tensor, after: Tensor, count: Tensor, tolerance: float = 1.0) -> Tensor:
    """(n, 1) whether the steps have moved each row, or each column, beyond what its ratings ask for.

    Parameters
    ----------
    before, after : Tensor of shape (n, 1)
        Its squared error at the prior mean and after the steps, in standardised units; not finite after a divergence.
    count : Tensor of shape (n, 1)
        Number of its observed entries.
    tolerance : float
        A factor on what is let pass.
    """
    return ~(after <= tolerance * (before + OVERSHOOT * count))


def _squared_errors(U: Tensor, V: Tensor, batch: RatingsBatch, groups: Segments) -> Tensor:
    """(n, 1) the squared error of each row, or of each column, on its observed entries."""
    residual = torch.linalg.vecdot(U[batch.row], V[batch.col]) - batch.x  # (nnz,)
    return groups.sum(residual.square().unsqueeze(1))
