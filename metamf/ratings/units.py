"""The units that a matrix is read in: the one place that decides them.

Units are a mean and a standard deviation (``Standardization``). The paper (Section 4.1) takes those of the whole data
set. Here ``unit_rule`` chooses, once per matrix, between those of the data that a checkpoint was trained on
(``FixedUnits``), those of the matrix's own observed entries (``OwnUnits``), and the latter drawn towards what a known
rating scale suggests (``ScaleUnits``). A rule gives the units of one matrix, or of many that differ by an entry.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale

Standardize = Literal["auto", "checkpoint", "matrix", "columns", "rows", "chosen"]
LITTLE_SPREAD = 1e-12  # standard deviation, in shares of the largest number, below which all numbers count as one value


@dataclass(frozen=True)
class Standardization:
    """value = mean + std * standardised value.

    Parameters
    ----------
    mean : float
        In rating units.
    std : float
        In rating units; 1 where there is no spread to divide by.
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

    def spread_at(self, rows: np.ndarray, cols: np.ndarray) -> float | np.ndarray:
        """What a standardised unit is in rating units, at cells; 0 where nothing varies."""
        return self.std

    def spread_block(self, rows: slice, cols: slice) -> float | np.ndarray:
        """The same at all cells of some rows and columns, of a shape that broadcasts to theirs."""
        return self.std

    def of_new_rows(self, ratings: Ratings) -> Standardization:
        """The units of other rows with the same columns."""
        return self


class OneValue(Standardization):
    """The units of a matrix in which nothing varies: every estimate is its one value."""

    def undo(self, values: Any) -> Any:
        """The one value, whatever ``values`` are."""
        return np.full_like(values, self.mean)

    def spread_at(self, rows: np.ndarray, cols: np.ndarray) -> float:
        """0: nothing varies."""
        return 0.0

    def spread_block(self, rows: slice, cols: slice) -> float:
        """0: nothing varies."""
        return 0.0


class UnitRule(Protocol):
    """How the units of a matrix follow from its observed entries."""

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

    @abstractmethod
    def moments(self, values: np.ndarray, scale: RatingScale | None) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation, in rating units, of observed entries along the last axis; a standard deviation
        of 0 says that every estimate is the mean."""

    def without_each(self, ratings: Ratings, kept: np.ndarray, row: int, col: int) -> tuple[np.ndarray, ...]:
        """As ``UnitRule.without_each``."""
        values = ratings.values.astype(np.float64)[kept]
        mean, std = self.moments(values, ratings.scale)
        return (values - mean[:, None]) / np.where(std > 0, std, 1)[:, None], mean, std


@dataclass(frozen=True)
class FixedUnits(WholeUnits):
    """The same units for every matrix.

    Parameters
    ----------
    standardization : Standardization
        Those units, in rating units.
    """

    standardization: Standardization

    def of(self, ratings: Ratings) -> Standardization:
        """The fixed units."""
        return self.standardization

    def moments(self, values: np.ndarray, scale: RatingScale | None) -> tuple[np.ndarray, np.ndarray]:
        """The fixed mean and standard deviation, one pair for each set of entries along the last axis."""
        shape = values.shape[:-1]
        return np.full(shape, self.standardization.mean), np.full(shape, self.standardization.std)


@dataclass(frozen=True)
class OwnUnits(WholeUnits):
    """Zero mean and unit variance on the observed entries of each matrix; ``OneValue`` where nothing varies."""

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
        How many observed entries that knowledge of the mean, and of the variance, is worth.

    Raises
    ------
    ValueError
        If the variance or a weight is not positive.
    """

    mean: float = 0.5
    variance: float = 1 / 12
    mean_weight: float = 1.0
    variance_weight: float = 1.0

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
        What the latter knows of ratings on a known scale.
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


def observed_range(ratings: Ratings) -> RatingScale | None:
    """The range from the lowest to the highest observed rating; None if they are one value."""
    low, high = float(ratings.values.min()), float(ratings.values.max())
    return RatingScale(low, high) if low < high else None
