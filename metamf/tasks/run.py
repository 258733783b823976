"""One immutable result per (matrix, mask, checkpoint, steps): every figure and number of the pages comes from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import torch

from metamf.checkpoints.bundled import open_checkpoint
from metamf.imputer.estimator import MetaMFImputer
from metamf.imputer.result import Imputation
from metamf.model.map_steps import map_gradient
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.threads import run_on_few_cores
from metamf.tasks.summary import SHOWN_INTERVALS, StepSummary
from metamf.tasks.task import Task

INTERVAL_LEVEL = 0.9  # of the intervals
_CHUNK = 20_000  # cells whose estimates at all steps are held at once: 2 MB for ten steps
_EXTREME = 0.998  # quantile of the factors' sizes at which colours end, lest outliers pale the others


class Errors(NamedTuple):
    """Errors on some cells after each of T steps; estimates are clipped to the scale.

    Attributes
    ----------
    rmse, mae : ndarray of shape (T + 1,)
        Root mean squared and mean absolute error, in rating units.
    """

    rmse: np.ndarray
    mae: np.ndarray


class Pulls(NamedTuple):
    """The two terms of Eq. (6) that move U, at each of T steps.

    Attributes
    ----------
    data, prior : ndarray of shape (T + 1,)
        Frobenius norms of the gradient of the squared errors and of lambda (U - U0), in standardised units.
    """

    data: np.ndarray
    prior: np.ndarray


class ShownIntervals(NamedTuple):
    """Intervals of some hidden cells, in rating units, clipped to the scale.

    Attributes
    ----------
    estimate, lower, upper, truth : ndarray of shape (n,)
        Estimate, ends of the interval and true rating of each cell.
    """

    estimate: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    truth: np.ndarray


@dataclass(frozen=True, eq=False)
class TaskRun:
    """A checkpoint's answer to a task, after every sweep or step.

    Attributes
    ----------
    task : Task
        The given and the hidden ratings.
    imputation : Imputation
        The answer, with the factors after every sweep or step.
    checkpoint : str
        Name or path of the checkpoint, to open it by; ``imputation.checkpoint`` is its own name.
    step_size, prior_precision : float or None
        eta and lambda of the paper's steps, Eqs. (6) and (7); None where the checkpoint takes sweeps.
    """

    task: Task
    imputation: Imputation
    checkpoint: str
    step_size: float | None
    prior_precision: float | None

    @property
    def T(self) -> int:
        """The number of sweeps or steps."""
        return self.imputation.trajectory.T

    @property
    def round(self) -> Literal["sweep", "step"]:
        """Word for one of the T rounds of the adaptation: exact sweeps are not steps."""
        return "sweep" if self.imputation.step_rule == "exact" else "step"

    @cached_property
    def range(self) -> tuple[float, float]:
        """Lowest and highest rating, in rating units: the ends of the colour scale."""
        scale = self.task.matrix.ratings.scale or self.imputation.scale
        if scale is not None:
            return scale.minimum, scale.maximum
        value = float(self.task.given.values[0])  # a single value, or the same one everywhere
        return value - 1, value + 1

    @cached_property
    def given_errors(self) -> Errors:
        """The errors on the given cells."""
        return self._errors(self.task.given)

    @cached_property
    def hidden_errors(self) -> Errors | None:
        """The errors on the hidden cells; None where no cell is hidden."""
        return self._errors(self.task.hidden) if self.task.hidden.nnz else None

    @cached_property
    def hidden_squares(self) -> np.ndarray:
        """(n,) the squared errors on the hidden cells after the last step, in squared rating units."""
        parts = [np.square(E[-1]) for E in self._deviations(self.task.hidden, self.imputation.scale)]
        return np.concatenate(parts or [np.zeros(0)])

    @cached_property
    def largest_residual(self) -> float:
        """The largest |estimate - rating| over all given cells and steps, in rating units, not clipped: the fixed limit
        of the residual's colour scale."""
        return max(float(np.abs(E).max()) for E in self._deviations(self.task.given, None))

    @cached_property
    def largest_factor(self) -> float:
        """The fixed limit of the factors' colour scale, over all steps: all but the largest two in a thousand."""
        U, V = self.imputation.trajectory.U, self.imputation.trajectory.V
        if self.round == "sweep":
            U, V = U[:, :, :-1], np.delete(V, -2, axis=2)  # without the coordinates that are always 1
        return float(max(np.quantile(np.abs(factor), _EXTREME) for factor in (U, V)))

    @cached_property
    def pulls(self) -> Pulls | None:
        """The two terms of Eq. (6); None where the checkpoint takes other steps than the paper's."""
        if self.prior_precision is None:
            return None
        return run_on_few_cores(self._pulls, self.task.given.nnz)

    def _pulls(self) -> Pulls:
        path = self.imputation.trajectory
        x = path.standardization.apply(self.task.given.values)
        batch = RatingsBatch.of([self.task.given.with_values(x)])
        U, V = torch.tensor(path.U), torch.tensor(path.V)
        data = [map_gradient(U[t], V[t], U[0], V[0], batch, 0.0)[0] for t in range(self.T + 1)]
        prior = self.prior_precision * (U - U[0])
        return Pulls(*(np.array([float(term.norm()) for term in terms]) for terms in (data, prior)))

    @cached_property
    def covered(self) -> int | None:
        """Number of hidden cells that lie inside the interval around their estimate; None without intervals."""
        intervals, cells = self.imputation.intervals, self.task.hidden
        if intervals is None:
            return None
        inside = 0
        for part, E in zip(_parts(cells), self._deviations(cells, None)):
            inside += int((np.abs(E[-1]) <= intervals.at(cells.rows[part], cells.cols[part])).sum())
        return inside

    @cached_property
    def hidden_intervals(self) -> ShownIntervals | None:
        """The intervals of SHOWN_INTERVALS hidden cells, or of all if there are fewer; None without intervals."""
        cells, intervals, scale = self.task.hidden, self.imputation.intervals, self.imputation.scale
        if intervals is None:
            return None
        chosen = np.linspace(0, cells.nnz - 1, min(cells.nnz, SHOWN_INTERVALS)).round().astype(int)
        rows, cols = cells.rows[chosen], cells.cols[chosen]
        estimate = self.imputation.trajectory.estimate_at(rows, cols)[-1]
        half_width = intervals.at(rows, cols)
        ends = (estimate, estimate - half_width, estimate + half_width)
        return ShownIntervals(*(ends if scale is None else map(scale.clip, ends)), cells.values[chosen])

    @cached_property
    def summaries(self) -> tuple[StepSummary, ...]:
        """The numbers of each step, T + 1 of them: what sentences about the run are made of."""
        given, hidden, task = self.given_errors, self.hidden_errors, self.task
        return tuple(
            StepSummary(
                n_rows=task.given.n_rows,
                n_cols=task.given.n_cols,
                n_given=task.given.nnz,
                n_hidden=task.hidden.nnz,
                truth_known=task.matrix.truth is not None,
                checkpoint=self.imputation.checkpoint,
                round=self.round,
                step=t,
                last_step=self.T,
                diverged=self.imputation.step_rule == "safe",
                given_rmse=float(given.rmse[t]),
                hidden_rmse=None if hidden is None else float(hidden.rmse[t]),
                hidden_mae=None if hidden is None else float(hidden.mae[t]),
                mean_rmse=task.mean_rmse,
                level=self.imputation.level,
                covered=self.covered,
            )
            for t in range(self.T + 1)
        )

    def _errors(self, cells: Ratings) -> Errors:
        squares, sizes = np.zeros(self.T + 1), np.zeros(self.T + 1)
        for E in self._deviations(cells, self.imputation.scale):
            squares += np.square(E).sum(axis=1)
            sizes += np.abs(E).sum(axis=1)
        return Errors(np.sqrt(squares / cells.nnz), sizes / cells.nnz)

    def _deviations(self, cells: Ratings, scale: RatingScale | None) -> Iterator[np.ndarray]:
        """(T + 1, chunk) estimate minus rating, chunk by chunk; clipped to ``scale``, if one is given."""
        for part in _parts(cells):
            estimates = self.imputation.trajectory.estimate_at(cells.rows[part], cells.cols[part])
            yield (estimates if scale is None else scale.clip(estimates)) - cells.values[part]


def _parts(cells: Ratings) -> list[slice]:
    return [slice(start, start + _CHUNK) for start in range(0, cells.nnz, _CHUNK)]


def run(task: Task, checkpoint: str, steps: int) -> TaskRun:
    """The answer of ``checkpoint``, by name or by path, to ``task`` after ``steps`` sweeps or MAP steps."""
    model, info = open_checkpoint(checkpoint)
    interval = INTERVAL_LEVEL if info.gives_intervals else None
    # All cells in one unit: only then is the picture of U V^T, but for one shift and one factor, that of the ratings.
    own = info.standardization is None and task.given.scale is None
    imputer = MetaMFImputer(checkpoint, steps=steps, standardize="matrix" if own else "auto")
    imputation = run_on_few_cores(lambda: imputer.impute(task.given, interval=interval), task.given.nnz)
    return TaskRun(task, imputation, checkpoint, model.step_size, model.prior_precision)


def measured_run(task: Task, checkpoint: str, steps: int) -> TaskRun:
    """The same with its summaries computed, which takes a second for a million ratings."""
    found = run(task, checkpoint, steps)
    _ = found.summaries
    return found
