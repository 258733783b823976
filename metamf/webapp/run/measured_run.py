"""A method's answer to a task, with its errors: one immutable result per matrix, mask, model and
steps.

The module imports torch only when a run is made, so that the first page opens before torch is
there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from metamf.answer.division import Task
from metamf.checkpoints.bundled import checkpoint_title, open_checkpoint
from metamf.figures.window import Window
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import ColumnLimits, RatingScale

if TYPE_CHECKING:
    from metamf.answer.answer import Answer, Trajectory
    from metamf.network.episode_trace import Objective

SHOWN_INTERVALS = 120  # hidden cells whose intervals are drawn: what a screen has room for
INTERVAL_LEVEL = 0.9  # of the intervals
_CHUNK = 20_000  # cells whose estimates at all steps are held at once: 2 MB for ten steps
_EXTREME = (
    0.998  # quantile of the factors' sizes at which colours end, lest outliers pale the others
)
_SHARE = 0.99  # of the sum of squares, from which the rest counts as small


@dataclass(frozen=True, eq=False)
class Run:
    """A method's answer to a task, next to its errors on the hidden cells, in rating units; a
    checkpoint's after every sweep or step.

    ``method`` is the name or path of a checkpoint, or the key of a baseline, which has no
    trajectory. ``step_size`` and ``prior_precision``, eta and lambda of the paper's steps, Eqs. (6)
    and (7), are None for all other methods.
    """

    task: Task
    answer: Answer
    method: str
    step_size: float | None = None
    prior_precision: float | None = None
    explanation: str = ""  # one sentence on the method

    @property
    def name(self) -> str:
        """The method's name for people."""
        return (
            self.answer.method if self.answer.path is None else checkpoint_title(self.answer.method)
        )

    @property
    def T(self) -> int:
        """The number of sweeps or steps."""
        return self.answer.trajectory.T

    @property
    def round(self) -> Literal["sweep", "step"]:
        """Word for one of the T rounds of the adaptation."""
        return "sweep" if self.answer.step_rule == "exact" else "step"

    @property
    def rmse(self) -> float | None:
        """Root mean squared error on the hidden cells; None where no cell is hidden."""
        return float(np.sqrt(self.hidden_squares.mean())) if self.task.hidden.nnz else None

    @cached_property
    def range(self) -> tuple[float, float]:
        """Lowest and highest rating, in rating units: the ends of the colour scale."""
        scale = self.task.matrix.ratings.scale or self.answer.limits
        if isinstance(scale, RatingScale):
            return scale.minimum, scale.maximum
        value = float(self.task.given.values[0])  # a single value, or the same one everywhere
        return value - 1, value + 1

    @cached_property
    def given_errors(self) -> np.ndarray:
        """(T + 1,) root mean squared errors on the given cells after each step, clipped to the
        scale."""
        return self._errors(self.task.given)

    @cached_property
    def hidden_errors(self) -> np.ndarray | None:
        """The same on the hidden cells; None where no cell is hidden."""
        return self._errors(self.task.hidden) if self.task.hidden.nnz else None

    @cached_property
    def hidden_deviations(self) -> np.ndarray:
        """(n,) estimate minus truth on the hidden cells, in rating units."""
        hidden = self.task.hidden
        return self.answer.at(hidden.rows, hidden.cols) - hidden.values

    @property
    def hidden_squares(self) -> np.ndarray:
        """(n,) the squared errors on the hidden cells, in squared rating units."""
        return np.square(self.hidden_deviations)

    @cached_property
    def largest_residual(self) -> float:
        """The largest |estimate - rating| over all given cells and steps, in rating units, not
        clipped: the fixed limit of the residual's colour scale."""
        return max(
            float(np.abs(E).max()) for E in deviations(self.answer.trajectory, self.task.given)
        )

    @cached_property
    def largest_factor(self) -> float:
        """The fixed limit of the factors' colour scale, over all steps: all but the largest two in
        a thousand."""
        U = self.answer.trajectory.U
        V = self.answer.trajectory.V
        if self.round == "sweep":
            # without the coordinates that are always 1
            U = U[:, :, :-1]
            V = np.delete(V, -2, axis=2)
        return float(max(np.quantile(np.abs(factor), _EXTREME) for factor in (U, V)))

    @cached_property
    def objective(self) -> Objective | None:
        """The two parts of Eqs. (1) to (3) at each step, in standardised units squared; None where
        the checkpoint takes other steps than the paper's."""
        if self.prior_precision is None:
            return None
        from metamf.network.episode_trace import objective_of
        from metamf.ratings.threads import run_on_few_cores

        path = self.answer.trajectory
        given = self.task.given
        known = given.with_values(path.standardization.apply(given.values))
        precision = self.prior_precision
        return run_on_few_cores(
            lambda: objective_of(path.U, path.V, known, precision), given.nnz * self.T
        )

    @cached_property
    def covered(self) -> int | None:
        """Number of hidden cells that lie inside the interval around their estimate; None without
        intervals."""
        if self.answer.level is None:
            return None
        cells = self.task.hidden
        inside = 0
        for part in _parts(cells):
            lower, upper = self._interval_at(cells.rows[part], cells.cols[part])
            inside += int(((lower <= cells.values[part]) & (cells.values[part] <= upper)).sum())
        return inside

    def hidden_intervals(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Estimates, ends of the intervals and true ratings of SHOWN_INTERVALS hidden cells, or of
        all if there are fewer, (n,) in rating units, clipped, where the answer has intervals."""
        cells = self.task.hidden
        chosen = np.linspace(0, cells.nnz - 1, min(cells.nnz, SHOWN_INTERVALS)).round().astype(int)
        at = cells.rows[chosen], cells.cols[chosen]
        return self.answer.at(*at), *self._interval_at(*at), cells.values[chosen]

    def filled(self, window: Window) -> np.ndarray:
        """(n, m) the given ratings of a window, and the estimates of all other cells, in rating
        units."""
        given = window.dense(self.task.given)
        return np.where(np.isnan(given), self.answer.block(window.rows, window.cols), given)

    def _interval_at(self, rows: np.ndarray, cols: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ends = self.answer.interval_at(rows, cols)
        assert ends is not None
        return ends

    def _errors(self, cells: Ratings) -> np.ndarray:
        squares = np.zeros(self.T + 1)
        for E in deviations(self.answer.trajectory, cells, self.answer.limits):
            squares += np.square(E).sum(axis=1)
        return np.sqrt(squares / cells.nnz)


def deviations(
    path: Trajectory, cells: Ratings, scale: RatingScale | ColumnLimits | None = None
) -> Iterator[np.ndarray]:
    """(T + 1, chunk) estimate minus rating on ``cells`` at every step, chunk by chunk; clipped to
    ``scale``."""
    for part in _parts(cells):
        rows = cells.rows[part]
        cols = cells.cols[part]
        estimates = path.estimate_at(rows, cols)
        if scale is not None:
            estimates = scale.clip_at(estimates, rows, cols)
        yield estimates - cells.values[part]


def _parts(cells: Ratings) -> list[slice]:
    return [slice(start, start + _CHUNK) for start in range(0, cells.nnz, _CHUNK)]


def trained_safe(checkpoint: str) -> bool:
    """Whether a checkpoint was trained with safe steps, and takes no others."""
    return getattr(open_checkpoint(checkpoint).network.config, "safe_steps", False)


def run(task: Task, checkpoint: str, steps: int) -> Run:
    """The answer of ``checkpoint``, by name or by path, to ``task`` after ``steps`` sweeps or MAP
    steps."""
    from metamf.answer.estimator import MetaMFImputer
    from metamf.checkpoints.bundled import one_unit

    network, info = open_checkpoint(checkpoint)
    interval = INTERVAL_LEVEL if info.gives_intervals else None
    imputer = MetaMFImputer(checkpoint, steps=steps, standardize=one_unit(checkpoint, task.given))
    answer = imputer.impute(task.given, interval=interval)
    return Run(task, answer, checkpoint, *(network.gradient_steps or (None, None)))


def measured_run(task: Task, checkpoint: str, steps: int) -> Run:
    """The same with its errors computed, which takes a second for a million ratings."""
    found = run(task, checkpoint, steps)
    _ = found.given_errors, found.hidden_errors, found.covered
    return found


@dataclass(frozen=True)
class Patterns:
    """The smallest ``count`` of patterns, one number for every row times one for every column, that
    hold at least 99 % of a product's sum of squares, and the ``share`` that they hold; 1 for a
    product that is zero."""

    count: int
    share: float


def patterns(U: np.ndarray, V: np.ndarray) -> Patterns:
    """The patterns of U V^T for factors (N, K) and (M, K).

    For singular values s_1 >= s_2 >= ..., the r largest patterns hold the share (s_1^2 + ... +
    s_r^2) / (s_1^2 + s_2^2 + ...), and no other r hold more (Eckart and Young 1936). Section 3.2 of
    the paper: a MAP step, Eqs. (6) and (7), adds multiples of factors of the other side and of the
    prior means, so all stay in the span of the prior means.
    """
    # the same singular values
    small = np.linalg.qr(U.astype(float)).R @ np.linalg.qr(V.astype(float)).R.T
    squares = np.linalg.svd(small, compute_uv=False) ** 2
    total = squares.sum()
    if total == 0:
        return Patterns(0, 1.0)
    held = np.minimum(np.cumsum(squares) / total, 1.0)
    count = int(np.argmax(held >= _SHARE)) + 1
    return Patterns(count, float(held[count - 1]))
