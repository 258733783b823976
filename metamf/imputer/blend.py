"""A second member beside the network: a normal distribution over the columns, weighed by the matrix's own entries.

An extension beside the paper's picture. The network says what the factors of rows and columns are; the normal
distribution (``metamf.baselines.normal``) says how the columns of this matrix go together. Their estimates are added,

    estimate = (1 - w) network + w normal,

with one weight w for the matrix. Some of its entries are hidden from both, and w is the ridge regression of what was
hidden on the difference of the members, drawn towards one half as if by ``HALF_WEIGHT`` more entries, between 0 and 1:
stacking (Wolpert 1992; Breiman 1996). If the network was tuned, these are the entries that tuning never saw.

An interval's half-width is the root of the weighted mean of the members' squared half-widths, which is right where
their errors are one and the same and too wide where they are independent; a factor, the same at all levels, brings it
to what the hidden entries call for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy.stats
import torch

from metamf.baselines.normal import ColumnNormal, fit_normal
from metamf.imputer.choice import SMALLEST_SCALE
from metamf.imputer.held_out import CHECKED_LEVELS, HeldOut, factor_of
from metamf.imputer.widths import Intervals
from metamf.ratings.matrix import Ratings
from metamf.ratings.sided_units import SidedStandardization, SidedUnits
from metamf.ratings.units import By

MOST_BLENDED_COLUMNS, MOST_BLENDED_CELLS = (
    256,
    2_000_000,
)  # limits of the second member; chosen by hand: some ten seconds
HALF_WEIGHT = 100.0  # entries; chosen by hand


@dataclass(frozen=True)
class BlendReport:
    """Weight of the second member, and the errors that it follows from.

    Attributes
    ----------
    weight : weight w of the normal distribution
    hidden : number of entries that were hidden from both members
    network_error, normal_error, error : root mean squared errors on them, in units of the spread of their columns, of
        the members and of both together; nan where nothing was hidden
    factor : factor of the half-widths of intervals
    """

    weight: float
    hidden: int
    network_error: float
    normal_error: float
    error: float
    factor: float = 1.0


@dataclass(frozen=True, eq=False)
class Blend:
    """The second member, fitted to a matrix, and its weight.

    Parameters
    ----------
    ratings : the observed entries, in rating units
    units : units of the columns
    normal : normal distribution of the columns, in these units
    report : weight, and the errors that it follows from
    """

    ratings: Ratings
    units: SidedStandardization
    normal: ColumnNormal
    report: BlendReport

    def mixed(self, network: np.ndarray, ratings: Ratings) -> np.ndarray:
        """Estimates (n, M) of both members for rows with the same columns, in rating units.

        Parameters
        ----------
        network : ndarray of shape (n, M)
            The network's estimates.
        ratings : Ratings
            The observed entries of the rows.
        """
        w = self.report.weight
        return (1 - w) * network + w * completed(self.normal, self.units, ratings)[0]

    def mixed_at(self, network: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """The same at cells of the matrix, of positions that broadcast."""
        w = self.report.weight
        return (1 - w) * network + w * self._of_matrix[0][rows, cols]

    def half_widths_at(
        self, level: float, network: np.ndarray, rows: np.ndarray | slice, cols: np.ndarray | slice
    ) -> np.ndarray:
        """Half-widths of intervals at cells of the matrix, from the network's, in rating units."""
        deviation = self._of_matrix[1][rows, cols]
        return self.report.factor * joint_half_widths(self.report.weight, level, network, deviation)

    def mixed_without_each(self, network: np.ndarray, entries: np.ndarray, row: int, col: int) -> np.ndarray:
        """(D,) estimates of one cell by both members, each from the matrix without one entry, in rating units.

        The second member is fitted anew to every copy of the matrix, in units of the copy's columns; its weight stays
        that of the whole matrix.

        Parameters
        ----------
        network : ndarray of shape (D,)
            The network's estimates of the cell from each copy.
        entries : ndarray of int, of shape (D,)
            Positions of the entries that the copies lack.
        row, col : int
            The cell.
        """
        w, ratings = self.report.weight, self.ratings
        second = np.empty(len(entries))
        for d, entry in enumerate(entries):
            copy = ratings.select(np.delete(np.arange(ratings.nnz), entry))
            units = SidedUnits(By.COLUMN).of(copy)
            of_row = copy.select(copy.rows == row)
            second[d] = completed(_fitted(copy, units), units, of_row)[0][row, col]
        return (1 - w) * network + w * second

    @cached_property
    def _of_matrix(self) -> tuple[np.ndarray, np.ndarray]:
        return completed(self.normal, self.units, self.ratings)


@dataclass(frozen=True, eq=False)
class BlendedIntervals:
    """Half-widths of both members together, in place of ``metamf.imputer.widths.Intervals``.

    Parameters
    ----------
    level : level of the intervals
    network : intervals of the network, whose own factor has no part in these
    blend : the second member
    """

    level: float
    network: Intervals
    blend: Blend

    def at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """(n,) half-widths at cells, in rating units."""
        network = self.network.at(rows, cols) / self.network.factor
        return self.blend.half_widths_at(self.level, network, rows, cols)

    def block(self, rows: slice, cols: slice) -> np.ndarray:
        """(n, m) half-widths at all cells of some rows and columns, in rating units."""
        network = self.network.block(rows, cols) / self.network.factor
        return self.blend.half_widths_at(self.level, network, rows, cols)


def can_blend(ratings: Ratings) -> bool:
    """Whether a matrix is small enough for the second member, has two columns at least, and numbers whose squares are
    numbers."""
    N, M = ratings.shape
    largest = float(np.abs(ratings.values).max(initial=0.0))
    small = M <= MOST_BLENDED_COLUMNS and N * M <= MOST_BLENDED_CELLS
    return small and M >= 2 and SMALLEST_SCALE < largest < 1 / SMALLEST_SCALE


def fit_blend(ratings: Ratings, held_out: Sequence[HeldOut]) -> Blend:
    """The second member of a matrix, and its weight.

    Parameters
    ----------
    ratings : the observed entries, in rating units
    held_out : divisions of them, with the network's estimates of the hidden parts; without any the weight is one half
    """
    units = SidedUnits(By.COLUMN).of(ratings)
    found = [_scored(each, units) for each in held_out]
    normal = _fitted(ratings, units)
    if not found:
        nan = float("nan")
        return Blend(ratings, units, normal, BlendReport(0.5, 0, nan, nan, nan))
    network, second = (np.concatenate([getattr(fit, name) for fit in found]) for name in ("network", "normal"))
    w = stacked_weight(network, second)
    both = (1 - w) * network + w * second
    report = BlendReport(w, len(both), *(float(np.sqrt(np.mean(errors**2))) for errors in (network, second, both)))
    widths = [(fit, each.half_widths) for fit, each in zip(found, held_out) if each.half_widths is not None]
    if widths:
        report = replace(report, factor=_factor(w, widths))
    return Blend(ratings, units, normal, report)


def stacked_weight(network: np.ndarray, second: np.ndarray) -> float:
    """The weight of the second member, between 0 and 1, from both members' errors (n,) on hidden entries.

    It minimises the sum of ((1 - w) network + w second)^2, and ``HALF_WEIGHT`` more entries ask for one half.
    """
    apart = network - second
    prior = HALF_WEIGHT * np.mean(apart**2)
    if not prior > 0:
        return 0.5
    return float(np.clip((apart @ network + prior / 2) / (apart @ apart + prior), 0, 1))


def joint_half_widths(w: float, level: float, network: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Half-widths from the network's half-widths and the standard deviations of the normal distribution."""
    normal = scipy.stats.norm.ppf((1 + level) / 2) * deviation
    return np.sqrt((1 - w) * network**2 + w * normal**2)


@dataclass(frozen=True, eq=False)
class _Scored:
    """Errors (n,) of both members on hidden entries, in units of the spread of their columns, and more of the second.

    Attributes
    ----------
    network, normal : estimate minus truth
    deviation : (n,) predictive standard deviations of the second member, in rating units
    spread : (n,) spread of the columns
    """

    network: np.ndarray
    normal: np.ndarray
    deviation: np.ndarray
    spread: np.ndarray


def _scored(held: HeldOut, units: SidedStandardization) -> _Scored:
    given, hidden = held.given, held.hidden
    mean, deviation = completed(_fitted(given, units), units, given)
    at = hidden.rows, hidden.cols
    spread = units.std[hidden.cols]
    of_network, of_normal = ((estimates - hidden.values) / spread for estimates in (held.estimates, mean[at]))
    return _Scored(of_network, of_normal, deviation[at], spread)


def completed(normal: ColumnNormal, units: SidedStandardization, ratings: Ratings) -> tuple[np.ndarray, np.ndarray]:
    """(n, M) estimates and predictive standard deviations of all cells of rows, in rating units."""
    mean, variance = normal.complete(*_entries(ratings, units), ratings.n_rows)
    return mean.numpy() * units.std + units.mean, np.sqrt(variance.numpy()) * units.std


def _fitted(ratings: Ratings, units: SidedStandardization) -> ColumnNormal:
    return fit_normal(*_entries(ratings, units), ratings.shape)


def _entries(ratings: Ratings, units: SidedStandardization) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    z = units.apply_at(ratings.values.astype(np.float64), ratings.rows, ratings.cols)
    order = np.argsort(ratings.rows, kind="stable")
    z, rows, cols = (torch.as_tensor(part[order]) for part in (z.clip(-1e6, 1e6), ratings.rows, ratings.cols))
    return z, rows, cols


def _factor(w: float, parts: Sequence[tuple[_Scored, dict[float, np.ndarray]]]) -> float:
    """The factor of the half-widths of both members together."""

    def ratio(fit: _Scored, level: float, half: np.ndarray) -> np.ndarray:
        error = np.abs((1 - w) * fit.network + w * fit.normal) * fit.spread
        return error / joint_half_widths(w, level, half, fit.deviation)

    return factor_of(
        {level: np.concatenate([ratio(fit, level, half[level]) for fit, half in parts]) for level in CHECKED_LEVELS}
    )
