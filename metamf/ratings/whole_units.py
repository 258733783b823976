"""Rules by which all cells of a matrix have the same units: the one place that decides them.

The paper (Section 4.1) takes the mean and the standard deviation of the whole data set. Here ``unit_rule`` chooses,
once per matrix, between those of the data that a checkpoint was trained on (``FixedUnits``), those of the matrix's own
observed entries (``OwnUnits``), and the latter drawn towards what a known rating scale suggests (``ScaleUnits``).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metamf.ratings.limits import observed_range
from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale
from metamf.ratings.units import LITTLE_SPREAD, By, OneValue, Standardization, Standardize, UnitRule


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
