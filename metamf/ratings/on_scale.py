"""Ratings and the rating scale that is stated for them: whether they lie on it."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale

REMEDY = "correct it, or give another scale, or none"


class OutsideScaleError(ValueError):
    """An observed rating lies outside the stated rating scale.

    Parameters
    ----------
    row, col : int
        Position of the first such rating, from 0.
    value : float
        The first such rating.
    number : int
        Number of observed ratings outside the scale.
    scale : RatingScale
        The stated scale.
    remedy : str
        Advice to the caller, for the message.
    """

    def __init__(self, row: int, col: int, value: float, number: int, scale: RatingScale, remedy: str = REMEDY):
        super().__init__(row, col, value, number, scale, remedy)  # all of them: an error comes back from workers whole
        self.row, self.col, self.value, self.number, self.scale, self.remedy = row, col, value, number, scale, remedy

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
    """Makes sure that all ratings lie on a scale.

    Parameters
    ----------
    ratings : Ratings
        The ratings, in rating units, whatever scale they have themselves.
    scale : RatingScale or None
        The stated scale; None: there is nothing to check.
    remedy : str
        Advice to the caller, for the message.

    Raises
    ------
    OutsideScaleError
        If a rating lies outside the scale.
    """
    outside = np.flatnonzero(outside_scale(ratings, scale))
    if scale is not None and outside.size:
        first = outside[0]
        row, col, value = int(ratings.rows[first]), int(ratings.cols[first]), float(ratings.values[first])
        raise OutsideScaleError(row, col, value, outside.size, scale, remedy)


def with_scale(ratings: Ratings, scale: tuple[float, float] | RatingScale | None) -> Ratings:
    """The same ratings, with a rating scale that they lie on.

    Parameters
    ----------
    ratings : Ratings
        The ratings, in rating units.
    scale : (float, float) or RatingScale or None
        Lowest and highest rating; None if they are not known.

    Raises
    ------
    ValueError
        If ``scale`` is neither a pair of numbers nor a RatingScale nor None.
    OutsideScaleError
        If a rating lies outside it.
    """
    if scale is not None and not isinstance(scale, RatingScale):
        if not isinstance(scale, tuple | list) or len(scale) != 2:
            raise ValueError(f"scale must be a pair (minimum, maximum), a RatingScale or None, got {scale!r}")
        if not all(isinstance(end, Real) for end in scale):
            raise ValueError(f"scale must be a pair of numbers (minimum, maximum), got {scale!r}")
        scale = RatingScale(*map(float, scale))
    check_on_scale(ratings, scale)
    return replace(ratings, scale=scale)
