"""Observed ratings that lie outside the stated rating scale: an error, unless the caller says what becomes of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from metamf.ratings.matrix import Ratings
from metamf.ratings.scale import RatingScale

Outside = Literal["error", "nearest", "hide"]
OUTSIDE: tuple[Outside, ...] = ("error", "nearest", "hide")


class OutsideScaleError(ValueError):
    """An observed rating lies outside the stated rating scale.

    Attributes
    ----------
    row, col : int
        Position of the first such rating.
    value : float
        That rating.
    number : int
        How many observed ratings lie outside the scale.
    """

    def __init__(self, ratings: Ratings, scale: RatingScale):
        outside = outside_scale(ratings)
        first = int(np.flatnonzero(outside)[0])
        self.row, self.col = int(ratings.rows[first]), int(ratings.cols[first])
        self.value, self.number = float(ratings.values[first]), int(outside.sum())
        others = f" ({self.number:,} such ratings in all)" if self.number > 1 else ""
        super().__init__(
            f"rating {self.value:g} in row {self.row}, column {self.col} lies outside the scale {scale.minimum:g} to "
            f"{scale.maximum:g}{others}: give another scale, or none, or say outside='nearest' or outside='hide'"
        )


def outside_scale(ratings: Ratings) -> np.ndarray:
    """(nnz,) Whether each rating lies outside the scale of ``ratings``; none does where the scale is not known."""
    if ratings.scale is None:
        return np.zeros(ratings.nnz, dtype=bool)
    return (ratings.values < ratings.scale.minimum) | (ratings.values > ratings.scale.maximum)


def within_scale(ratings: Ratings, outside: Outside = "error") -> Ratings:
    """The same ratings, none of them outside their scale.

    Parameters
    ----------
    ratings : Ratings
        With or without a known scale.
    outside : {'error', 'nearest', 'hide'}
        What becomes of a rating outside it: an error is raised, the rating is moved to the nearest end of the scale, or
        it is left out.

    Raises
    ------
    OutsideScaleError
        If ``outside`` is 'error' and there is such a rating.
    """
    beyond = outside_scale(ratings)
    if ratings.scale is None or not beyond.any():
        return ratings
    if outside == "error":
        raise OutsideScaleError(ratings, ratings.scale)
    return ratings.select(~beyond) if outside == "hide" else replace(ratings, values=ratings.scale.clip(ratings.values))
