"""One matrix, read and adapted to by a pretrained model: the knowledge of a fitted imputer."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from sklearn.exceptions import ConvergenceWarning

from metamf.checkpoints.bundled import open_checkpoint
from metamf.checkpoints.models import AdaptedModel, PretrainedModel, StepRule
from metamf.imputer.blend import Blend, BlendedIntervals, fit_blend
from metamf.imputer.choice import chosen_units
from metamf.imputer.column_members import Beside, can_blend
from metamf.imputer.held_out import held_out, width_factor
from metamf.imputer.result import Imputation, Trajectory
from metamf.imputer.widths import Intervals
from metamf.learning.tuning import Tuning, TuningProgress, TuningReport
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.limits import ColumnLimits
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization, Standardize, UnitRule

# Standard deviations from the mean: what lies beyond is read as this. Chosen by hand: squares of it stay finite in
# single precision, and sums of a million of them, too.
FARTHEST = 1e12
# Sweeps after which the factors have converged where units differ by side or the network was tuned; measured by
# ``benchmarks.accuracy.sensitivity``. On rating matrices in units of the whole more sweeps make no difference.
CONVERGED = 16
Members = Beside | None
BLEND_DIVISIONS = 3  # divisions of the entries that weigh the members where nothing was tuned
COPIES_AT_ONCE = 25  # copies of a matrix between two calls of ``progress`` with more members
ENTRIES_AT_ONCE = 200_000  # entries of all copies of a matrix that are read as one batch; about 100 MB


@dataclass(frozen=True, eq=False)
class Adaptation:
    """A matrix as a pretrained model has read it, and the model as it is adapted to the matrix.

    Attributes
    ----------
    ratings : Ratings
        The observed entries, in rating units.
    model : PretrainedModel
        The model, which other adaptations share.
    adapted : AdaptedModel
        The model, adapted to the matrix, in standardised units.
    unit_rule : UnitRule
        The rule by which the units follow from the observed entries.
    standardization : Standardization
        The units that came of it.
    scale : RatingScale, ColumnLimits or None
        The limits of estimates: the scale of the ratings where it is known, that of the checkpoint if its units
        are used, near the observed entries of each column if columns have units of their own, or else the range of the
        observed entries; None if these are one value.
    steps : int or None
        Number of rounds that was asked for; None: the checkpoint's T.
    U, V : ndarray of shape (N, K) and (M, K)
        The adapted factors, in standardised units.
    tuning_report : TuningReport or None
        Outcome of the tuning; None if nothing was tuned.
    blend : Blend or None
        The members beside the model; None if the model is alone.
    width_factor : float
        Factor by which a tuned model's half-widths are multiplied, also where it was tuned and saved before; 1 for any
        other.
    """

    ratings: Ratings
    model: PretrainedModel
    adapted: AdaptedModel
    unit_rule: UnitRule
    standardization: Standardization
    scale: RatingScale | ColumnLimits | None
    steps: int | None
    U: np.ndarray
    V: np.ndarray
    tuning_report: TuningReport | None = None
    blend: Blend | None = None
    width_factor: float = 1.0

    @property
    def batch(self) -> RatingsBatch:
        """The matrix in standardised units, as the model has read it."""
        return _batch(self.ratings, self.standardization, self.model.dtype, self.adapted.U.device)

    @property
    def trajectory(self) -> Trajectory:
        """The factors after every round."""
        path = self.adapted.path.cpu().numpy()  # (T + 1, N + M, K)
        N = self.ratings.n_rows
        return Trajectory(path[:, :N], path[:, N:], self.standardization)

    def warn_if_diverged(self) -> None:
        """Warns, whoever calls ``MetaMFImputer.fit``, if the steps end above the objective where they began."""
        if not self.model.descends(self.adapted, self.batch):
            warnings.warn(
                "the paper's fixed step size diverges on this matrix: use step_rule='auto' or 'safe'",
                ConvergenceWarning,
                stacklevel=5,
            )

    def fold_in(self, ratings: Ratings) -> np.ndarray:
        """(N', K) factors of the rows of a matrix with the same columns, in standardised units."""
        units = self.standardization.of_new_rows(ratings)
        batch = _batch(ratings, units, self.model.dtype, self.adapted.U.device)
        with torch.inference_mode():
            return self.model.fold_in(batch, self.adapted).cpu().numpy()

    def intervals(self, level: float) -> Intervals | BlendedIntervals:
        """The intervals of all cells; ValueError for a model that gives none, or a level that it does not give."""
        half_widths = self.model.intervals(self.adapted, self.batch, level, self.unit_rule.scale_weighs_in)
        network = Intervals(level, self.standardization, half_widths, self.width_factor)
        return network if self.blend is None else BlendedIntervals(level, network, self.blend)

    def save(self, path: str | Path) -> Path:
        """Writes the model as a checkpoint; that of a tuned one says how wide its intervals have to be."""
        return self.model.save(path, self.model.info.with_width_factor(self.width_factor))

    def imputation(self, interval: float | None, clip: bool) -> Imputation:
        """The estimates, with intervals of level ``interval`` if one is given, clipped to ``scale`` if ``clip``."""
        return Imputation(
            self.ratings,
            self.trajectory,
            self.scale if clip else None,
            self.model.info.name,
            self.adapted.rule,
            None if interval is None else self.intervals(interval),
            self.blend,
        )

    def estimates_without(
        self, entries: np.ndarray, row: int, col: int, progress: Callable[[int, int], None] | None = None
    ) -> np.ndarray:
        """(D,) estimates of cell (``row``, ``col``) from the matrix without one of ``entries`` each, in rating units.

        As many copies of the matrix as fit into ``ENTRIES_AT_ONCE`` are adapted to as one batch; each is read in units
        of its own, by the same rule, and takes the rounds that the whole matrix took. If all copies together have more
        entries than the model reads in double precision, they are read in single precision, in a third of the time.
        Members beside the model are fitted anew to each copy, one after the other, and weigh what they weigh in the
        whole matrix.
        ``progress(done, D)`` is called before each batch. ValueError if nothing would be left to estimate from.
        """
        if self.ratings.nnz < 2:
            raise ValueError("1 observed entry: leaving it out leaves nothing to estimate from")
        D, at_once = len(entries), max(1, ENTRIES_AT_ONCE // self.ratings.nnz)
        if self.blend is not None:
            at_once = min(at_once, COPIES_AT_ONCE)
        model = self.model if D * self.ratings.nnz <= self.model.double_up_to else self.model.single()
        estimates = np.empty(D)
        for start in range(0, D, at_once):
            if progress is not None:
                progress(start, D)
            part = slice(start, start + at_once)
            network = self._without_each(model, entries[part], row, col)
            blend = self.blend
            estimates[part] = network if blend is None else blend.mixed_without_each(network, entries[part], row, col)
        return estimates

    @torch.inference_mode()
    def _without_each(self, model: PretrainedModel, entries: np.ndarray, row: int, col: int) -> np.ndarray:
        ratings, device = self.ratings, self.adapted.U.device
        D, (N, M) = len(entries), ratings.shape
        kept = np.arange(ratings.nnz - 1)
        kept = kept + (kept >= entries[:, None])  # (D, nnz - 1) positions of the entries of each copy
        x, mean, std = self.unit_rule.without_each(ratings, kept, row, col)  # (D, nnz - 1), (D,), (D,)
        x = np.clip(x, -FARTHEST, FARTHEST)
        copies = np.arange(D)
        rows, cols = ratings.rows[kept] + N * copies[:, None], ratings.cols[kept] + M * copies[:, None]
        shapes = np.full(D, N), np.full(D, M)
        batch = RatingsBatch.from_arrays(
            x.ravel(), rows.ravel(), cols.ravel(), *shapes, dtype=model.dtype, device=device
        )
        adapted = model.adapt(batch, self.steps, self.adapted.step_rule)
        z = adapted.predict(*(torch.tensor(at, device=device) for at in (copies * N + row, copies * M + col)))
        return mean + std * z.cpu().numpy()


def adapt(
    ratings: Ratings,
    checkpoint: str | Path,
    *,
    standardize: Standardize = "auto",
    steps: int | None = None,
    step_rule: StepRule = "auto",
    device: str = "cpu",
    tuning: Tuning | None = None,
    members: Members = None,
    progress: Callable[[TuningProgress], object] | None = None,
) -> Adaptation:
    """Adapts a checkpoint's model to a matrix; the parameters are those of ``MetaMFImputer``.

    ``tuning`` says whether and how the model is tuned to the matrix before it adapts, and ``progress`` hears of it;
    ``members`` which others stand beside it.

    Raises
    ------
    ValueError
        If nothing is observed, or a parameter does not suit the checkpoint.
    FileNotFoundError, CheckpointError
        If the checkpoint does not exist or cannot be used.
    """
    if ratings.nnz == 0:
        raise ValueError(f"no entry of the {ratings.n_rows} x {ratings.n_cols} matrix is observed: give at least one")
    model, info = open_checkpoint(checkpoint, device)
    if ratings.nnz <= model.double_up_to:
        model, info = open_checkpoint(checkpoint, device, torch.float64)
    tuned_before = info.tuning_seed  # the seed of the tuning of a network that was saved
    of_one_table = tuning is not None or tuned_before is not None
    choose = standardize == "chosen" or (standardize == "auto" and of_one_table and ratings.scale is None)
    rule = model.units(ratings, "auto" if standardize == "chosen" else standardize)
    if choose and rule.gives_way:
        rule = chosen_units(model, ratings, rule)
    standardization = rule.of(ratings)
    report = None
    if tuning is not None:
        model, report = model.tuned(_standardized(ratings, standardization), tuning, progress)
    if steps is None and info.round_name == "sweep" and (of_one_table or rule.by is not None):
        steps = CONVERGED
    scale = ratings.scale or rule.limits(ratings, info.scale)
    with torch.inference_mode():
        batch = _batch(ratings, standardization, model.dtype, device)
        adapted = model.adapt(batch, steps, step_rule)
    second = members is not None and can_blend(ratings)
    blend, factor = None, info.width_factor
    if second or report is not None:
        seen_by_none = tuned_before if tuning is None else tuning.seed  # a saved network has seen all others
        seeds = range(BLEND_DIVISIONS) if seen_by_none is None else [seen_by_none]
        given = _standardized(ratings, standardization)
        parts = list(
            held_out(
                model,
                given,
                standardization,
                seeds,
                steps=steps,
                step_rule=adapted.step_rule,
                scale_weighs_in=rule.scale_weighs_in,
                device=device,
            )
        )
        blend = fit_blend(ratings, parts, members) if members is not None and second else None
        factor = factor if report is None else width_factor(parts)
    U, V = (side.cpu().numpy() for side in (adapted.U, adapted.V))
    return Adaptation(ratings, model, adapted, rule, standardization, scale, steps, U, V, report, blend, factor)


def _batch(ratings: Ratings, units: Standardization, dtype: torch.dtype, device: str | torch.device) -> RatingsBatch:
    return RatingsBatch.of([_standardized(ratings, units)], dtype, device)


def _standardized(ratings: Ratings, units: Standardization) -> Ratings:
    values = ratings.values.astype(np.float64)  # less precision would lose them in a large mean
    return ratings.with_values(np.clip(units.apply_at(values, ratings.rows, ratings.cols), -FARTHEST, FARTHEST))
