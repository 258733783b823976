"""The part of a run inside a window: the arrays that figures draw."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from metamf.figures.window import Axes, Window
from metamf.ratings.matrix import Ratings

if TYPE_CHECKING:
    from metamf.tasks.run import TaskRun
    from metamf.tasks.task import Matrix


@dataclass(frozen=True, eq=False)
class View:
    """The part of a run inside a window of n rows and m columns.

    All arrays have the shape (n, m) and are in rating units, NaN where a cell has no value.

    Attributes
    ----------
    run : TaskRun
        The run.
    window : Window
        Rows and columns that are drawn.
    """

    run: TaskRun
    window: Window

    @cached_property
    def matrix(self) -> Matrix:
        """The matrix."""
        return self.run.task.matrix

    @cached_property
    def given(self) -> np.ndarray:
        """The given ratings."""
        return self._place(self.run.task.given)

    @cached_property
    def is_given(self) -> np.ndarray:
        """Whether each cell is given, bool."""
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
        """The largest size of a change over all steps: the fixed limit of the colour scale of ``change``."""
        return max((float(np.abs(self.change(t)).max()) for t in range(1, self.run.T + 1)), default=0.0)

    def product(self, t: int) -> np.ndarray:
        """U(t) V(t)^T in rating units, not clipped."""
        path, window = self.run.imputation.trajectory, self.window
        product = (path.U[t, window.rows] @ path.V[t, window.cols].T).astype(float)
        return path.standardization.undo_at(product, *np.ogrid[window.rows, window.cols])

    def estimate(self, t: int) -> np.ndarray:
        """U(t) V(t)^T, clipped to the rating scale."""
        return self.clip(self.product(t))

    def filled(self, t: int) -> np.ndarray:
        """The given ratings as they are, and the estimates of all other cells after step t."""
        return np.where(self.is_given, self.given, self.estimate(t))

    def residual(self, t: int) -> np.ndarray:
        """Estimate minus rating on the given cells, not clipped: what drives the next step."""
        return self.product(t) - self.given

    def change(self, t: int) -> np.ndarray:
        """Change of the product in step t; zero for step 0."""
        return self.product(t) - self.product(max(t - 1, 0))

    def error(self, t: int) -> np.ndarray:
        """Estimate minus true rating on the hidden cells."""
        return self.estimate(t) - self.hidden

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Lower and upper end of the interval of each cell, clipped to the scale; None without intervals."""
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
        """``X``, in rating units, clipped to the scale of the run, if it has one."""
        scale = self.run.imputation.scale
        return X if scale is None else scale.clip(X)

    def axes(self, **changes) -> Axes:
        """The names of the matrix's rows and columns in the window; ``changes``: other fields of the axes."""
        ratings = self.run.task.matrix.ratings
        names = {
            "row_labels": None if ratings.row_labels is None else ratings.row_labels[self.window.rows],
            "col_labels": None if ratings.col_labels is None else ratings.col_labels[self.window.cols],
            "top": self.window.top,
            "left": self.window.left,
        }
        return Axes(**names | changes)

    def _place(self, cells: Ratings) -> np.ndarray:
        """The ratings of those ``cells`` that lie in the window."""
        n, m = cells.rows - self.window.top, cells.cols - self.window.left
        inside = (n >= 0) & (n < self.window.height) & (m >= 0) & (m < self.window.width)
        X = np.full((self.window.height, self.window.width), np.nan)
        X[n[inside], m[inside]] = cells.values[inside]
        return X
