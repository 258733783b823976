"""What fills in a matrix gives an ``Answer``: estimates, intervals, their provenance, and the
trajectory of factors.

Checkpoints, ensembles and baselines all give one, and files, pages and verdicts read it. It is
computed when it is asked, and for the cells that are asked: of a large matrix a few cells, or a
window, cost a few cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
import pandas as pd

from metamf.ratings.limits import known_limits
from metamf.ratings.matrix import Ratings, is_grid
from metamf.ratings.scale import ColumnLimits, RatingScale
from metamf.ratings.units import Standardization

ALL = slice(None)


# What an answer is made of: one number per cell, in rating units, computed when it is asked; a
# function of the integer positions of cells, of shapes that broadcast.
Source = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Weighing:
    """Weights of the network and of the table model next to it, and the errors that they follow
    from, by name: 'network' and 'table'.

    Errors are root mean squared errors on hidden entries, in units of the spread of their columns;
    that of both is of weights that were chosen on other entries.
    """

    weights: Mapping[str, float]
    hidden: int = 0  # number of entries that were hidden from both
    errors: Mapping[str, float] = field(default_factory=dict)
    error: float = float("nan")  # of both
    factor: float = 1.0  # of the half-widths of intervals


def products(U: np.ndarray, V: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    """u_n . v_m in double precision at cells of positions that broadcast."""
    if is_grid(rows, cols):
        return (U[rows[:, 0]] @ V[cols[0]].T).astype(np.float64)
    return np.vecdot(U[rows], V[cols]).astype(np.float64)


def _moved(source: Source, top: int, left: int, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
    return source(rows + top, cols + left)


@dataclass(frozen=True, eq=False)
class Trajectory:
    """The factors after every sweep or MAP step, in standardised units; at 0 they are the prior
    means."""

    U: np.ndarray  # (T + 1, N, K)
    V: np.ndarray  # (T + 1, M, K)
    standardization: Standardization  # mean and standard deviation of the units, in rating units

    def __post_init__(self) -> None:
        for name in ("U", "V"):
            object.__setattr__(self, name, _read_only(getattr(self, name)))

    @property
    def T(self) -> int:
        """The number of sweeps or steps."""
        return len(self.U) - 1

    def estimate(self, t: int) -> np.ndarray:
        """(N, M) U(t) V(t)^T in rating units, not clipped."""
        at = np.ogrid[: self.U.shape[1], : self.V.shape[1]]
        return self.standardization.undo_at(products(self.U[t], self.V[t], *at), *at)

    def estimate_at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """(T + 1, n) estimates at some cells at every step, in rating units, not clipped."""
        # one step's rows at a time
        product = np.stack([products(U, V, rows, cols) for U, V in zip(self.U, self.V)])
        return self.standardization.undo_at(product, rows, cols)


@dataclass(frozen=True, eq=False)
class Answer:
    """Estimates of all cells of a matrix, immutable; all values in rating units, and all arrays
    read-only.

    One rule cuts them. Estimates stay within ``limits``: the rating scale where it is known, or
    else near what was observed, and within the known limits of their columns. The ends of intervals
    are cut at a known rating scale and the known limits of the columns alone, and an estimate that
    was moved stays inside its interval. Without ``limits`` nothing is cut.
    """

    ratings: Ratings  # the observed entries, N x M, hidden from the method or not
    estimates: Source  # before anything is cut, at observed cells, too
    limits: RatingScale | ColumnLimits | None = None
    half_widths: Source | None = None  # of the intervals, if there are any
    # share of unobserved ratings that is to lie inside an interval; None without intervals
    level: float | None = None
    method: str = ""  # the checkpoint's name, or the method's name for people
    path: Trajectory | None = None  # of the network alone; None of other methods
    step_rule: str | None = None  # 'exact', 'paper', 'safe' or 'nmf'
    # the ``metamf.answer.adaptation.Adaptation`` to ``given`` that a checkpoint fills in by
    fitted: Any = None
    seen: Ratings | None = None  # what the method saw, where that is not all of ``ratings``
    # (nnz,) whether each of ``ratings`` was hidden from the method; None: none
    held_out: np.ndarray | None = None
    # whether estimates, not intervals, are rounded to the steps of the scale
    round_to_scale: bool = False

    def __repr__(self) -> str:
        names = {"method": self.method, "step_rule": self.step_rule, "level": self.level}
        said = "".join(f", {name}={value!r}" for name, value in names.items() if value is not None)
        return f"Answer({self.ratings!r}{said})"

    @property
    def shape(self) -> tuple[int, int]:
        """(N, M)"""
        return self.ratings.shape

    @property
    def given(self) -> Ratings:
        """The ratings that the method saw."""
        return self.ratings if self.seen is None else self.seen

    @property
    def hidden(self) -> np.ndarray:
        """(nnz,) whether each of ``ratings`` was hidden from the method."""
        return np.zeros(self.ratings.nnz, dtype=bool) if self.held_out is None else self.held_out

    @property
    def trajectory(self) -> Trajectory:
        """The factors of the network after every sweep or step; ValueError for a method without a
        network."""
        if self.path is None:
            raise ValueError(
                f"{self.method!r} takes no steps: only a checkpoint that works alone has a "
                "trajectory, such as metamf.load_pretrained('universal')"
            )
        return self.path

    # -- some cells
    # ---------------------------------------------------------------------------------------------

    def at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Estimates at cells of integer positions that broadcast, in O(n) numbers."""
        return self._put(self.estimates(rows, cols), rows, cols)

    def block(self, rows: slice = ALL, cols: slice = ALL) -> np.ndarray:
        """(n, m) estimates of all cells of some rows and columns."""
        return self.at(*self._grid(rows, cols))

    def interval_at(
        self, rows: np.ndarray, cols: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Lower and upper ends of the intervals at some cells; None without intervals."""
        if self.half_widths is None:
            return None
        return self._ends(self.estimates(rows, cols), self.half_widths(rows, cols), rows, cols)

    def interval_block(
        self, rows: slice = ALL, cols: slice = ALL
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """The same of all cells of some rows and columns."""
        return self.interval_at(*self._grid(rows, cols))

    def part(self, rows: slice = ALL, cols: slice = ALL) -> Answer:
        """The answer for the cells of some rows and columns, which comes from the whole matrix: of
        a large one, only the arrays of a part are ever made. It knows nothing of factors and of the
        imputer."""
        at = self._grid(rows, cols)
        of_rows = at[0][:, 0]
        of_cols = at[1][0]
        hidden = self.ratings.with_values(self.hidden.astype(np.float64))
        corner = int(of_rows[0]), int(of_cols[0])
        limits = self.limits
        if isinstance(limits, ColumnLimits):
            limits = limits.of_columns(cols)
        half_widths = None
        if self.half_widths is not None:
            half_widths = partial(_moved, self.half_widths, *corner)
        return replace(
            self,
            ratings=self.ratings.submatrix(of_rows, of_cols),
            estimates=partial(_moved, self.estimates, *corner),
            limits=limits,
            half_widths=half_widths,
            held_out=hidden.submatrix(of_rows, of_cols).values > 0,
            path=None,
            fitted=None,
            seen=None,
        )

    def _grid(self, rows: slice = ALL, cols: slice = ALL) -> tuple[np.ndarray, np.ndarray]:
        """The positions of all cells of some rows and columns: (n, 1) and (1, m)."""
        N, M = self.shape
        of_rows, of_cols = np.ogrid[slice(*rows.indices(N)), slice(*cols.indices(M))]
        return of_rows, of_cols

    def _cut(self, raw: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        return raw if self.limits is None else self.limits.clip_at(raw, rows, cols)

    def _put(self, raw: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Estimates within the limits and, if they are to be, on the nearest step, the upper one of
        two."""
        cut = self._cut(raw, rows, cols)
        scale = self.ratings.scale
        if not self.round_to_scale or scale is None or scale.step is None:
            return cut
        return scale.minimum + scale.step * np.floor((cut - scale.minimum) / scale.step + 0.5)

    def _ends(
        self, raw: np.ndarray, half_width: np.ndarray, rows: np.ndarray, cols: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        mean = self._put(raw, rows, cols)
        lower = np.minimum(raw - half_width, mean)
        upper = np.maximum(raw + half_width, mean)
        known = None if self.limits is None else known_limits(self.ratings)
        if known is None:
            return lower, upper
        return known.clip_at(lower, rows, cols), known.clip_at(upper, rows, cols)

    # -- all cells
    # ---------------------------------------------------------------------------------------------

    def compact(self) -> Self:
        """The answer with the cells that were cut and rounded, and without any other array of all
        cells: of a large matrix each has tens of megabytes, and estimates of a part are computed
        when they are asked."""
        _ = self.clipped, self.rounded
        for name in ("unclipped", "mean", "_within"):
            vars(self).pop(name, None)
        return self

    @cached_property
    def unclipped(self) -> np.ndarray:
        """(N, M) the estimates before anything is cut, at observed cells, too."""
        return _read_only(self.estimates(*self._grid()))

    @cached_property
    def mean(self) -> np.ndarray:
        """(N, M) the estimates, at observed cells, too."""
        return _read_only(self._put(self.unclipped, *self._grid()))

    @cached_property
    def half_width(self) -> np.ndarray | None:
        """(N, M) half-width of the interval of each cell before its ends are cut; None without
        intervals."""
        return None if self.half_widths is None else _read_only(self.half_widths(*self._grid()))

    @cached_property
    def _interval(self) -> tuple[np.ndarray, np.ndarray] | tuple[None, None]:
        if self.half_width is None:
            return None, None
        lower, upper = self._ends(self.unclipped, self.half_width, *self._grid())
        return _read_only(lower), _read_only(upper)

    @property
    def lower(self) -> np.ndarray | None:
        """(N, M) lower end of the interval of each cell; None without intervals."""
        return self._interval[0]

    @property
    def upper(self) -> np.ndarray | None:
        """(N, M) upper end of the interval of each cell; None without intervals."""
        return self._interval[1]

    @cached_property
    def filled(self) -> np.ndarray:
        """(N, M) the observed value where there is one, the estimate everywhere else."""
        filled = self.mean.copy()
        filled[self.ratings.rows, self.ratings.cols] = self.ratings.values
        return _read_only(filled)

    @cached_property
    def _within(self) -> np.ndarray:
        return self._cut(self.unclipped, *self._grid())

    @cached_property
    def clipped(self) -> np.ndarray:
        """(N, M) whether a cell is not observed and its estimate was cut."""
        return self._of_missing((self._within != self.unclipped) & ~np.isnan(self.unclipped))

    @cached_property
    def rounded(self) -> np.ndarray:
        """(N, M) whether a cell is not observed and its estimate was moved to a step of the
        scale."""
        # more than arithmetic's error
        moved = ~np.isclose(self.mean, self._within, rtol=0, atol=1e-9, equal_nan=True)
        return self._of_missing(moved)

    @cached_property
    def provenance(self) -> np.ndarray:
        """(N, M) of 'observed', 'held out' (observed, but hidden), 'imputed' and 'clipped'
        (imputed, and cut)."""
        provenance = np.where(self.clipped, "clipped", "imputed").astype("U8")
        provenance[self.ratings.rows, self.ratings.cols] = np.where(
            self.hidden, "held out", "observed"
        )
        return _read_only(provenance)

    def _of_missing(self, cells: np.ndarray) -> np.ndarray:
        cells[self.ratings.rows, self.ratings.cols] = False
        return _read_only(cells)

    def to_frame(self) -> pd.DataFrame:
        """One row per cell: row, column, value, estimate, provenance; with intervals, lower and
        upper."""
        N, M = self.shape
        frame = pd.DataFrame(
            {
                "row": [label for label in self.ratings.row_labels or range(N) for _ in range(M)],
                "column": list(self.ratings.col_labels or range(M)) * N,
                "value": self.filled.ravel(),
                "estimate": self.mean.ravel(),
                "provenance": self.provenance.ravel(),
            }
        )
        if self.lower is not None and self.upper is not None:
            frame = frame.assign(lower=self.lower.ravel(), upper=self.upper.ravel())
        return frame


def _read_only(array: np.ndarray) -> np.ndarray:
    array = array.view()
    array.flags.writeable = False
    return array
