"""The units in which a matrix is read: a mean and a standard deviation (``Standardization``), and
the rules for them.

The paper (Section 4.1) takes the mean and the standard deviation of the whole data set.
``unit_rule`` chooses, once per matrix, between those of the data that a checkpoint was trained on
(``FixedUnits``), those of the matrix's own observed entries (``OwnUnits``), the latter drawn
towards what a known rating scale suggests (``ScaleUnits``), and a mean and a standard deviation for
each column or each row (``SidedUnits``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Literal

import numpy as np

from metamf.ratings.limits import column_ranges, limits_near, observed_range
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import ColumnLimits, RatingScale

Standardize = Literal["auto", "checkpoint", "matrix", "columns", "rows"]
# Standard deviation, in shares of the largest number, below which all numbers count as one value.
LITTLE_SPREAD = 1e-12
POWER_STEP = 300  # powers of two, by which lines are rescaled whose squares are no floats
LITTLE = 1e-4  # share of the typical variance that a row or column has at least


class By(IntEnum):
    """The side of a matrix whose lines have units of their own."""

    ROW = 0
    COLUMN = 1


@dataclass(frozen=True)
class Standardization:
    """value = mean + std * standardised value; mean and std in rating units, std 1 where nothing
    varies.

    Methods that end in ``_at`` take integer positions ``rows`` and ``cols`` of cells; all shapes
    must broadcast.
    """

    mean: float
    std: float

    @classmethod
    def of(cls, values: np.ndarray) -> Standardization:
        """Zero mean and unit variance on ``values``; without values the identity."""
        if values.size == 0:
            return cls(0.0, 1.0)
        mean = float(values.mean(dtype=np.float64))
        std = float(values.std(dtype=np.float64))
        spread = std > LITTLE_SPREAD * max(abs(mean), float(np.abs(values).max()))
        return cls(mean, std if spread else 1.0)

    def apply(self, values: Any) -> Any:
        """Rating units -> standardised units."""
        return (values - self.mean) / self.std

    def undo(self, values: Any) -> Any:
        """Standardised units -> rating units."""
        return values * self.std + self.mean

    def at(self, rows: np.ndarray, cols: np.ndarray) -> Standardization:
        """The units of some cells."""
        return self

    def apply_at(self, values: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        return self.at(rows, cols).apply(values)

    def undo_at(self, values: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        return self.at(rows, cols).undo(values)

    @property
    def spread(self) -> float | np.ndarray:
        """The size of a standardised unit in rating units; 0 where nothing varies."""
        return self.std

    def spread_at(self, rows: np.ndarray, cols: np.ndarray) -> float | np.ndarray:
        return self.at(rows, cols).spread

    def spread_block(self, rows: slice, cols: slice) -> float | np.ndarray:
        """The same at all cells of some rows and columns, of a shape that broadcasts to theirs."""
        return self.spread

    def of_new_rows(self, ratings: Ratings) -> Standardization:
        """The units of other rows with the same columns."""
        return self

    @property
    def of_products(self) -> Standardization:
        """The units of the products of factors, to which positive ones still add the lowest
        value."""
        return self


@dataclass(frozen=True)
class LowestStandardization(Standardization):
    """value = mean + std * (standardised value - lowest): ``mean`` is the lowest rating that there
    can be."""

    lowest: float

    def apply(self, values: Any) -> Any:
        return super().apply(values) + self.lowest

    def undo(self, values: Any) -> Any:
        return super().undo(values - self.lowest)

    @property
    def of_products(self) -> Standardization:
        return Standardization(self.mean, self.std)


class OneValue(Standardization):
    """The units of a matrix in which nothing varies: every estimate is its one value."""

    def undo(self, values: Any) -> Any:
        return np.full_like(values, self.mean)

    @property
    def spread(self) -> float:
        return 0.0


class UnitRule(ABC):
    """A way in which the units of a matrix follow from its observed entries."""

    # the side whose lines have units of their own; None: all cells have the same units
    by: By | None = None
    scale_weighs_in = False  # whether the units follow from a known rating scale, too
    gives_way = False  # whether the matrix's entries may replace this rule by ``SidedUnits``

    def limits(self, ratings: Ratings) -> RatingScale | ColumnLimits | None:
        """The limits of estimates of a matrix without a known rating scale; None if its entries are
        one value."""
        return observed_range(ratings)

    @abstractmethod
    def of(self, ratings: Ratings) -> Standardization:
        """Returns the units of one matrix."""


@dataclass(frozen=True)
class FixedUnits(UnitRule):
    """The same units for every matrix, those of the data that a model was trained on, whose rating
    scale limits estimates."""

    standardization: Standardization
    scale: RatingScale | None = None

    def of(self, ratings: Ratings) -> Standardization:
        return self.standardization

    def limits(self, ratings: Ratings) -> RatingScale | None:
        return self.scale


@dataclass(frozen=True)
class OwnUnits(UnitRule):
    """Zero mean and unit variance on the observed entries of each matrix; ``OneValue`` where
    nothing varies."""

    gives_way = True

    def of(self, ratings: Ratings) -> Standardization:
        # squares of very large or small numbers leave floats' range
        largest = np.abs(ratings.values).max()
        unit = ratings.values.astype(np.float64) / (largest or 1.0)
        mean = float(unit.mean() * largest)
        std = unit.std()
        if std > LITTLE_SPREAD:
            return Standardization(mean, float(std * largest))
        return OneValue(mean, 1.0)


@dataclass(frozen=True)
class FromLowest(UnitRule):
    """The units of another rule, in which ``lowest`` stands for the lowest rating that there can
    be: that of the rating scale, or else of the training's where its units are taken, or else the
    lowest that is observed."""

    rule: UnitRule
    lowest: float  # in standardised units

    def of(self, ratings: Ratings) -> Standardization:
        units = self.rule.of(ratings)
        if isinstance(units, OneValue):
            return units
        scale = ratings.scale or self.limits(ratings)
        rating = scale.minimum if isinstance(scale, RatingScale) else ratings.values.min()
        return LowestStandardization(float(rating), units.std, self.lowest)

    def limits(self, ratings: Ratings) -> RatingScale | ColumnLimits | None:
        return self.rule.limits(ratings)


@dataclass(frozen=True)
class ScaleUnits(UnitRule):
    """Mean and spread of the observed entries of a matrix, drawn towards what its rating scale
    suggests.

    With ratings x as shares of the scale's length above its minimum, they are those of the n
    observed entries and of k_1 and k_2 pseudo-observations,

        mean = (sum of x + k_1 m_0) / (n + k_1),    variance = (sum of (x - mean)^2 + k_2 v_0) / (n + k_2).

    The defaults are those of ratings spread evenly over the scale. ValueError if the variance or a
    weight is not positive.
    """

    mean: float = 0.5  # m_0
    variance: float = 1 / 12  # v_0
    mean_weight: float = 1.0  # k_1
    variance_weight: float = 1.0  # k_2

    scale_weighs_in = True

    def __post_init__(self) -> None:
        for name in ("variance", "mean_weight", "variance_weight"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")

    def of(self, ratings: Ratings) -> Standardization:
        """The units of a matrix; without a known scale the mean and standard deviation of its
        observed entries."""
        if ratings.scale is None:
            return Standardization.of(ratings.values)
        low = ratings.scale.minimum
        length = ratings.scale.maximum - ratings.scale.minimum
        n = ratings.nnz
        share = (ratings.values.astype(np.float64) - low) / length
        mean = (share.sum() + self.mean_weight * self.mean) / (n + self.mean_weight)
        squares = ((share - mean) ** 2).sum() + self.variance_weight * self.variance
        std = np.sqrt(squares / (n + self.variance_weight))
        return Standardization(float(low + length * mean), float(length * std))


@dataclass(frozen=True)
class SidedUnits(UnitRule):
    """Each column, or each row, has a mean and a spread of its own."""

    by: By

    def limits(self, ratings: Ratings) -> RatingScale | ColumnLimits | None:
        """The limits of each column if columns have units of their own, otherwise the range of the
        entries.

        A column of one value, given twice at least, keeps it; otherwise an estimate leaves the
        range of a column's entries by its spread at most, and is not negative where none of them
        is.
        """
        if self.by is not By.COLUMN:
            return observed_range(ratings)
        limits = limits_near(ratings)
        n = ratings.col_counts
        low, high = column_ranges(ratings)
        spread = np.where((low == high) & (n > 1), 0.0, self.of(ratings).std)
        lower = np.where(n > 0, np.maximum(limits.lower, low - spread), limits.lower)
        upper = np.where(n > 0, np.minimum(limits.upper, high + spread), limits.upper)
        return ColumnLimits(np.where((n > 0) & (low >= 0), np.maximum(lower, 0.0), lower), upper)

    def of(self, ratings: Ratings) -> SidedStandardization:
        """Returns the units of a matrix. Lines whose squares are not floats are counted in a unit
        of their own, a power of two."""
        powers = _extreme_powers(ratings, self.by)
        ordinary = ratings
        if powers.any():
            lines, _ = _lines(ratings, self.by)
            ordinary = ratings.with_values(
                np.ldexp(ratings.values.astype(np.float64), -powers[lines])
            )
        moments = _moments(ordinary, self.by)
        prior = LinePrior.of(*moments)
        mean, std = prior.units(*moments)
        return SidedStandardization(np.ldexp(mean, powers), np.ldexp(std, powers), self.by, prior)


@dataclass(frozen=True)
class LinePrior:
    """What the lines (columns, or rows) of a matrix have in common: each line's mean and spread are
    shrunk towards it.

    A line with few entries says little of its own mean and spread, and borrows from the others as
    much as the lines resemble each other (empirical Bayes). Where all lines have the same unit,
    each is drawn towards the common one; where units differ by orders of magnitude, next to nothing
    is borrowed. With n entries of mean m and variance v (d = n - 1 degrees of freedom), whose
    logarithm has the sampling variance trigamma(d / 2),

        log variance = lambda + omega^2 / (omega^2 + trigamma(d / 2)) (log v - digamma(d / 2) +
        log(d / 2) - lambda), mean = mu + tau^2 / (tau^2 + variance / n) (m - mu),

    in which mu, tau^2, lambda and omega^2 are estimated from all lines by moments. Variances are
    averaged as logarithms, since a sum would be that of the line with the largest unit. Source:
    Smyth (2004), "Linear models and empirical Bayes methods for assessing differential expression",
    Section 6.2; the rest is the usual random-effects estimate, twice.
    """

    mean: float  # mu, in rating units
    between: float  # tau^2, the variance between the lines' means, in rating units squared
    unit: float  # a power of two, in whose square variances are counted where logarithms are taken
    log_variance: float  # lambda
    log_between: float  # omega^2, the variance between the logarithms of the lines' variances

    @classmethod
    def of(cls, n: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> LinePrior:
        """Estimates it from numbers of entries, means and variances (n - 1 degrees of freedom) of
        lines, (L,) each."""
        seen = n > 0
        spread = (n > 1) & (variance > 0)
        centre = float(np.average(mean[seen], weights=n[seen])) if seen.any() else 0.0
        apart = float(np.var(mean[seen], ddof=1)) if seen.sum() > 1 else 0.0
        unit = _power_of_two(float(variance[spread].max()) if spread.any() else apart)
        if spread.any():
            log, noise = _log_variances(n[spread], variance[spread] / unit**2)
            typical = float(log.mean())
            differing = max(float(np.var(log) - noise.mean()), 0.0)
        else:  # no line shows a spread: it is taken to be little against that of the means
            typical = float(np.log(LITTLE * apart / unit**2 or 1.0))
            differing = 0.0
        errors = np.where(spread, variance, np.exp(typical) * unit**2)[seen] / n[seen]
        between = apart - float(errors.mean()) if seen.any() else 0.0
        return cls(centre, max(between, 0.0), unit, typical, differing)

    def units(
        self, n: np.ndarray, mean: np.ndarray, variance: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of each line, (L,) each, in rating units; those of no line
        where n is 0."""
        log_found = np.full(len(n), self.log_variance)
        several = n > 1
        least = LITTLE * np.exp(self.log_variance)  # for a line of one value
        log, noise = _log_variances(
            n[several], np.where(variance > 0, variance / self.unit**2, least)[several]
        )
        log_found[several] += (
            self.log_between / (self.log_between + noise) * (log - self.log_variance)
        )
        found = np.exp(log_found) * self.unit**2
        weight = self.between / (self.between + found / np.maximum(n, 1))
        return np.where(n > 0, self.mean + weight * (mean - self.mean), self.mean), np.sqrt(found)


@dataclass(frozen=True, eq=False)
class SidedStandardization(Standardization):
    """value = mean + std * standardised value, with mean and std (M,) of each column, or (N,) of
    each row."""

    mean: np.ndarray  # type: ignore[assignment]
    std: np.ndarray  # type: ignore[assignment]
    by: By
    prior: LinePrior  # gives new rows their units

    def at(self, rows: np.ndarray, cols: np.ndarray) -> Standardization:
        lines = cols if self.by is By.COLUMN else rows
        return Standardization(self.mean[lines], self.std[lines])

    def spread_block(self, rows: slice, cols: slice) -> np.ndarray:
        return self.std[cols][None] if self.by is By.COLUMN else self.std[rows][:, None]

    def of_new_rows(self, ratings: Ratings) -> SidedStandardization:
        """The units of other rows with the same columns: those of the columns, or of each row by
        its own entries."""
        if self.by is By.COLUMN:
            return self
        mean, std = self.prior.units(*_moments(ratings, By.ROW))
        return SidedStandardization(mean, std, By.ROW, self.prior)


def unit_rule(
    ratings: Ratings,
    trained: Standardization | None,
    trained_scale: RatingScale | None,
    scale_units: ScaleUnits | None = None,
    standardize: Standardize = "auto",
) -> UnitRule:
    """Returns the rule by which a matrix is standardised before a pretrained model reads it.

    ``trained`` and ``trained_scale`` are units and rating scale of the data that the model was
    trained on, None for a model that was trained on matrices in units of their own; ``scale_units``
    is what such a model knows of ratings on a known scale. ``standardize``: 'checkpoint' takes
    ``trained``, 'matrix' the units of the observed entries, 'columns' and 'rows' those of each
    column or row. 'auto' takes ``trained`` if the matrix's rating scale, or else the range of its
    entries, fills at least half of ``trained_scale`` and does not leave it; without ``trained``, a
    known rating scale weighs in by ``scale_units``. ValueError if units of the training data are
    asked for, and there are none.
    """
    if standardize in ("columns", "rows"):
        return SidedUnits(By.COLUMN if standardize == "columns" else By.ROW)
    if trained is None:
        if standardize == "checkpoint":
            raise ValueError(
                "the checkpoint has no units of its own: use standardize='matrix' or 'auto'"
            )
        if standardize == "auto" and scale_units is not None and ratings.scale is not None:
            return scale_units
        return OwnUnits()
    if standardize == "checkpoint":
        return FixedUnits(trained, trained_scale)
    scale = ratings.scale or observed_range(ratings)
    if standardize != "auto" or trained_scale is None or scale is None:
        return OwnUnits()
    within = trained_scale.minimum <= scale.minimum and scale.maximum <= trained_scale.maximum
    half = (trained_scale.maximum - trained_scale.minimum) / 2
    if within and scale.maximum - scale.minimum >= half:
        return FixedUnits(trained, trained_scale)
    return OwnUnits()


def _lines(ratings: Ratings, by: By) -> tuple[np.ndarray, int]:
    """The row, or the column, of each entry (nnz,), and the number of them."""
    if by is By.COLUMN:
        return ratings.cols, ratings.n_cols
    return ratings.rows, ratings.n_rows


def _moments(ratings: Ratings, by: By) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number of entries, mean and variance of each line, (L,) each; the variance has n - 1 degrees
    of freedom, and is 0 below two entries and where rounding alone tells them apart."""
    lines, size = _lines(ratings, by)
    values = ratings.values.astype(np.float64)
    n = np.bincount(lines, minlength=size).astype(np.float64)
    mean = np.bincount(lines, values, size) / np.maximum(n, 1)
    variance = np.bincount(lines, (values - mean[lines]) ** 2, size) / np.maximum(n - 1, 1)
    return n, mean, np.where(variance > (LITTLE_SPREAD * mean) ** 2, variance, 0.0)


def _extreme_powers(ratings: Ratings, by: By) -> np.ndarray:
    """(L,) the power of two, in steps of ``POWER_STEP``, of the largest number of each line; 0 of
    all lines whose squares are ordinary floats."""
    lines, size = _lines(ratings, by)
    largest = np.zeros(size)
    np.maximum.at(largest, lines, np.abs(ratings.values.astype(np.float64)))
    steps = np.rint(np.frexp(largest)[1] / POWER_STEP).astype(int)
    return np.where(largest > 0, POWER_STEP * steps, 0)


def _power_of_two(variance: float) -> float:
    """The root of a variance but for a factor of at most two, exact in floats: where it is taken as
    the unit, a change of units by a power of two changes no digit. 1 for no variance."""
    return float(np.ldexp(1.0, int(np.frexp(variance)[1]) // 2)) if variance > 0 else 1.0


def _log_variances(n: np.ndarray, variance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unbiased logarithms of variances of n > 1 normal entries, and their sampling variances."""
    from scipy.special import (
        digamma,
        polygamma,
    )  # takes a quarter of a second, which --help does without

    half = (n - 1) / 2
    return np.log(variance) - digamma(half) + np.log(half), polygamma(1, half)
