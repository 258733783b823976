"""The units that a matrix is read in, and what is known of every rule that gives them.

Units are a mean and a standard deviation (``Standardization``). A rule gives the units of one matrix, or of many that
differ by an entry: ``metamf.ratings.units`` has those by which all cells have the same units, and
``metamf.ratings.units`` those by which each column, or each row, has its own.

FIXME Rules by which all cells of a matrix have the same units: the one place that decides them.

The paper (Section 4.1) takes the mean and the standard deviation of the whole data set. Here ``unit_rule`` chooses,
once per matrix, between those of the data that a checkpoint was trained on (``FixedUnits``), those of the matrix's own
observed entries (``OwnUnits``), and the latter drawn towards what a known rating scale suggests (``ScaleUnits``).

FIXME Units by column, or by row: each column of a table of measurements has a mean and a spread of its own.

A column with few entries says little of its own mean and spread, and borrows from the others as much as the columns
resemble each other (empirical Bayes). Where all columns have the same unit, their means and spreads are alike and each
is drawn towards the common one; where each has a unit of its own, they differ by orders of magnitude and next to
nothing is borrowed. With n entries of mean m and variance v (d = n - 1 degrees of freedom), whose logarithm has the
sampling variance trigamma(d / 2), and with mu, tau^2, lambda, omega^2 estimated from all columns by moments,

    log variance = lambda + omega^2 / (omega^2 + trigamma(d / 2)) (log v - digamma(d / 2) + log(d / 2) - lambda),
    mean = mu + tau^2 / (tau^2 + variance / n) (m - mu).

Variances are averaged as logarithms: where units differ by a factor of a thousand, a sum of variances would be that of
the largest. Source: the moments of log variances are those of Smyth (2004), "Linear models and empirical Bayes methods
for assessing differential expression", Section 6.2; the rest is the usual random-effects estimate, twice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from metamf.ratings.limits import ColumnLimits, observed_range
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale

Standardize = Literal["auto", "checkpoint", "matrix", "columns", "rows", "chosen"]
# Standard deviation, in shares of the largest number, below which all numbers count as one value.
LITTLE_SPREAD = 1e-12


@dataclass(frozen=True)
class Standardization:
    """value = mean + std * standardised value.

    Parameters
    ----------
    mean : float
        Mean, in rating units.
    std : float
        Standard deviation, in rating units; 1 where there is nothing to divide by.
    """

    mean: float
    std: float

    @classmethod
    def of(cls, values: np.ndarray) -> Standardization:
        """Zero mean and unit variance on ``values``; without values the identity."""
        if values.size == 0:
            return cls(0.0, 1.0)
        mean, std = float(values.mean(dtype=np.float64)), float(values.std(dtype=np.float64))
        spread = std > LITTLE_SPREAD * max(abs(mean), float(np.abs(values).max()))
        return cls(mean, std if spread else 1.0)

    def apply(self, values: Any) -> Any:
        """Rating units -> standardised units."""
        return (values - self.mean) / self.std

    def undo(self, values: Any) -> Any:
        """Standardised units -> rating units."""
        return values * self.std + self.mean

    def apply_at(self, values: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Rating units -> standardised units, at the cells of integer positions ``rows`` and ``cols``; all of shapes
        that broadcast."""
        return self.apply(values)

    def undo_at(self, values: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Standardised units -> rating units, at cells, as ``apply_at``."""
        return self.undo(values)

    @property
    def spread(self) -> float:
        """The standard deviation of the ratings, in rating units; 0 where nothing varies."""
        return self.std

    def spread_at(self, rows: np.ndarray, cols: np.ndarray) -> float | np.ndarray:
        """The size of a standardised unit in rating units, at cells; 0 where nothing varies."""
        return self.spread

    def spread_block(self, rows: slice, cols: slice) -> float | np.ndarray:
        """The same at all cells of some rows and columns, of a shape that broadcasts to theirs."""
        return self.spread

    def of_new_rows(self, ratings: Ratings) -> Standardization:
        """The units of other rows with the same columns."""
        return self


class OneValue(Standardization):
    """The units of a matrix in which nothing varies: every estimate is its one value."""

    def undo(self, values: Any) -> Any:
        """The one value, whatever ``values`` are."""
        return np.full_like(values, self.mean)

    @property
    def spread(self) -> float:
        """0: nothing varies."""
        return 0.0


class By(IntEnum):
    """The side of a matrix whose lines have units of their own."""

    ROW = 0
    COLUMN = 1


class UnitRule(Protocol):
    """A way in which the units of a matrix follow from its observed entries."""

    @property
    def by(self) -> By | None:
        """The side whose lines have units of their own; None if all cells have the same units."""

    @property
    def scale_weighs_in(self) -> bool:
        """Whether the units follow from a known rating scale, too."""

    @property
    def gives_way(self) -> bool:
        """Whether ``metamf.imputer.unit_selection`` may replace this rule by units of columns or rows."""

    def limits(self, ratings: Ratings, trained_scale: RatingScale | None) -> RatingScale | ColumnLimits | None:
        """The limits of estimates of a matrix without a known rating scale; None if its entries are one value.

        ``trained_scale`` : the rating scale of the data that the model was trained on, None if there is none.
        """

    def of(self, ratings: Ratings) -> Standardization:
        """The units of one matrix."""

    def without_each(self, ratings: Ratings, kept: np.ndarray, row: int, col: int) -> tuple[np.ndarray, ...]:
        """The units of many copies of a matrix, each with some of its entries.

        Parameters
        ----------
        ratings : Ratings
            The matrix, in rating units.
        kept : ndarray of shape (D, n)
            Positions of the entries of each copy.
        row, col : int
            A cell.

        Returns
        -------
        x : ndarray of shape (D, n)
            The entries in standardised units.
        mean, std : ndarray of shape (D,)
            Mean and standard deviation at the cell, in rating units; a standard deviation of 0 says that every estimate
            is the mean.
        """


class WholeUnits(ABC):
    """A rule by which all cells of a matrix have the same units, which follow from ``moments``."""

    by: ClassVar[By | None] = None
    scale_weighs_in: ClassVar[bool] = False
    gives_way: ClassVar[bool] = False

    def limits(self, ratings: Ratings, trained_scale: RatingScale | None) -> RatingScale | None:
        """The range of the observed entries."""
        return observed_range(ratings)

    @abstractmethod
    def moments(self, values: np.ndarray, scale: RatingScale | None) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation, in rating units, of observed entries along the last axis; a standard deviation
        of 0 says that every estimate is the mean."""

    def without_each(self, ratings: Ratings, kept: np.ndarray, row: int, col: int) -> tuple[np.ndarray, ...]:
        """Returns what ``UnitRule.without_each`` does."""
        values = ratings.values.astype(np.float64)[kept]
        mean, std = self.moments(values, ratings.scale)
        return (values - mean[:, None]) / np.where(std > 0, std, 1)[:, None], mean, std


@dataclass(frozen=True)
class FixedUnits(WholeUnits):
    """The same units for every matrix.

    Parameters
    ----------
    standardization : Standardization
        The fixed units, in rating units.
    """

    standardization: Standardization

    def of(self, ratings: Ratings) -> Standardization:
        """The fixed units."""
        return self.standardization

    def limits(self, ratings: Ratings, trained_scale: RatingScale | None) -> RatingScale | None:
        """The rating scale of the data that the units come from."""
        return trained_scale

    def moments(self, values: np.ndarray, scale: RatingScale | None) -> tuple[np.ndarray, np.ndarray]:
        """The fixed mean and standard deviation, one pair for each set of entries along the last axis."""
        shape = values.shape[:-1]
        return np.full(shape, self.standardization.mean), np.full(shape, self.standardization.std)


@dataclass(frozen=True)
class OwnUnits(WholeUnits):
    """Zero mean and unit variance on the observed entries of each matrix; ``OneValue`` where nothing varies."""

    gives_way: ClassVar[bool] = True

    def of(self, ratings: Ratings) -> Standardization:
        """The units of one matrix, whatever the size of its numbers."""
        largest = float(np.abs(ratings.values).max()) or 1.0
        unit = ratings.values.astype(np.float64) / largest  # squares of very large or small numbers leave floats' range
        mean, std = float(unit.mean()) * largest, float(unit.std())
        return Standardization(mean, std * largest) if std > LITTLE_SPREAD else OneValue(mean, 1.0)

    def moments(self, values: np.ndarray, scale: RatingScale | None) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation along the last axis; 0 instead of a standard deviation that is mere rounding."""
        largest = np.abs(values).max(-1, keepdims=True)
        unit = values.astype(np.float64) / np.where(largest > 0, largest, 1.0)
        std = unit.std(-1)
        return unit.mean(-1) * largest[..., 0], np.where(std > LITTLE_SPREAD, std, 0.0) * largest[..., 0]


@dataclass(frozen=True)
class ScaleUnits(WholeUnits):
    """Mean and spread of the observed entries of a matrix, drawn towards what its rating scale suggests.

    Parameters
    ----------
    mean : float
        Usual mean of ratings, as a share of the scale's length above its minimum.
    variance : float
        Usual variance of ratings, as a share of the square of the scale's length; the default is that of ratings spread
        evenly over the scale.
    mean_weight, variance_weight : float
        Numbers of observed entries that this knowledge of the mean, and of the variance, is worth.

    Raises
    ------
    ValueError
        If the variance or a weight is not positive.
    """

    mean: float = 0.5
    variance: float = 1 / 12
    mean_weight: float = 1.0
    variance_weight: float = 1.0

    scale_weighs_in: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("variance", "mean_weight", "variance_weight"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")

    def of(self, ratings: Ratings) -> Standardization:
        """The units of a matrix; without a known scale the mean and standard deviation of its observed entries."""
        if ratings.scale is None:
            return Standardization.of(ratings.values)
        mean, std = self.moments(ratings.values, ratings.scale)
        return Standardization(float(mean), float(std))

    def moments(self, values: np.ndarray, scale: RatingScale | None) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation, in rating units, of observed entries along the last axis."""
        if scale is None:
            raise ValueError("these units are shares of a rating scale: the ratings need a known one")
        length, n = scale.maximum - scale.minimum, values.shape[-1]
        share = (values.astype(np.float64) - scale.minimum) / length
        mean = (share.sum(-1) + self.mean_weight * self.mean) / (n + self.mean_weight)
        squares = ((share - mean[..., None]) ** 2).sum(-1) + self.variance_weight * self.variance
        return scale.minimum + length * mean, length * np.sqrt(squares / (n + self.variance_weight))


def unit_rule(
    ratings: Ratings,
    trained: Standardization | None,
    trained_scale: RatingScale | None,
    scale_units: ScaleUnits | None = None,
    standardize: Standardize = "auto",
) -> UnitRule:
    """The rule by which a matrix is standardised before a pretrained model reads it.

    Parameters
    ----------
    ratings : Ratings
        The matrix, in rating units.
    trained, trained_scale : Standardization and RatingScale, or None
        Units and rating scale of the data that the model was trained on; None for a model that was trained on matrices
        in units of their own.
    scale_units : ScaleUnits, optional
        Such a model's knowledge of ratings on a known scale.
    standardize : {'auto', 'checkpoint', 'matrix'}
        'checkpoint' takes ``trained``, 'matrix' the units of the observed entries. 'auto' takes ``trained`` where the
        matrix's rating scale, or else the range of its entries, fills at least half of ``trained_scale`` and does not
        leave it; if there is no ``trained``, it lets a known rating scale weigh in by ``scale_units``.

    Raises
    ------
    ValueError
        If the units of the training data are asked for, and there are none.
    """
    if trained is None:
        if standardize == "checkpoint":
            raise ValueError("the checkpoint has no units of its own: use standardize='matrix' or 'auto'")
        if standardize == "auto" and scale_units is not None and ratings.scale is not None:
            return scale_units
        return OwnUnits()
    scale = ratings.scale or observed_range(ratings)
    if standardize == "checkpoint" or (standardize == "auto" and _fills(scale, trained_scale)):
        return FixedUnits(trained)
    return OwnUnits()


def _fills(scale: RatingScale | None, trained: RatingScale | None) -> bool:
    """Whether ``scale`` lies within the scale of the training data and takes up half of it, at least."""
    return (
        scale is not None
        and trained is not None
        and trained.minimum <= scale.minimum
        and scale.maximum <= trained.maximum
        and scale.maximum - scale.minimum >= (trained.maximum - trained.minimum) / 2
    )


LITTLE = 1e-4  # share of the typical variance that a line has at least


@dataclass(frozen=True)
class Likeness:
    """Likeness of the lines (rows, or columns) of a matrix: the prior that each borrows from.

    Attributes
    ----------
    mean, between : float
        mu and tau^2: mean of the lines' means, and variance between them, in rating units and their square.
    log_variance, log_between : float
        lambda and omega^2: mean of the logarithms of the lines' variances, and variance between them.
    """

    mean: float
    between: float
    log_variance: float
    log_between: float

    @classmethod
    def of(cls, n: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> Likeness:
        """Estimates it from numbers of entries, means and variances (n - 1 degrees of freedom) of lines, (L,) each."""
        seen, spread = n > 0, (n > 1) & (variance > 0)
        centre = float(np.average(mean[seen], weights=n[seen])) if seen.any() else 0.0
        apart = float(np.var(mean[seen], ddof=1)) if seen.sum() > 1 else 0.0
        if spread.any():
            log, noise = _log_variances(n[spread], variance[spread])
            typical, differing = float(log.mean()), max(float(np.var(log) - noise.mean()), 0.0)
        else:  # no line tells its spread: it is taken to be little against that of the means
            typical, differing = float(np.log(LITTLE * apart or 1.0)), 0.0
        errors = np.where(spread, variance, np.exp(typical))[seen] / n[seen]
        between = apart - float(errors.mean()) if seen.any() else 0.0
        return cls(centre, max(between, 0.0), typical, differing)

    def units(self, n: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of each line, (L,) each, in rating units; those of no line where n is 0."""
        log_found, told = np.full(len(n), self.log_variance), n > 1
        least = LITTLE * np.exp(self.log_variance)  # for a line of one value
        log, noise = _log_variances(n[told], np.where(variance > 0, variance, least)[told])
        log_found[told] += self.log_between / (self.log_between + noise) * (log - self.log_variance)
        found = np.exp(log_found)
        weight = self.between / (self.between + found / np.maximum(n, 1))
        return np.where(n > 0, self.mean + weight * (mean - self.mean), self.mean), np.sqrt(found)


@dataclass(frozen=True, eq=False)
class SidedStandardization(Standardization):
    """value = mean + std * standardised value, with a mean and a std for each column, or for each row.

    Parameters
    ----------
    mean, std : ndarray of shape (M,) or (N,)
        Mean and standard deviation of each line, in its units.
    by : By
        The side whose lines have them.
    likeness : Likeness
        Likeness of the lines, which gives new rows their units.
    """

    mean: np.ndarray
    std: np.ndarray
    by: By
    likeness: Likeness

    def apply_at(self, values: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Rating units -> standardised units, at cells."""
        mean, std = self._units_at(rows, cols)
        return (values - mean) / std

    def undo_at(self, values: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Standardised units -> rating units, at cells."""
        mean, std = self._units_at(rows, cols)
        return values * std + mean

    def spread_at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """The standard deviation at cells, in rating units."""
        return self._units_at(rows, cols)[1]

    def spread_block(self, rows: slice, cols: slice) -> np.ndarray:
        """The same at all cells of some rows and columns, (1, m) or (n, 1)."""
        return self.std[cols][None] if self.by is By.COLUMN else self.std[rows][:, None]

    def of_new_rows(self, ratings: Ratings) -> SidedStandardization:
        """The units of other rows with the same columns: those of the columns, or of each row by its own entries."""
        if self.by is By.COLUMN:
            return self
        units = self.likeness.units(*_moments(ratings, By.ROW))
        return SidedStandardization(*units, By.ROW, self.likeness)

    def _units_at(self, rows: np.ndarray, cols: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        lines = cols if self.by is By.COLUMN else rows
        return self.mean[lines], self.std[lines]


@dataclass(frozen=True)
class SidedUnits:
    """A rule for units (``metamf.ratings.units.UnitRule``): each column, or each row, has its own.

    Parameters
    ----------
    by : By
        The side whose lines have units of their own.
    """

    by: By

    scale_weighs_in: ClassVar[bool] = False
    gives_way: ClassVar[bool] = False

    def limits(self, ratings: Ratings, trained_scale: RatingScale | None) -> RatingScale | ColumnLimits | None:
        """The limits of each column where columns have units of their own, or else the range of the entries."""
        return ColumnLimits.of(ratings) if self.by is By.COLUMN else observed_range(ratings)

    def of(self, ratings: Ratings) -> SidedStandardization:
        """The units of one matrix."""
        moments = _moments(ratings, self.by)
        likeness = Likeness.of(*moments)
        return SidedStandardization(*likeness.units(*moments), self.by, likeness)

    def without_each(self, ratings: Ratings, kept: np.ndarray, row: int, col: int) -> tuple[np.ndarray, ...]:
        """Returns what ``UnitRule.without_each`` does: every copy of the matrix is read in units of its own."""
        copies = [self.of(ratings.select(entries)) for entries in kept]
        x = np.stack(
            [
                units.apply_at(ratings.values[entries].astype(np.float64), ratings.rows[entries], ratings.cols[entries])
                for units, entries in zip(copies, kept)
            ]
        )
        line = col if self.by is By.COLUMN else row
        return x, np.array([units.mean[line] for units in copies]), np.array([units.std[line] for units in copies])


def sided_rule(standardize: str) -> SidedUnits | None:
    """The rule of this name: 'columns' or 'rows'; None for any other."""
    return {"columns": SidedUnits(By.COLUMN), "rows": SidedUnits(By.ROW)}.get(standardize)


def _moments(ratings: Ratings, by: By) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number of entries, mean and variance (n - 1 degrees of freedom; 0 below two entries) of each line, (L,) each."""
    lines, size = (ratings.cols, ratings.n_cols) if by is By.COLUMN else (ratings.rows, ratings.n_rows)
    values = ratings.values.astype(np.float64)
    n = np.bincount(lines, minlength=size).astype(np.float64)
    mean = np.bincount(lines, values, size) / np.maximum(n, 1)
    variance = np.bincount(lines, (values - mean[lines]) ** 2, size) / np.maximum(n - 1, 1)
    return n, mean, variance


def _log_variances(n: np.ndarray, variance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unbiased logarithms of variances of n > 1 normal entries, and their sampling variances."""
    from scipy.special import digamma, polygamma  # a quarter of a second, which the command line's help does without

    half = (n - 1) / 2

    return np.log(variance) - digamma(half) + np.log(half), polygamma(1, half)
