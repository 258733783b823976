"""The result of an imputation: estimates, intervals, their provenance, and the trajectory of factors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from metamf.ratings.limits import ColumnLimits
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import Standardization

if TYPE_CHECKING:
    from metamf.answer.ensemble import Ensemble
    from metamf.checkpoints.models import HalfWidths


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
class Intervals:
    """Intervals of one level, computed on demand: for some cells or a window of a large matrix."""

    level: float  # the share of unobserved ratings that is to lie inside
    standardization: Standardization
    half_widths: HalfWidths  # of the network, in standardised units
    factor: float = 1.0  # on the half-widths of a tuned network, by entries that tuning never saw
    ensemble: Ensemble | None = None  # its own factor replaces ``factor``

    def at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """(n,) half-widths at the cells of integer positions ``rows`` and ``cols``, (n,) each, in rating units."""
        return self._scaled(self.standardization.spread_at(rows, cols), self.half_widths.at(rows, cols), rows, cols)

    def block(self, rows: slice, cols: slice) -> np.ndarray:
        """(n, m) half-widths at all cells of some rows and columns, in rating units."""
        spread, half = self.standardization.spread_block(rows, cols), self.half_widths.block(rows, cols)
        return self._scaled(spread, half, rows, cols)

    def _scaled(
        self, spread: float | np.ndarray, half: np.ndarray, rows: np.ndarray | slice, cols: np.ndarray | slice
    ) -> np.ndarray:
        if self.ensemble is None:
            return self.factor * spread * half
        return self.ensemble.half_widths_at(self.level, spread * half, rows, cols)


@dataclass(frozen=True, eq=False)
class Imputation:
    """The result of ``MetaMFImputer.impute``, immutable; all values in rating units."""

    ratings: Ratings  # the observed entries, N x M
    trajectory: Trajectory  # of the network alone
    scale: RatingScale | ColumnLimits | None  # the limits of estimates; None if they are not clipped
    checkpoint: str  # its name
    step_rule: str  # 'exact', 'paper', 'safe' or 'nmf'
    intervals: Intervals | None = None  # if requested
    ensemble: Ensemble | None = None  # with the members beside the network, if any

    def __repr__(self) -> str:
        level = "" if self.level is None else f", level={self.level}"
        return f"Imputation({self.ratings!r}, checkpoint={self.checkpoint!r}, step_rule={self.step_rule!r}{level})"

    @property
    def level(self) -> float | None:
        """The level of the intervals; None without intervals."""
        return None if self.intervals is None else self.intervals.level

    @cached_property
    def half_width(self) -> np.ndarray | None:
        """(N, M) half-width of the interval of each cell, in rating units; None without intervals."""
        return None if self.intervals is None else _read_only(self.intervals.block(slice(None), slice(None)))

    @cached_property
    def unclipped(self) -> np.ndarray:
        """(N, M) the estimates before clipping, at observed cells, too."""
        network = self.trajectory.estimate(self.trajectory.T)
        if self.ensemble is not None:
            network = self.ensemble.mixed_at(network, *np.ogrid[: network.shape[0], : network.shape[1]])
        return _read_only(network)

    @cached_property
    def mean(self) -> np.ndarray:
        """(N, M) the model's estimates, at observed cells too, clipped to the scale."""
        return self.unclipped if self.scale is None else _read_only(self.scale.clip(self.unclipped))

    @cached_property
    def lower(self) -> np.ndarray | None:
        """(N, M) lower end of the interval of each cell; None without intervals.

        Clipped to the scale of the ratings if estimates are clipped and it is known; the range of the observed entries
        limits estimates alone.
        """
        return self._bound(-1)

    @cached_property
    def upper(self) -> np.ndarray | None:
        """(N, M) upper end of the interval of each cell, clipped as ``lower``; None without intervals."""
        return self._bound(1)

    def _bound(self, sign: int) -> np.ndarray | None:
        if self.half_width is None:
            return None
        bound = self.unclipped + sign * self.half_width
        bound = (np.minimum if sign < 0 else np.maximum)(bound, self.mean)  # an estimate that was cut stays inside
        known = None if self.scale is None else self.ratings.scale
        return _read_only(bound if known is None else known.clip(bound))

    @cached_property
    def filled(self) -> np.ndarray:
        """(N, M) the observed value where there is one, the estimate everywhere else."""
        filled = self.mean.copy()
        filled[self.ratings.rows, self.ratings.cols] = self.ratings.values
        return _read_only(filled)

    @cached_property
    def clipped(self) -> np.ndarray:
        """(N, M) whether a cell is imputed and its estimate was clipped at an end of the scale."""
        clipped = self.mean != self.unclipped
        clipped[self.ratings.rows, self.ratings.cols] = False
        return _read_only(clipped)

    @cached_property
    def provenance(self) -> np.ndarray:
        """(N, M) of 'observed', 'imputed' and 'clipped' (imputed, and clipped at an end of the scale)."""
        provenance = np.where(self.clipped, "clipped", "imputed").astype("U8")
        provenance[self.ratings.rows, self.ratings.cols] = "observed"
        return _read_only(provenance)

    def to_frame(self) -> pd.DataFrame:
        """One row per cell: row, column, value, estimate, provenance; with intervals, lower and upper."""
        N, M = self.ratings.shape
        rows = self.ratings.row_labels or range(N)
        cols = self.ratings.col_labels or range(M)
        lower, upper = self.lower, self.upper
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
