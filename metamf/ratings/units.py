"""The units that a matrix is read in: those of its own ratings, or those of the data that a checkpoint was trained on.

Units are a mean and a standard deviation. The paper (Section 4.1) takes those of the whole data set.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from metamf.checkpoints.checkpoint import CheckpointInfo
from metamf.ratings.matrix import Ratings, RatingScale, Standardization


def units_for(ratings: Ratings, info: CheckpointInfo) -> Standardization:
    """Those of the data that parameters were meta-trained on, where the matrix's rating scale, or else the range of its
    ratings, fits them; otherwise the mean and spread of its own ratings."""
    scale = ratings.scale or observed_range(ratings)
    return info.standardization if _fills(scale, info.scale) else own_units(ratings.values)


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
