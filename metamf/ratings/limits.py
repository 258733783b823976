"""Limits of estimates: each column stays near what was observed in it, or all of them in the range of what was
observed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale

MANY = 10  # observed entries of a column that tell where it lies on a scale that is known


@dataclass(frozen=True, eq=False)
class ColumnLimits:
    """The lowest and the highest estimate of each column, in its own units.

    With n observed entries between a and b the limits are a - (b - a) / (n - 1) and b + (b - a) / (n - 1), the unbiased
    estimates of the ends of a uniform distribution: of two entries nothing much is known, of fifty the ends are near.
    They do not leave the range of all that is observed. A column with fewer than two different entries has that range.

    Parameters
    ----------
    lower, upper : ndarray of shape (M,)
        In rating units.
    """

    lower: np.ndarray
    upper: np.ndarray

    @classmethod
    def of(cls, ratings: Ratings) -> ColumnLimits:
        """The limits of a matrix; ValueError if nothing is observed."""
        if not ratings.nnz:
            raise ValueError("limits of columns need an observed entry")
        values = ratings.values.astype(np.float64)
        n = np.bincount(ratings.cols, minlength=ratings.n_cols)
        low, high = np.full(ratings.n_cols, np.inf), np.full(ratings.n_cols, -np.inf)
        np.minimum.at(low, ratings.cols, values)
        np.maximum.at(high, ratings.cols, values)
        few = low >= high  # fewer than two different entries
        low, high = np.where(few, values.min(), low), np.where(few, values.max(), high)
        margin = np.where(few, 0.0, (high - low) / np.maximum(n - 1, 1))
        lower, upper = low - margin, high + margin
        return cls(np.maximum(lower, values.min()), np.minimum(upper, values.max()))

    @classmethod
    def on_scale(cls, ratings: Ratings, scale: RatingScale) -> ColumnLimits:
        """The limits of a matrix on a rating scale: those of the scale, and for a column with ``MANY`` entries those
        of ``of``, so that a column of 1 to 3 on a scale to 100 is filled in with about 1 to 3."""
        near, n = cls.of(ratings), np.bincount(ratings.cols, minlength=ratings.n_cols)
        many = n >= MANY
        lower = np.where(many, np.maximum(near.lower, scale.minimum), scale.minimum)
        return cls(lower, np.where(many, np.minimum(near.upper, scale.maximum), scale.maximum))

    def clip(self, values: np.ndarray) -> np.ndarray:
        """Estimates of all columns (..., M), in rating units, moved to the nearest limit where they exceed it."""
        return np.clip(values, self.lower, self.upper)

    def clip_at(self, values: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """The same for estimates at cells; values and positions of shapes that broadcast."""
        return np.clip(values, self.lower[cols], self.upper[cols])


def observed_range(ratings: Ratings) -> RatingScale | None:
    """The range from the lowest to the highest observed rating; None if they are one value."""
    low, high = float(ratings.values.min()), float(ratings.values.max())
    return RatingScale(low, high) if low < high else None
