"""The units that a matrix is read in, and what is known of every rule that gives them.

Units are a mean and a standard deviation (``Standardization``). A rule gives the units of one matrix, or of many that
differ by an entry: ``metamf.ratings.whole_units`` has those by which all cells have the same units, and
``metamf.ratings.sided_units`` those by which each column, or each row, has its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Literal, Protocol

import numpy as np

from metamf.ratings.limits import ColumnLimits
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
        """Whether the matrix's own entries may replace this rule by one of lines (``metamf.imputer.choice``)."""

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
