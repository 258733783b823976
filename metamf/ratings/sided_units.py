"""Units by column, or by row: each column of a table of measurements has a mean and a spread of its own.

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

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import digamma, polygamma

from metamf.ratings.limits import ColumnLimits, observed_range
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import By, Standardization

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
    half = (n - 1) / 2
    return np.log(variance) - digamma(half) + np.log(half), polygamma(1, half)
