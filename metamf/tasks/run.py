"""One immutable result per (matrix, mask, checkpoint, steps): every figure and number of the pages comes from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch

from metamf.checkpoints.bundled import describe, open_checkpoint
from metamf.figures.window import Axes, Window
from metamf.imputer.estimator import load_pretrained
from metamf.imputer.result import Imputation, Trajectory
from metamf.imputer.step_rules import StepRules, compare_step_rules
from metamf.model.map_steps import map_gradient
from metamf.ratings.batch import RatingsBatch
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.tasks.task import Task

LEVEL = 0.9  # of the intervals
SHOWN = 120  # hidden cells whose intervals are drawn: what a screen has room for
_CHUNK = 20_000  # cells whose estimates at all steps are held at once


class Errors(NamedTuple):
    """Errors on some cells per step, each (T + 1,), in rating units; estimates are clipped to the scale."""

    rmse: np.ndarray
    mae: np.ndarray


class Pulls(NamedTuple):
    """What moves U in each step, (T + 1,), as Frobenius norms in standardised units: the two terms of Eq. (5)."""

    data: np.ndarray
    prior: np.ndarray


@dataclass(frozen=True, eq=False)
class Run:
    """A checkpoint's answer to a task, after every sweep or step.

    step_size, prior_precision : eta and lambda of the paper's steps; None where the checkpoint takes other steps
    """

    task: Task
    imputation: Imputation
    step_size: float | None
    prior_precision: float | None

    @property
    def T(self) -> int:
        return self.imputation.trajectory.T

    @property
    def round(self) -> str:
        """What one of the T rounds of the adaptation is called: exact sweeps are no steps."""
        return "sweep" if self.imputation.step_rule == "exact" else "step"

    @cached_property
    def range(self) -> tuple[float, float]:
        """Lowest and highest rating, the ends of the colour scale."""
        scale = self.task.matrix.ratings.scale or self.imputation.scale
        if scale is not None:
            return scale.minimum, scale.maximum
        value = float(self.task.given.values[0])  # a single value, or the same one everywhere
        return value - 1, value + 1

    @cached_property
    def given_errors(self) -> Errors:
        return self._errors(self.task.given)

    @cached_property
    def hidden_errors(self) -> Errors | None:
        """None where no cell is hidden."""
        return self._errors(self.task.hidden) if self.task.hidden.nnz else None

    @cached_property
    def largest_residual(self) -> float:
        """Over all given cells and steps, not clipped: the fixed limit of the residual's colour scale."""
        return max(float(np.abs(E).max()) for E in self._deviations(self.task.given, None))

    @cached_property
    def largest_factor(self) -> float:
        """The fixed limit of the factors' colour scale, over all steps: all but the largest two in a thousand."""
        U, V = self.imputation.trajectory.U, self.imputation.trajectory.V
        if self.round == "sweep":
            U, V = U[:, :, :-1], np.delete(V, -2, axis=2)  # without the coordinates that are always 1
        return float(max(np.quantile(np.abs(factor), 0.998) for factor in (U, V)))

    @cached_property
    def pulls(self) -> Pulls | None:
        """None where the checkpoint takes other steps than the paper's."""
        if self.prior_precision is None:
            return None
        path = self.imputation.trajectory
        x = path.standardization.apply(self.task.given.values)
        batch = RatingsBatch.of([self.task.given.with_values(x)])
        U, V = torch.tensor(path.U), torch.tensor(path.V)
        data = [map_gradient(U[t], V[t], U[0], V[0], batch, 0.0)[0] for t in range(self.T + 1)]
        prior = self.prior_precision * (U - U[0])
        return Pulls(*(np.array([float(term.norm()) for term in terms]) for terms in (data, prior)))

    @cached_property
    def covered(self) -> int | None:
        """How many hidden cells lie inside the interval around their estimate; None without intervals."""
        intervals, cells = self.imputation.intervals, self.task.hidden
        if intervals is None:
            return None
        found = 0
        for part, E in zip(_parts(cells), self._deviations(cells, None)):
            found += int((np.abs(E[-1]) <= intervals.at(cells.rows[part], cells.cols[part])).sum())
        return found

    @cached_property
    def hidden_intervals(self) -> tuple[np.ndarray, ...]:
        """Of hidden cells, SHOWN at most: estimate and both ends of the interval, clipped to the scale; true rating."""
        cells = self.task.hidden
        chosen = np.linspace(0, cells.nnz - 1, min(cells.nnz, SHOWN)).round().astype(int)
        rows, cols = cells.rows[chosen], cells.cols[chosen]
        estimate = self.imputation.trajectory.estimate_at(rows, cols)[-1]
        half = self.imputation.intervals.at(rows, cols)
        scale = self.imputation.scale
        ends = (estimate, estimate - half, estimate + half)
        return *(ends if scale is None else map(scale.clip, ends)), cells.values[chosen]

    @cached_property
    def rules(self) -> StepRules | None:
        """The paper's fixed step beside the safe one, where the fixed one diverges and the safe one is shown."""
        if self.imputation.step_rule != "safe":
            return None
        return compare_step_rules(self.task.given, self.imputation.checkpoint, self.T)

    def _errors(self, cells: Ratings) -> Errors:
        squares, sizes = np.zeros(self.T + 1), np.zeros(self.T + 1)
        for E in self._deviations(cells, self.imputation.scale):
            squares += np.square(E).sum(axis=1)
            sizes += np.abs(E).sum(axis=1)
        return Errors(np.sqrt(squares / cells.nnz), sizes / cells.nnz)

    def _deviations(self, cells: Ratings, scale: RatingScale | None):
        """(T + 1, chunk) estimate minus rating, chunk by chunk."""
        for part in _parts(cells):
            estimates = self.imputation.trajectory.estimate_at(cells.rows[part], cells.cols[part])
            yield (estimates if scale is None else scale.clip(estimates)) - cells.values[part]


def _parts(cells: Ratings) -> list[slice]:
    return [slice(start, start + _CHUNK) for start in range(0, cells.nnz, _CHUNK)]


def takes_sweeps(checkpoint: str) -> bool:
    """Whether the bundled checkpoint adapts by exact sweeps, or else by the paper's MAP steps."""
    return describe(checkpoint).round_name == "sweep"


def run(task: Task, checkpoint: str, steps: int) -> Run:
    """The answer of the bundled ``checkpoint`` after ``steps`` sweeps or MAP steps."""
    imputer = load_pretrained(checkpoint, steps=steps)
    if takes_sweeps(checkpoint):
        return Run(task, imputer.impute(task.given, interval=LEVEL), None, None)
    imputation = imputer.impute(task.given)
    model, _ = open_checkpoint(checkpoint)
    return Run(task, imputation, float(model.step_size), float(model.prior_precision))


@dataclass(frozen=True, eq=False)
class View:
    """The part of a run inside a window: the arrays (n, m) that are drawn, in rating units, NaN where none is."""

    run: Run
    window: Window

    @property
    def whole(self) -> bool:
        return (self.window.height, self.window.width) == self.run.task.given.shape

    @cached_property
    def given(self) -> np.ndarray:
        return self._place(self.run.task.given)

    @cached_property
    def is_given(self) -> np.ndarray:
        return ~np.isnan(self.given)

    @cached_property
    def hidden(self) -> np.ndarray:
        """The true ratings of the hidden cells."""
        return self._place(self.run.task.hidden)

    @cached_property
    def known(self) -> np.ndarray:
        """The given ratings and the true ones of the hidden cells."""
        return np.where(self.is_given, self.given, self.hidden)

    @cached_property
    def largest_change(self) -> float:
        """Over all steps: the fixed limit of the colour scale of ``change``."""
        return max((float(np.abs(self.change(t)).max()) for t in range(1, self.run.T + 1)), default=0.0)

    def product(self, t: int) -> np.ndarray:
        """U(t) V(t)^T in rating units, not clipped."""
        return self.of(self.run.imputation.trajectory, t)

    def of(self, path: Trajectory, t: int) -> np.ndarray | None:
        """The product of the factors of any path at step t; None where the path ends before."""
        if t > path.T:
            return None
        return path.standardization.undo((path.U[t, self.window.rows] @ path.V[t, self.window.cols].T).astype(float))

    def estimate(self, t: int) -> np.ndarray:
        """The product clipped to the rating scale."""
        return self.clip(self.product(t))

    def filled(self, t: int) -> np.ndarray:
        """The given ratings as they are, all other cells as estimated after step t."""
        return np.where(self.is_given, self.given, self.estimate(t))

    def residual(self, t: int) -> np.ndarray:
        """Estimate minus rating on the given cells, not clipped: what drives the next step."""
        return self.product(t) - self.given

    def change(self, t: int) -> np.ndarray:
        """What step t changed in the product; zero for step 0."""
        return self.product(t) - self.product(max(t - 1, 0))

    def error(self, t: int) -> np.ndarray:
        """Estimate minus true rating on the hidden cells."""
        return self.estimate(t) - self.hidden

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Where the interval of each cell begins and ends, clipped to the scale; None without intervals."""
        intervals = self.run.imputation.intervals
        if intervals is None:
            return None
        estimate, half = self.product(self.run.T), intervals.block(self.window.rows, self.window.cols)
        return self.clip(estimate - half), self.clip(estimate + half)

    @cached_property
    def spread(self) -> np.ndarray | None:
        """The width of the interval of each cell that is not given; None without intervals."""
        return None if self.ends is None else np.where(self.is_given, np.nan, self.ends[1] - self.ends[0])

    def clip(self, X: np.ndarray) -> np.ndarray:
        scale = self.run.imputation.scale
        return X if scale is None else scale.clip(X)

    def axes(self, **changes) -> Axes:
        """The names of the matrix's rows and columns in the window."""
        ratings = self.run.task.matrix.ratings
        names = {
            "row_labels": None if ratings.row_labels is None else ratings.row_labels[self.window.rows],
            "col_labels": None if ratings.col_labels is None else ratings.col_labels[self.window.cols],
            "top": self.window.top,
            "left": self.window.left,
        }
        return Axes(**names | changes)

    def _place(self, cells: Ratings) -> np.ndarray:
        n, m = cells.rows - self.window.top, cells.cols - self.window.left
        inside = (n >= 0) & (n < self.window.height) & (m >= 0) & (m < self.window.width)
        X = np.full((self.window.height, self.window.width), np.nan)
        X[n[inside], m[inside]] = cells.values[inside]
        return X
