"""The extended model as everything above the checkpoints knows it: exact sweeps, and an interval for each cell."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor

from metamf.checkpoints.checkpoint import save_checkpoint
from metamf.checkpoints.info import CheckpointInfo
from metamf.checkpoints.protocol import StepRule
from metamf.checkpoints.tuned import tuned_info
from metamf.learning.objectives import calibrated_errors
from metamf.learning.tuning import Tuning, TuningProgress, TuningReport, tune
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.sided_units import sided_rule
from metamf.ratings.threads import run_on_few_cores
from metamf.ratings.units import Standardize, UnitRule
from metamf.ratings.whole_units import unit_rule
from metamf.universal.intervals import widths
from metamf.universal.network import Universal
from metamf.universal.posterior import AdaptedUniversal


@dataclass(frozen=True, eq=False)
class AdaptedExtendedModel:
    """Result of ``ExtendedModel.adapt``: see ``metamf.checkpoints.protocol.AdaptedModel``.

    Parameters
    ----------
    posterior : AdaptedUniversal
        Means and covariances of the factors, noise, and the context for new rows.
    """

    posterior: AdaptedUniversal

    rule: ClassVar[Literal["exact"]] = "exact"
    step_rule: ClassVar[Literal["auto"]] = "auto"

    @property
    def U(self) -> Tensor:
        return self.posterior.factors.U

    @property
    def V(self) -> Tensor:
        return self.posterior.factors.V

    @property
    def path(self) -> Tensor:
        return self.posterior.factors.path

    def predict(self, row: Tensor, col: Tensor) -> Tensor:
        return self.posterior.predict(row, col)


@dataclass(frozen=True, eq=False)
class ExtendedModel:
    """The extended model: T exact sweeps of variational Bayes, and an interval for each cell.

    Its sweeps have no step size, so the step rule makes no difference.

    Parameters
    ----------
    network : Universal
        The network, in evaluation mode.
    info : CheckpointInfo
        Its checkpoint's description of it.
    """

    network: Universal
    info: CheckpointInfo

    double_up_to: ClassVar[int] = 2**19  # entries; double precision takes three times as long
    step_size: ClassVar[None] = None
    prior_precision: ClassVar[None] = None
    prior_network: ClassVar[None] = None

    @property
    def dtype(self) -> torch.dtype:
        return self.network.log_noise.dtype

    def single(self) -> ExtendedModel:
        return self if self.dtype == torch.float32 else ExtendedModel(deepcopy(self.network).float(), self.info)

    @property
    def rounds(self) -> int:
        return self.network.config.steps

    def units(self, ratings: Ratings, standardize: Standardize = "auto") -> UnitRule:
        return sided_rule(standardize) or unit_rule(ratings, None, None, self.network.scale_units, standardize)

    def adapt(
        self, batch: RatingsBatch, steps: int | None = None, step_rule: StepRule = "auto"
    ) -> AdaptedExtendedModel:
        return AdaptedExtendedModel(self.network.adapt(batch, steps))

    def tuned(
        self, ratings: Ratings, settings: Tuning, progress: Callable[[TuningProgress], object] | None = None
    ) -> tuple[ExtendedModel, TuningReport]:
        network, report = tune(self.network, ratings, calibrated_errors, settings, progress)
        return ExtendedModel(network, tuned_info(self.info, ratings, settings, report)), report

    def save(self, path: str | Path, info: CheckpointInfo | None = None) -> Path:
        return save_checkpoint(path, self.single().network, info or self.info)

    def descends(self, adapted: AdaptedExtendedModel, batch: RatingsBatch) -> bool:
        return True

    def fold_in(self, batch: RatingsBatch, adapted: AdaptedExtendedModel) -> Tensor:
        return self.network.fold_in(batch, adapted.posterior)[0]

    def intervals(
        self, adapted: AdaptedExtendedModel, batch: RatingsBatch, level: float, scale_weighs_in: bool
    ) -> PosteriorHalfWidths:
        with torch.inference_mode():
            half = widths(self.network, adapted.posterior, batch, [level], scale_weighs_in).item()
        return PosteriorHalfWidths(adapted.posterior, half)


@dataclass(frozen=True, eq=False)
class PosteriorHalfWidths:
    """Half-widths of intervals from the posterior: a number of predictive standard deviations, the same for all cells.

    Parameters
    ----------
    posterior : AdaptedUniversal
        The posterior of one matrix, in standardised units.
    factor : float
        The half-width in predictive standard deviations.
    """

    posterior: AdaptedUniversal
    factor: float

    @torch.inference_mode()
    def at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """(n,) half-widths at single cells, in standardised units."""
        device = self.posterior.factors.U.device
        cells = [torch.tensor(x, device=device) for x in (rows, cols)]
        return run_on_few_cores(lambda: self._half_widths(self.posterior.variance(*cells)), len(rows))

    @torch.inference_mode()
    def block(self, rows: slice, cols: slice) -> np.ndarray:
        """(n, m) half-widths at all cells of some rows and columns, in standardised units."""
        sides = (rows, self.posterior.factors.U), (cols, self.posterior.factors.V)
        cells = math.prod(len(range(*part.indices(len(factor)))) for part, factor in sides)
        return run_on_few_cores(lambda: self._half_widths(self.posterior.variance_matrix(rows, cols)), cells)

    def _half_widths(self, variance: Tensor) -> np.ndarray:
        return (self.factor * variance.sqrt()).cpu().numpy().astype(np.float64)
