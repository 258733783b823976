"""Limits of ratings and estimates: the stated rating scale, and the range of what was observed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale

REMEDY = "correct it, or give another scale, or none"
MANY = 10  # observed entries of a column that show where it lies on a known scale


class OutsideScaleError(ValueError):
    """An observed rating lies outside the stated rating scale.

    ``row``, ``col`` and ``value`` are those of the first such rating, ``number`` counts all of them, and ``remedy`` is
    the advice at the end of the message.
    """

    def __init__(self, row: int, col: int, value: float, number: int, scale: RatingScale, remedy: str = REMEDY):
        super().__init__(row, col, value, number, scale, remedy)  # all of them, so that the error can be pickled
        self.row = row
        self.col = col
        self.value = value
        self.number = number
        self.scale = scale
        self.remedy = remedy

    def __str__(self) -> str:
        others = f" ({self.number:,} such ratings in all)" if self.number > 1 else ""
        return (
            f"rating {self.value:g} in cell ({self.row}, {self.col}) lies outside the scale {self.scale.minimum:g} to "
            f"{self.scale.maximum:g}{others}: {self.remedy}"
        )


def outside_scale(ratings: Ratings, scale: RatingScale | None) -> np.ndarray:
    """(nnz,) Whether each rating lies outside ``scale``; none does if it is None."""
    if scale is None:
        return np.zeros(ratings.nnz, dtype=bool)
    return (ratings.values < scale.minimum) | (ratings.values > scale.maximum)


def check_on_scale(ratings: Ratings, scale: RatingScale | None, remedy: str = REMEDY) -> None:
    """Raises OutsideScaleError, with ``remedy`` as its advice, if a rating lies outside ``scale``."""
    outside = np.flatnonzero(outside_scale(ratings, scale))
    if scale is not None and outside.size:
        first = outside[0]
        row = int(ratings.rows[first])
        col = int(ratings.cols[first])
        value = float(ratings.values[first])
        raise OutsideScaleError(row, col, value, outside.size, scale, remedy)


def with_scale(ratings: Ratings, scale: tuple[float, float] | RatingScale | None) -> Ratings:
    """Returns the same ratings with a rating scale, which may be given as a pair (minimum, maximum).

    ValueError if ``scale`` is neither a pair of numbers nor a RatingScale nor None, OutsideScaleError if a rating lies
    outside it.
    """
    if scale is not None and not isinstance(scale, RatingScale):
        pair = isinstance(scale, tuple | list) and len(scale) == 2 and all(isinstance(end, Real) for end in scale)
        if not pair:
            raise ValueError(f"scale must be a pair (minimum, maximum), a RatingScale or None, got {scale!r}")
        scale = RatingScale(*map(float, scale))
    check_on_scale(ratings, scale)
    return replace(ratings, scale=scale)


@dataclass(frozen=True, eq=False)
class ColumnLimits:
    """The lowest and the highest estimate of each column, (M,) each, in rating units.

    With n observed entries between a and b the limits are a - (b - a) / (n - 1) and b + (b - a) / (n - 1), the unbiased
    estimates of the ends of a uniform distribution: the limits tighten as entries accumulate. They do not
    leave the range of all that is observed. A column with fewer than two different entries has that range.
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
        low = np.full(ratings.n_cols, np.inf)
        high = np.full(ratings.n_cols, -np.inf)
        np.minimum.at(low, ratings.cols, values)
        np.maximum.at(high, ratings.cols, values)
        few = low >= high  # fewer than two different entries
        low = np.where(few, values.min(), low)
        high = np.where(few, values.max(), high)
        margin = np.where(few, 0.0, (high - low) / np.maximum(n - 1, 1))
        return cls(np.maximum(low - margin, values.min()), np.minimum(high + margin, values.max()))

    @classmethod
    def on_scale(cls, ratings: Ratings, scale: RatingScale) -> ColumnLimits:
        """The limits of a matrix on a rating scale: those of the scale, and for a column with ``MANY`` entries those
        of ``of``, so that a column of 1 to 3 on a scale to 100 is filled in with about 1 to 3."""
        near = cls.of(ratings)
        n = np.bincount(ratings.cols, minlength=ratings.n_cols)
        many = n >= MANY
        lower = np.where(many, np.maximum(near.lower, scale.minimum), scale.minimum)
        return cls(lower, np.where(many, np.minimum(near.upper, scale.maximum), scale.maximum))

    def of_columns(self, cols: slice) -> ColumnLimits:
        """The limits of some of the columns."""
        return ColumnLimits(self.lower[cols], self.upper[cols])

    def clip(self, values: np.ndarray) -> np.ndarray:
        """Moves estimates of all columns (..., M), in rating units, to the nearest limit where they exceed it."""
        return np.clip(values, self.lower, self.upper)

    def clip_at(self, values: np.ndarray, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """The same for estimates at cells; values and positions of shapes that broadcast."""
        return np.clip(values, self.lower[cols], self.upper[cols])


def observed_range(ratings: Ratings) -> RatingScale | None:
    """The range from the lowest to the highest observed rating; None if they are one value."""
    low = float(ratings.values.min())
    high = float(ratings.values.max())
    return RatingScale(low, high) if low < high else None


def limits_of(ratings: Ratings, own_units: bool = False) -> RatingScale | ColumnLimits | None:
    """The limits of estimates of a table: its scale, and near the ratings of a column that has many; where no scale is
    known, those of each column if columns have units of their own, and otherwise the range of what was observed."""
    if ratings.scale is not None:
        return ColumnLimits.on_scale(ratings, ratings.scale)
    return ColumnLimits.of(ratings) if own_units else observed_range(ratings)


def clipped(values: np.ndarray, scale: RatingScale | ColumnLimits | None) -> np.ndarray:
    """``values`` clipped to a scale, if it is known."""
    return values if scale is None else scale.clip(values)
