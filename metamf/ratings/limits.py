"""Limits of ratings and estimates: the stated rating scale, and the range of what was observed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import ColumnLimits, RatingScale

REMEDY = "correct it, or give another scale, or none"
MANY = 10  # observed entries of a column that show where it lies on a known scale


@dataclass(eq=False)
class OutsideScaleError(ValueError):
    """An observed rating lies outside the stated rating scale.

    ``row``, ``col`` and ``value`` are those of the first such rating, ``number`` counts all of
    them, and ``remedy`` is the advice at the end of the message.
    """

    row: int
    col: int
    value: float
    number: int
    scale: RatingScale
    remedy: str = REMEDY

    def __str__(self) -> str:
        others = f" ({self.number:,} such ratings in all)" if self.number > 1 else ""
        return (
            f"rating {self.value:g} in cell ({self.row}, {self.col}) lies outside the scale "
            f"{self.scale.minimum:g} to {self.scale.maximum:g}{others}: {self.remedy}"
        )


def outside_scale(ratings: Ratings, scale: RatingScale | None) -> np.ndarray:
    """(nnz,) Whether each rating lies outside ``scale``; none does if it is None."""
    if scale is None:
        return np.zeros(ratings.nnz, dtype=bool)
    return (ratings.values < scale.minimum) | (ratings.values > scale.maximum)


def check_on_scale(ratings: Ratings, scale: RatingScale | None, remedy: str = REMEDY) -> None:
    """Raises OutsideScaleError, with ``remedy`` as its advice, if a rating lies outside
    ``scale``."""
    outside = np.flatnonzero(outside_scale(ratings, scale))
    if scale is not None and outside.size:
        cells = zip(ratings.rows[outside].tolist(), ratings.cols[outside].tolist())
        value = float(ratings.values[outside[0]])
        raise OutsideScaleError(*next(cells), value, outside.size, scale, remedy)


def with_scale(ratings: Ratings, scale: tuple[float, float] | RatingScale | None) -> Ratings:
    """Returns the same ratings with a rating scale, which may be given as a pair (minimum,
    maximum).

    ValueError if ``scale`` is neither a pair of numbers nor a RatingScale nor None,
    OutsideScaleError if a rating lies outside it.
    """
    if isinstance(scale, tuple | list) and [isinstance(end, Real) for end in scale] == [True, True]:
        scale = RatingScale(*map(float, scale))
    if not isinstance(scale, RatingScale | None):
        raise ValueError(
            f"scale must be a pair (minimum, maximum), a RatingScale or None, got {scale!r}"
        )
    check_on_scale(ratings, scale)
    return replace(ratings, scale=scale)


def limits_near(ratings: Ratings) -> ColumnLimits:
    """The limits of each column near its observed entries; ValueError if nothing is observed.

    With n observed entries between a and b the limits are a - (b - a) / (n - 1) and
    b + (b - a) / (n - 1), the unbiased estimates of the ends of a uniform distribution: the limits
    tighten as entries accumulate. They do not leave the range of all that is observed. A column
    with fewer than two different entries has that range.
    """
    if not ratings.nnz:
        raise ValueError("limits of columns need an observed entry")
    lowest = float(ratings.values.min())
    highest = float(ratings.values.max())
    low, high = column_ranges(ratings)
    few = low >= high  # fewer than two different entries
    low = np.where(few, lowest, low)
    high = np.where(few, highest, high)
    margin = np.where(few, 0.0, (high - low) / np.maximum(ratings.col_counts - 1, 1))
    return ColumnLimits(np.maximum(low - margin, lowest), np.minimum(high + margin, highest))


def column_ranges(ratings: Ratings) -> tuple[np.ndarray, np.ndarray]:
    """(M,), (M,) the lowest and the highest observed entry of each column; inf and -inf where there
    is none."""
    low = np.full(ratings.n_cols, np.inf)
    high = np.full(ratings.n_cols, -np.inf)
    np.minimum.at(low, ratings.cols, ratings.values)
    np.maximum.at(high, ratings.cols, ratings.values)
    return low, high


def limits_near_on(ratings: Ratings, scale: RatingScale) -> ColumnLimits:
    """The limits of a matrix on a rating scale: those of the scale, and for a column with ``MANY``
    entries those near them, so that a column of 1 to 3 on a scale to 100 is filled in with about 1
    to 3."""
    near = limits_near(ratings)
    many = ratings.col_counts >= MANY
    lower = np.where(many, near.lower, scale.minimum)
    upper = np.where(many, near.upper, scale.maximum)
    return ColumnLimits(lower, upper).within(scale)


def observed_range(ratings: Ratings) -> RatingScale | None:
    """The range from the lowest to the highest observed rating; None if they are one value."""
    low = float(ratings.values.min())
    high = float(ratings.values.max())
    return RatingScale(low, high) if low < high else None


def known_limits(ratings: Ratings) -> RatingScale | ColumnLimits | None:
    """What is known of the values that cells can have: the rating scale, the limits of the columns,
    or both."""
    if ratings.limits is None:
        return ratings.scale
    return ratings.limits if ratings.scale is None else ratings.limits.within(ratings.scale)


def limited(
    limits: RatingScale | ColumnLimits | None, ratings: Ratings
) -> RatingScale | ColumnLimits | None:
    """Limits of estimates of a table, moved into the known ones of its columns, if there are
    any."""
    if ratings.limits is None:
        return limits
    if limits is None:
        return ratings.limits
    if isinstance(limits, RatingScale):
        M = ratings.n_cols
        limits = ColumnLimits(np.full(M, limits.minimum), np.full(M, limits.maximum))
    return limits.within(ratings.limits)


def limits_of(ratings: Ratings, own_units: bool = False) -> RatingScale | ColumnLimits | None:
    """The limits of estimates of a table: its scale, and near the ratings of a column that has
    many; where no scale is known, those of each column if columns have units of their own, and
    otherwise the range of what was observed. All within the known limits of the columns."""
    if ratings.scale is not None:
        return limited(limits_near_on(ratings, ratings.scale), ratings)
    return limited(limits_near(ratings) if own_units else observed_range(ratings), ratings)


def clipped(values: np.ndarray, scale: RatingScale | ColumnLimits | None) -> np.ndarray:
    """``values`` clipped to a scale, if it is known."""
    return values if scale is None else scale.clip(values)
