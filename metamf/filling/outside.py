"""Treatment of observed ratings that lie outside the stated rating scale."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from metamf.ratings.matrix import Ratings
from metamf.ratings.on_scale import REMEDY, OutsideScaleError, check_on_scale, outside_scale

__all__ = ["OUTSIDE", "Outside", "OutsideScaleError", "within_scale"]

Outside = Literal["error", "nearest", "hide"]
OUTSIDE: tuple[Outside, ...] = ("error", "nearest", "hide")


def within_scale(ratings: Ratings, outside: Outside = "error") -> Ratings:
    """The same ratings, none of them outside their scale.

    Parameters
    ----------
    ratings : Ratings
        Ratings with or without a known scale.
    outside : {'error', 'nearest', 'hide'}
        Fate of a rating outside it: an error is raised, the rating is moved to the nearest end of the scale, or
        it is left out.

    Raises
    ------
    OutsideScaleError
        If ``outside`` is 'error' and there is such a rating.
    """
    if outside == "error":
        check_on_scale(ratings, ratings.scale, f"{REMEDY}, or say outside='nearest' or outside='hide'")
    beyond = outside_scale(ratings, ratings.scale)
    if ratings.scale is None or not beyond.any():
        return ratings
    return ratings.select(~beyond) if outside == "hide" else replace(ratings, values=ratings.scale.clip(ratings.values))
