"""The units that a matrix is read in: those of its own ratings, or those of the data that a checkpoint was trained on.

Units are a mean and a standard deviation. The paper (Section 4.1) takes those of the whole data set.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale


@dataclass(frozen=True)
class Standardization:
    """value = mean + std * standardised value; ``std`` is 1 where there is no spread to divide by."""

    mean: float
    std: float

    @classmethod
    def of(cls, values: np.ndarray) -> Standardization:
        """Zero mean and unit variance on ``values``; no values: the identity."""
        if values.size == 0:
            return cls(0.0, 1.0)
        mean, std = float(values.mean(dtype=np.float64)), float(values.std(dtype=np.float64))
        spread = std > 1e-12 * max(abs(mean), float(np.abs(values).max()))
        return cls(mean, std if spread else 1.0)

    def apply(self, values):
        """Rating units -> standardised units."""
        return (values - self.mean) / self.std

    def undo(self, values):
        """Standardised units -> rating units."""
        return values * self.std + self.mean


@dataclass(frozen=True)
class ScaleUnits:
    """``mean``, ``variance``: of ratings, in shares of the scale's length and of its square; ``mean_weight``,
    ``variance_weight``: how many observed entries that knowledge is worth."""

    mean: float = 0.5
    variance: float = 1 / 12
    mean_weight: float = 1.0
    variance_weight: float = 1.0

    def __post_init__(self):
        for name in ("variance", "mean_weight", "variance_weight"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")

    def of(self, ratings: Ratings) -> Standardization:
        """The units of a matrix; without a known scale the mean and standard deviation of its observed entries."""
        if ratings.scale is None:
            return Standardization.of(ratings.values)
        mean, std = self.moments(ratings.values, ratings.scale)
        return Standardization(float(mean), float(std))

    def moments(self, values: np.ndarray, scale: RatingScale) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation, in rating units, of observed entries along the last axis."""
        length, n = scale.maximum - scale.minimum, values.shape[-1]
        share = (values.astype(np.float64) - scale.minimum) / length
        mean = (share.sum(-1) + self.mean_weight * self.mean) / (n + self.mean_weight)
        squares = ((share - mean[..., None]) ** 2).sum(-1) + self.variance_weight * self.variance
        return scale.minimum + length * mean, length * np.sqrt(squares / (n + self.variance_weight))


def units_for(ratings: Ratings, trained: Standardization, trained_scale: RatingScale) -> Standardization:
    """``trained``, the units of the data that parameters were meta-trained on, where the matrix's rating scale, or else
    the range of its ratings, fits ``trained_scale``; otherwise the mean and spread of its own ratings."""
    scale = ratings.scale or observed_range(ratings)
    return trained if _fills(scale, trained_scale) else own_units(ratings.values)


def with_scale(ratings: Ratings, scale: tuple[float, float] | RatingScale) -> Ratings:
    """The same ratings, of which the scale is known. Raises ValueError for one that is none, or that they leave."""
    if not isinstance(scale, RatingScale):
        if not isinstance(scale, tuple | list) or len(scale) != 2:
            raise ValueError(f"scale must be a pair (minimum, maximum), a RatingScale or None, got {scale!r}")
        scale = RatingScale(*map(float, scale))
    outside = (ratings.values < scale.minimum) | (ratings.values > scale.maximum)
    if outside.any():
        value, ends = ratings.values[outside][0].item(), f"{scale.minimum:g} to {scale.maximum:g}"
        raise ValueError(f"rating {value:g} lies outside the scale {ends}: give another scale, or none")
    return replace(ratings, scale=scale)


def _fills(scale: RatingScale | None, trained: RatingScale) -> bool:
    """Whether ``scale`` lies within the scale of the training data and takes up half of it, at least."""
    return (
        scale is not None
        and trained.minimum <= scale.minimum
        and scale.maximum <= trained.maximum
        and scale.maximum - scale.minimum >= (trained.maximum - trained.minimum) / 2
    )


def observed_range(ratings: Ratings) -> RatingScale | None:
    low, high = float(ratings.values.min()), float(ratings.values.max())
    return RatingScale(low, high) if low < high else None


class OneValue(Standardization):
    """The units of a matrix in which nothing varies: every estimate is its one value."""

    def undo(self, values):
        return np.full_like(values, self.mean)


def own_units(values: np.ndarray) -> Standardization:
    """Zero mean and unit variance on ``values``."""
    largest = float(np.abs(values).max()) or 1.0
    unit = values.astype(np.float64) / largest  # squares of very large or very small numbers leave the range of floats
    mean, std = float(unit.mean()) * largest, float(unit.std())
    return Standardization(mean, std * largest) if std > 1e-12 else OneValue(mean, 1.0)
