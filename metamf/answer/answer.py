"""What fills in a matrix gives an ``Answer``: estimates, intervals, their provenance, and the trajectory of factors.

Checkpoints, ensembles and baselines all give one, and files, pages and verdicts read it. It is computed when it is
asked, and for the cells that are asked: of a large matrix a few cells, or a window, cost a few cells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

import numpy as np
import pandas as pd

from metamf.ratings.limits import ColumnLimits
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization

if TYPE_CHECKING:
    from metamf.learning.tuning import TuningOutcome
    from metamf.ratings.units import UnitRule

ALL = slice(None)


class Source(Protocol):
    """What an answer is made of: one number per cell, in rating units, computed on demand."""

    def at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """The numbers of cells at integer positions of shapes that broadcast."""

    def block(self, rows: slice, cols: slice) -> np.ndarray:
        """(n, m) the numbers of all cells of some rows and columns."""


@dataclass(frozen=True)
class Weighing:
    """Weights of the network and of the members next to it, and the errors that they follow from, by name: 'network',
    'normal', 'ridge', 'trees' and 'attention' (the table network), as far as they are used.

    Errors are root mean squared errors on hidden entries, in units of the spread of their columns; none where nothing
    was hidden.
    """

    weights: Mapping[str, float]
    hidden: int = 0  # number of entries that were hidden from all members
    errors: Mapping[str, float] = field(default_factory=dict)
    error: float = float("nan")  # of the ensemble
    factor: float = 1.0  # of the half-widths of intervals


class FittedImputer(Protocol):
    """What an answer's reader may ask of the imputer behind it (``MetaMFImputer``)."""

    members: Literal["auto", "normal", "trees"] | None
    ratings_: Ratings
    unit_rule_: UnitRule
    tuning_: TuningOutcome | None
    ensemble_: Weighing | None
    guarded_: dict

    def estimate(self, rows: Any, cols: Any) -> np.ndarray:
        """Estimates of cells."""

    def estimates_without(self, entries: Any, row: int, col: int) -> np.ndarray:
        """Estimates of one cell, from all observed entries but one each."""


@dataclass(frozen=True, eq=False)
class CellByCell:
    """A source that is a function of the positions of cells."""

    numbers: Callable[[np.ndarray, np.ndarray], np.ndarray]

    def at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        return self.numbers(rows, cols)

    def block(self, rows: slice, cols: slice) -> np.ndarray:
        return self.numbers(*np.ogrid[rows, cols])


@dataclass(frozen=True, eq=False)
class Part:
    """A source of the cells from row ``top`` and column ``left`` of another one."""

    whole: Source
    top: int
    left: int

    def at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        return self.whole.at(rows + self.top, cols + self.left)

    def block(self, rows: slice, cols: slice) -> np.ndarray:
        in_rows = slice(rows.start + self.top, rows.stop + self.top)
        in_cols = slice(cols.start + self.left, cols.stop + self.left)
        return self.whole.block(in_rows, in_cols)


@dataclass(frozen=True, eq=False)
class Trajectory:
    """The factors after every sweep or MAP step, in standardised units; at 0 they are the prior means."""

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
        rows, cols = np.ogrid[: self.U.shape[1], : self.V.shape[1]]
        return self.standardization.undo_at((self.U[t] @ self.V[t].T).astype(np.float64), rows, cols)

    def estimate_at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """(T + 1, n) estimates at some cells at every step, in rating units, not clipped."""
        product = np.stack([np.vecdot(U[rows], V[cols]) for U, V in zip(self.U, self.V)])  # one step's rows at a time
        return self.standardization.undo_at(product.astype(np.float64), rows, cols)


@dataclass(frozen=True, eq=False)
class Answer:
    """Estimates of all cells of a matrix, immutable; all values in rating units, and all arrays read-only.

    One rule cuts them. Estimates stay within ``limits``: the rating scale where it is known, or else near what was
    observed. The ends of intervals are cut at a known rating scale alone, and an estimate that was moved stays inside
    its interval. Without ``limits`` nothing is cut.
    """

    ratings: Ratings  # the observed entries, N x M, hidden from the method or not
    estimates: Source  # before anything is cut, at observed cells, too
    limits: RatingScale | ColumnLimits | None = None
    half_widths: Source | None = None  # of the intervals, if there are any
    level: float | None = None  # share of unobserved ratings that is to lie inside an interval; None without intervals
    method: str = ""  # the checkpoint's name, or the method's name for people
    path: Trajectory | None = None  # of the network alone; None of other methods
    step_rule: str | None = None  # 'exact', 'paper', 'safe' or 'nmf'
    imputer: FittedImputer | None = None  # that was fitted to ``given``, where a checkpoint fills in a table
    seen: Ratings | None = None  # what the method saw, where that is not all of ``ratings``
    held_out: np.ndarray | None = None  # (nnz,) whether each of ``ratings`` was hidden from the method; None: none
    round_to_scale: bool = False  # whether estimates, not intervals, are rounded to the steps of the scale

    def __repr__(self) -> str:
        names = {"method": self.method, "step_rule": self.step_rule, "level": self.level}
        return f"Answer({self.ratings!r}{''.join(f', {k}={v!r}' for k, v in names.items() if v is not None)})"

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
        """The factors of the network after every sweep or step; ValueError for a method without a network."""
        if self.path is None:
            raise ValueError(f"{self.method!r} takes no steps: only a checkpoint's answer has a trajectory")
        return self.path

    # -- some cells ---------------------------------------------------------------------------------------------------

    def at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Estimates at cells of integer positions that broadcast, in O(n) numbers."""
        return self._put(self.estimates.at(rows, cols), rows, cols)

    def block(self, rows: slice = ALL, cols: slice = ALL) -> np.ndarray:
        """(n, m) estimates of all cells of some rows and columns."""
        rows, cols = self._explicit(rows, cols)
        return self._put(self.estimates.block(rows, cols), *np.ogrid[rows, cols])

    def interval_at(self, rows: np.ndarray, cols: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Lower and upper ends of the intervals at some cells; None without intervals."""
        if self.half_widths is None:
            return None
        raw = self.estimates.at(rows, cols)
        return self._ends(raw, self.half_widths.at(rows, cols), self._put(raw, rows, cols))

    def interval_block(self, rows: slice = ALL, cols: slice = ALL) -> tuple[np.ndarray, np.ndarray] | None:
        """The same of all cells of some rows and columns."""
        if self.half_widths is None:
            return None
        rows, cols = self._explicit(rows, cols)
        raw = self.estimates.block(rows, cols)
        return self._ends(raw, self.half_widths.block(rows, cols), self._put(raw, *np.ogrid[rows, cols]))

    def part(self, rows: slice = ALL, cols: slice = ALL) -> Answer:
        """The answer for the cells of some rows and columns, which comes from the whole matrix: of a large one, only
        the arrays of a part are ever made. It knows nothing of factors and of the imputer."""
        rows, cols = self._explicit(rows, cols)
        of_rows = np.arange(rows.start, rows.stop)
        of_cols = np.arange(cols.start, cols.stop)
        hidden = self.ratings.with_values(self.hidden.astype(np.float64)).submatrix(of_rows, of_cols)
        limits = self.limits.of_columns(cols) if isinstance(self.limits, ColumnLimits) else self.limits
        half_widths = None if self.half_widths is None else Part(self.half_widths, rows.start, cols.start)
        return replace(
            self,
            ratings=self.ratings.submatrix(of_rows, of_cols),
            estimates=Part(self.estimates, rows.start, cols.start),
            limits=limits,
            half_widths=half_widths,
            held_out=hidden.values > 0,
            path=None,
            imputer=None,
            seen=None,
        )

    def _explicit(self, rows: slice, cols: slice) -> tuple[slice, slice]:
        N, M = self.shape
        return slice(*rows.indices(N)), slice(*cols.indices(M))

    def _cut(self, raw: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        return raw if self.limits is None else self.limits.clip_at(raw, rows, cols)

    def _put(self, raw: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Estimates within the limits and, if they are to be, on the nearest step, the upper one of two."""
        cut = self._cut(raw, rows, cols)
        scale = self.ratings.scale
        if not self.round_to_scale or scale is None or scale.step is None:
            return cut
        return scale.minimum + scale.step * np.floor((cut - scale.minimum) / scale.step + 0.5)

    def _ends(self, raw: np.ndarray, half_width: np.ndarray, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        lower = np.minimum(raw - half_width, mean)
        upper = np.maximum(raw + half_width, mean)
        known = None if self.limits is None else self.ratings.scale
        return (lower, upper) if known is None else (known.clip(lower), known.clip(upper))

    # -- all cells ----------------------------------------------------------------------------------------------------

    def compact(self) -> Self:
        """The answer with the cells that were cut and rounded, and without any other array of all cells: of a large
        matrix each has tens of megabytes, and estimates of a part are computed when they are asked."""
        _ = self.clipped, self.rounded
        for name in ("unclipped", "mean", "_within"):
            vars(self).pop(name, None)
        return self

    @cached_property
    def unclipped(self) -> np.ndarray:
        """(N, M) the estimates before anything is cut, at observed cells, too."""
        return _read_only(self.estimates.block(*self._explicit(ALL, ALL)))

    @cached_property
    def mean(self) -> np.ndarray:
        """(N, M) the estimates, at observed cells, too."""
        return _read_only(self._put(self.unclipped, *np.ogrid[: self.shape[0], : self.shape[1]]))

    @cached_property
    def half_width(self) -> np.ndarray | None:
        """(N, M) half-width of the interval of each cell before its ends are cut; None without intervals."""
        return None if self.half_widths is None else _read_only(self.half_widths.block(*self._explicit(ALL, ALL)))

    @cached_property
    def _interval(self) -> tuple[np.ndarray, np.ndarray] | None:
        return None if self.half_width is None else self._ends(self.unclipped, self.half_width, self.mean)

    @property
    def lower(self) -> np.ndarray | None:
        """(N, M) lower end of the interval of each cell; None without intervals."""
        return None if self._interval is None else _read_only(self._interval[0])

    @property
    def upper(self) -> np.ndarray | None:
        """(N, M) upper end of the interval of each cell; None without intervals."""
        return None if self._interval is None else _read_only(self._interval[1])

    @cached_property
    def filled(self) -> np.ndarray:
        """(N, M) the observed value where there is one, the estimate everywhere else."""
        filled = self.mean.copy()
        filled[self.ratings.rows, self.ratings.cols] = self.ratings.values
        return _read_only(filled)

    @cached_property
    def _within(self) -> np.ndarray:
        return self._cut(self.unclipped, *np.ogrid[: self.shape[0], : self.shape[1]])

    @cached_property
    def clipped(self) -> np.ndarray:
        """(N, M) whether a cell is not observed and its estimate was cut."""
        return self._of_missing(self._within != self.unclipped)

    @cached_property
    def rounded(self) -> np.ndarray:
        """(N, M) whether a cell is not observed and its estimate was moved to a step of the scale."""
        return self._of_missing(~np.isclose(self.mean, self._within, rtol=0, atol=1e-9))  # more than arithmetic's error

    @cached_property
    def provenance(self) -> np.ndarray:
        """(N, M) of 'observed', 'held out' (observed, but hidden), 'imputed' and 'clipped' (imputed, and cut)."""
        provenance = np.where(self.clipped, "clipped", "imputed").astype("U8")
        provenance[self.ratings.rows, self.ratings.cols] = np.where(self.hidden, "held out", "observed")
        return _read_only(provenance)

    def _of_missing(self, cells: np.ndarray) -> np.ndarray:
        cells[self.ratings.rows, self.ratings.cols] = False
        return _read_only(cells)

    def to_frame(self) -> pd.DataFrame:
        """One row per cell: row, column, value, estimate, provenance; with intervals, lower and upper."""
        N, M = self.shape
        rows = self.ratings.row_labels or range(N)
        cols = self.ratings.col_labels or range(M)
        lower = self.lower
        upper = self.upper
        interval = {} if lower is None or upper is None else {"lower": lower.ravel(), "upper": upper.ravel()}
        return pd.DataFrame(
            {
                "row": [label for label in rows for _ in range(M)],
                "column": list(cols) * N,
                "value": self.filled.ravel(),
                "estimate": self.mean.ravel(),
                "provenance": self.provenance.ravel(),
            }
            | interval
        )


def _read_only(array: np.ndarray) -> np.ndarray:
    array = array.view()
    array.flags.writeable = False
    return array
