"""Units by column, or by row: each column of a table of measurements has a mean and a spread of its own.

A column with few entries says little of its own mean and spread, and borrows from the others as much as the columns
resemble each other (empirical Bayes). Where all columns have the same unit, their means and variances are alike and
each is drawn towards the common one; where each has a unit of its own, they differ by orders of magnitude and nothing
is borrowed. With n entries of mean m and variance v (n - 1 degrees of freedom), and d_0, s_0^2, mu, tau^2 estimated
from all columns,

    variance = (d_0 s_0^2 + (n - 1) v) / (d_0 + n - 1),      mean = mu + tau^2 / (tau^2 + variance / n) (m - mu).

Source: the prior of the variances is Smyth (2004), "Linear models and empirical Bayes methods for assessing
differential expression", Section 6.2 (moments of the log variances); that of the means is the usual random-effects one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from scipy.special import digamma, polygamma

from metamf.ratings.matrix import Ratings
from metamf.ratings.units import LITTLE_SPREAD, Standardization


class By(IntEnum):
    """The side of a matrix whose lines have units of their own."""

    ROW = 0
    COLUMN = 1


@dataclass(frozen=True)
class Likeness:
    """How alike the lines (rows, or columns) of a matrix are: the prior that each borrows from.

    Attributes
    ----------
    mean, between : float
        Mean of the lines' means, and variance between them, in rating units and their square.
    variance, degrees : float
        Typical variance of a line, and the number of degrees of freedom that it is worth; infinite where all lines
        have the same variance, 0 where they have nothing in common.
    """

    mean: float
    between: float
    variance: float
    degrees: float

    @classmethod
    def of(cls, n: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> Likeness:
        """Estimated from numbers of entries, means and variances (n - 1 degrees of freedom) of all lines, (L,) each."""
        seen, spread = n > 0, (n > 1) & (variance > 0)
        centre = float(np.average(mean[seen], weights=n[seen])) if seen.any() else 0.0
        typical, degrees = _variance_prior(n[spread] - 1.0, variance[spread])
        noise = np.where(spread, variance, typical)[seen] / n[seen]
        between = float(np.var(mean[seen], ddof=1) - noise.mean()) if seen.sum() > 1 else 0.0
        return cls(centre, max(between, 0.0), typical, degrees)

    def units(self, n: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of each line, (L,) each, in rating units; those of no line where n is 0."""
        own = np.maximum(n - 1, 0)
        if np.isinf(self.degrees):
            found = np.full(len(n), self.variance)
        else:
            total = self.degrees + own
            found = np.where(
                total > 0, (self.degrees * self.variance + own * variance) / np.maximum(total, 1e-300), self.variance
            )
        weight = self.between / np.maximum(self.between + found / np.maximum(n, 1), 1e-300)
        centre = np.where(n > 0, self.mean + weight * (mean - self.mean), self.mean)
        little = np.sqrt(found) <= LITTLE_SPREAD * np.maximum(np.abs(mean), 1e-300)
        return np.where(little & (n > 0), mean, centre), np.where(little, 0.0, np.sqrt(found))


@dataclass(frozen=True, eq=False)
class SidedStandardization(Standardization):
    """value = mean + std * standardised value, with a mean and a std for each column, or for each row.

    Parameters
    ----------
    mean, std : ndarray of shape (M,) or (N,)
        In the units of each line; a std of 0 says that every estimate of the line is its mean.
    by : By
        Whose they are.
    likeness : Likeness
        How alike the lines are, which gives new rows their units.
    """

    mean: np.ndarray
    std: np.ndarray
    by: By
    likeness: Likeness

    def apply_at(self, values: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Rating units -> standardised units, at cells."""
        mean, std = self._at(rows, cols)
        return (values - mean) / np.where(std > 0, std, 1.0)

    def undo_at(self, values: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Standardised units -> rating units, at cells."""
        mean, std = self._at(rows, cols)
        return values * std + mean

    def spread_at(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """The standard deviation at cells, in rating units."""
        return self._at(rows, cols)[1]

    def spread_block(self, rows: slice, cols: slice) -> np.ndarray:
        """The same at all cells of some rows and columns, (1, m) or (n, 1)."""
        return self.std[cols][None] if self.by is By.COLUMN else self.std[rows][:, None]

    def of_new_rows(self, ratings: Ratings) -> SidedStandardization:
        """The units of other rows with the same columns: those of the columns, or of each row by its own entries."""
        if self.by is By.COLUMN:
            return self
        units = self.likeness.units(*_moments(ratings, By.ROW))
        return SidedStandardization(*units, By.ROW, self.likeness)

    def _at(self, rows: np.ndarray, cols: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        lines = cols if self.by is By.COLUMN else rows
        return self.mean[lines], self.std[lines]


@dataclass(frozen=True)
class SidedUnits:
    """A rule for units (``metamf.ratings.units.UnitRule``): each column, or each row, has its own.

    Parameters
    ----------
    by : By
        Whose units they are.
    """

    by: By

    def of(self, ratings: Ratings) -> SidedStandardization:
        """The units of one matrix."""
        moments = _moments(ratings, self.by)
        likeness = Likeness.of(*moments)
        return SidedStandardization(*likeness.units(*moments), self.by, likeness)

    def without_each(self, ratings: Ratings, kept: np.ndarray, row: int, col: int) -> tuple[np.ndarray, ...]:
        """As ``UnitRule.without_each``: every copy of the matrix is read in units of its own."""
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


def _variance_prior(degrees: np.ndarray, variance: np.ndarray) -> tuple[float, float]:
    """s_0^2 and d_0 by the moments of the log variances, Smyth (2004), Section 6.2."""
    if not len(variance):
        return 1.0, np.inf
    log = np.log(variance) - digamma(degrees / 2) + np.log(degrees / 2)
    if len(variance) == 1:
        return float(np.exp(log[0])), 0.0
    excess = float(np.var(log, ddof=1) - polygamma(1, degrees / 2).mean())
    if excess <= 0:
        return float(np.exp(log.mean())), np.inf
    d = 2 * _inverse_trigamma(excess)
    return float(np.exp(log.mean() + digamma(d / 2) - np.log(d / 2))), d


def _inverse_trigamma(value: float) -> float:
    """y with trigamma(y) = value, by Newton's method on 1 / trigamma, which is nearly linear."""
    y = 0.5 + 1 / value
    for _ in range(50):
        trigamma = polygamma(1, y)
        step = trigamma * (1 - trigamma / value) / polygamma(2, y)
        y += step
        if -step / y < 1e-8:
            break
    return float(y)
